/**
 * Label selectors as Kubernetes means them: all of matchLabels and of matchExpressions must hold; an empty selector
 * matches everything; NotIn and DoesNotExist hold for a label that is not there.
 */
import { type JsonObject, textAt } from "../pod/json.ts";
import { LABEL_KEY_PATTERN, type PolicySpec } from "./schema.ts";

const LABEL_KEY = new RegExp(LABEL_KEY_PATTERN);

/** A selector of a policy. */
export type Selector = NonNullable<PolicySpec["selector"]>;

/** Whether labels satisfy a selector. */
export function matches(selector: Selector, labels: JsonObject): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (textAt(labels, key) !== value) return false;
  }
  return (selector.matchExpressions ?? []).every(({ key = "", operator, values = [] }) => {
    const value = textAt(labels, key);
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}

/** What is wrong with a selector that its schema lets through; undefined if nothing. */
export function selectorProblem(selector: Selector): { readonly path: string; readonly reason: string } | undefined {
  const wrong = Object.keys(selector.matchLabels ?? {}).find((key) => !LABEL_KEY.test(key));
  if (wrong !== undefined) {
    return { path: ".matchLabels", reason: `has a key that is no name of a label: ${JSON.stringify(wrong)}` };
  }
  for (const [index, { operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const path = `.matchExpressions[${index}].values`;
    const needsValues = operator === "In" || operator === "NotIn";
    if (needsValues && values.length === 0) return { path, reason: `is empty; ${operator} needs at least one value` };
    if (!needsValues && values.length > 0) return { path, reason: `must be empty for ${operator}` };
  }
  return undefined;
}
