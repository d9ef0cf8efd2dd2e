/**
 * The schema of hc's further environment variables: fields and rules as the API server has them for a container.
 */
import { GOVERNED_VARIABLES } from "./hc-variables.ts";
import type { Broken, Rule } from "./rule.ts";
import { flag, list, object, quantity, text, type Value } from "./schema-builder.ts";

const keyRef = (description: string) =>
  object(
    description,
    {
      name: text("Its name.", { minLength: 1 }),
      key: text("The key in it.", { minLength: 1 }),
      optional: flag("Whether it may be missing."),
    },
    ["name", "key"],
  );

const sources = {
  fieldRef: object(
    "A field of the pod.",
    { apiVersion: text("Its version."), fieldPath: text("The field.", { minLength: 1 }) },
    ["fieldPath"],
  ),
  resourceFieldRef: object(
    "A request or limit.",
    {
      containerName: text("Of which container; hc unless set."),
      resource: text("Which.", { minLength: 1 }),
      divisor: quantity("Unit of the value."),
    },
    ["resource"],
  ),
  configMapKeyRef: keyRef("A key of a ConfigMap."),
  secretKeyRef: keyRef("A key of a Secret."),
} as const;

const valueFrom = object(
  "Where its value comes from, as in a container; one of these.",
  sources,
  [],
  [
    {
      cel: `[${Object.keys(sources)
        .map((name) => `has(self.${name})`)
        .join(", ")}].exists_one(given, given)`,
      message: "must have exactly one source",
      isBroken: (given) => Object.keys(given).length !== 1,
    },
  ],
);

const variable = object(
  "A variable.",
  {
    name: text("Its name.", { pattern: "^[-._a-zA-Z][-._a-zA-Z0-9]*$" }),
    value: text("Its value.", { maxLength: 4096 }),
    valueFrom,
  },
  ["name"],
  [
    {
      cel: "!has(self.valueFrom) || !has(self.value) || self.value == ''",
      message: "has both value and valueFrom",
      isBroken: ({ value = "", valueFrom: from }) => from !== undefined && value !== "",
    },
  ],
);

/** hc's further variables. */
export const extraEnv = list(
  "More environment variables for hc: none that another field of the policy says.",
  variable,
);

type Variables = Value<typeof extraEnv>;

const GOVERNED: ReadonlyMap<string, string> = new Map(Object.entries(GOVERNED_VARIABLES));

/** Rules of an object that has `extraEnv`. */
export const extraEnvRules: readonly Rule<{ readonly extraEnv?: Variables }>[] = [
  {
    cel: "!has(self.extraEnv) || self.extraEnv.all(one, self.extraEnv.exists_one(other, other.name == one.name))",
    message: "has a name twice",
    fieldPath: ".extraEnv",
    isBroken({ extraEnv: variables = [] }) {
      const seen = new Set<string>();
      return brokenElements(variables, (name) =>
        seen.size < seen.add(name).size ? undefined : `is ${name} once more`,
      );
    },
  },
  {
    cel: `!has(self.extraEnv) || self.extraEnv.all(one, !(one.name in [${[...GOVERNED.keys()].map((name) => `'${name}'`).join(", ")}]))`,
    message: "has a variable that another field of the policy says",
    fieldPath: ".extraEnv",
    isBroken: ({ extraEnv: variables = [] }) =>
      brokenElements(variables, (name) =>
        GOVERNED.has(name) ? `is ${name}, which follows from ${GOVERNED.get(name)}` : undefined,
      ),
  },
];

function brokenElements(variables: Variables, reasonOf: (name: string) => string | undefined): readonly Broken[] {
  return variables.flatMap(({ name = "" }, index) => {
    const reason = reasonOf(name);
    return reason === undefined ? [] : [{ at: `.extraEnv[${index}]`, reason }];
  });
}
