/**
 * The variables that the proxy's agent reads from its environment, and that a policy can set: how each is read, which
 * setting it is, and what the agent makes of a text that it cannot read.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type Milliseconds, seconds } from "../units/milliseconds.ts";
import { isGoBool, parseGoBool, parseGoDuration } from "./go-values.ts";

/** Whether the proxy leaves with its last connection. */
export const EXIT_ON_ZERO = "EXIT_ON_ZERO_ACTIVE_CONNECTIONS";
/** Least time that a draining proxy stays. */
export const MINIMUM_DRAIN = "MINIMUM_DRAIN_DURATION";

/** What a text says, and what is told about one that cannot be read. */
interface Reading<T> {
  readonly value: T;
  readonly notice?: Notice;
}

interface Variable<T> {
  /** The setting of a policy, for both roles. */
  readonly setting: string;
  read(text: string): Reading<T>;
}

const flag =
  (name: string): Variable<boolean>["read"] =>
  (value) => ({
    value: parseGoBool(value),
    ...(isGoBool(value) ? {} : { notice: notice("GG209", { name, value }) }),
  });

/** What the agent uses for a MINIMUM_DRAIN_DURATION that it cannot read. */
const AGENTS_MINIMUM: Milliseconds = seconds(5);

const minimum: Variable<Milliseconds>["read"] = (value) => {
  const read = parseGoDuration(value);
  return read === undefined ? { value: AGENTS_MINIMUM, notice: notice("GG204", { value }) } : { value: read };
};

/** The variables by name. */
export const proxyVariables = {
  [EXIT_ON_ZERO]: { setting: "exitOnZeroActiveConnections", read: flag(EXIT_ON_ZERO) },
  [MINIMUM_DRAIN]: { setting: "minimumDrainDuration", read: minimum },
} as const satisfies Record<string, Variable<unknown>>;

/** The name of a variable. */
export type ProxyVariableName = keyof typeof proxyVariables;

/** What somebody wrote in the variables, by name. */
export type VariableValues = {
  readonly [Name in ProxyVariableName]?: ReturnType<(typeof proxyVariables)[Name]["read"]>["value"];
};

/** The names, in the order in which they are written. */
export const proxyVariableNames = Object.keys(proxyVariables) as ProxyVariableName[];

/** The values of texts, and what is told about those that cannot be read. */
export function readVariables(textOf: (name: ProxyVariableName) => string | undefined): {
  readonly values: VariableValues;
  readonly notices: readonly Notice[];
} {
  const read = proxyVariableNames.flatMap((name) => {
    const text = textOf(name);
    return text === undefined ? [] : [[name, proxyVariables[name].read(text)] as const];
  });
  return {
    values: Object.fromEntries(read.map(([name, { value }]) => [name, value])),
    notices: read.flatMap(([, reading]) => reading.notice ?? []),
  };
}
