/**
 * The schema of a policy's selector, with the rules that Kubernetes has for labels: with another name or value a selector
 * would never match, or always.
 */
import { choice, list, map, object, text } from "./schema-builder.ts";

const LABEL_VALUE_PATTERN = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";

/** What Kubernetes takes as the name of a label. */
export const LABEL_KEY_PATTERN =
  "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$";

const LABEL_KEY = new RegExp(LABEL_KEY_PATTERN);

const labelValue = text("A value.", { pattern: LABEL_VALUE_PATTERN, maxLength: 63 });

const needsValues = (operator: string | undefined) => operator === "In" || operator === "NotIn";

const condition = object(
  "A condition.",
  {
    key: text("The label.", { pattern: LABEL_KEY_PATTERN, maxLength: 317 }),
    operator: choice("The operator.", ["In", "NotIn", "Exists", "DoesNotExist"]),
    values: list("Values for In and NotIn.", labelValue),
  },
  ["key", "operator"],
  [
    {
      cel: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
      message: "is empty; In and NotIn need at least one value",
      fieldPath: ".values",
      isBroken: ({ operator, values = [] }) =>
        needsValues(operator) && values.length === 0 && [{ reason: `is empty; ${operator} needs at least one value` }],
    },
    {
      cel: "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
      message: "must be empty for Exists and DoesNotExist",
      fieldPath: ".values",
      isBroken: ({ operator, values = [] }) =>
        !needsValues(operator) && values.length > 0 && [{ reason: `must be empty for ${operator}` }],
    },
  ],
);

/** Which pods a policy is for. */
export const selector = object("Which pods of the namespace this is for; all of them unless set.", {
  matchLabels: map("Labels that a pod must have.", labelValue, 64, [
    {
      cel: `self.all(key, key.matches('${LABEL_KEY_PATTERN}'))`,
      message: "has a key that is no name of a label",
      isBroken(labels) {
        const wrong = Object.keys(labels).find((key) => !LABEL_KEY.test(key));
        return wrong !== undefined && [{ reason: `has a key that is no name of a label: ${JSON.stringify(wrong)}` }];
      },
    },
  ]),
  matchExpressions: list("Conditions on labels, all of which must hold.", condition),
});
