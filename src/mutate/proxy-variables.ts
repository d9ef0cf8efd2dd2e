/**
 * The variables of the proxy's agent that are written: into the annotation, from which Istio renders them, and onto a
 * proxy that is rendered already. Whatever is told of them (status, reasons, `check`) follows from this table; how a
 * user's own value is read is in src/pod/proxy-variables.ts.
 */
import { type ProxyVariableName, proxyVariableNames } from "../pod/proxy-variables.ts";
import { formatDuration } from "../units/milliseconds.ts";
import type { Context } from "./context.ts";
import type { Why } from "./why.ts";

/** A variable as it is written. */
export interface WantedVariable {
  readonly text: string;
  /** An override says it, so it beats what the user wrote. */
  readonly overrides: boolean;
  readonly why: Why;
}

/** What each variable gets; undefined: it is not written, and one of ours goes. */
const table: Readonly<Record<ProxyVariableName, (context: Context) => WantedVariable | undefined>> = {
  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: ({ exitOnZero }) =>
    exitOnZero && {
      text: String(exitOnZero.value),
      overrides: exitOnZero.overrides,
      why: exitOnZero.value ? { tag: "last connection", setting: exitOnZero.setting } : exitOnZero.because,
    },
  MINIMUM_DRAIN_DURATION: ({ minimumDrain }) =>
    minimumDrain && {
      text: formatDuration(minimumDrain.value),
      overrides: minimumDrain.overrides,
      why: minimumDrain.because,
    },
};

/** A variable with its name, and what it gets. */
export type NamedVariable = readonly [name: ProxyVariableName, wanted: WantedVariable | undefined];

/** All variables, with what they get in a pod. */
export function wantedVariables(context: Context): readonly NamedVariable[] {
  return proxyVariableNames.map((name) => [name, table[name](context)]);
}
