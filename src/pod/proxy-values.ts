/**
 * What the user already wrote about starting and stopping: keys of proxy.istio.io/config and variables of istio-proxy.
 *
 * The two variables count only as real environment variables when the proxy runs; the annotation makes them when Istio
 * injects. A value that an earlier call of ours wrote, or that Istio rendered from it, is not the user's.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { Seconds } from "../units/duration.ts";
import { type Facts, variableOf } from "./facts.ts";
import { isGoBool, parseGoBool, parseGoDuration } from "./go-values.ts";
import type { ProxyConfig } from "./proxy-config.ts";
import { type EarlierStatus, isOurs } from "./status.ts";

/** The variables that the proxy's agent reads. */
export const EXIT_ON_ZERO = "EXIT_ON_ZERO_ACTIVE_CONNECTIONS";
/** Least time that a draining proxy stays. */
export const MINIMUM_DRAIN = "MINIMUM_DRAIN_DURATION";

/** What the agent uses for a MINIMUM_DRAIN_DURATION that it cannot read. */
const AGENTS_MINIMUM: Seconds = 5;

/** The user's own values; undefined where the user says nothing. */
export interface ProxyValues {
  readonly terminationDrainDuration: Seconds | undefined;
  readonly drainDuration: Seconds | undefined;
  readonly minimumDrainDuration: Seconds | undefined;
  readonly exitOnZero: boolean | undefined;
  /** Variables that the user set on the container itself, where the annotation cannot reach them. */
  readonly variables: readonly string[];
  readonly notices: readonly Notice[];
}

/**
 * Reads the user's values.
 *
 * @param config the parsed annotation; undefined where it cannot be used
 */
export function proxyValues(facts: Facts, config: ProxyConfig | undefined): ProxyValues {
  const notices: Notice[] = [];
  const variables: string[] = [];
  const isNative = facts.isRendered && facts.proxy?.native === true;

  const duration = (key: string): Seconds | undefined => {
    const value = config?.get([key]);
    if (typeof value !== "string" || isOurs(facts.status, `config/${key}`, value)) return undefined;
    const seconds = parseGoDuration(value);
    if (seconds === undefined) notices.push(notice("GG203", { key, value }));
    // A bare number means seconds to whoever wrote it, though Istio refuses it.
    return seconds ?? (/^[0-9]{1,5}$/.test(value) ? Number(value) : undefined);
  };

  const variable = (name: string): string | undefined => {
    // A native sidecar ignores both variables.
    const own = facts.proxy && !isNative ? variableOf(facts.proxy.container, name) : undefined;
    if (own !== undefined && !isOurVariable(facts.status, name, own)) {
      variables.push(name);
      return own === true ? undefined : own;
    }
    const value = config?.get(["proxyMetadata", name]);
    return typeof value !== "string" || isOurs(facts.status, metadataName(name), value) ? undefined : value;
  };

  const exitOnZero = variable(EXIT_ON_ZERO);
  const minimum = variable(MINIMUM_DRAIN);
  if (exitOnZero !== undefined && !isGoBool(exitOnZero)) notices.push(notice("GG209", { value: exitOnZero }));
  const minimumSeconds = minimum === undefined ? undefined : parseGoDuration(minimum);
  if (minimum !== undefined && minimumSeconds === undefined) notices.push(notice("GG204", { value: minimum }));
  return {
    terminationDrainDuration: duration("terminationDrainDuration"),
    drainDuration: duration("drainDuration"),
    minimumDrainDuration: minimum === undefined ? undefined : (minimumSeconds ?? AGENTS_MINIMUM),
    exitOnZero: exitOnZero === undefined ? undefined : parseGoBool(exitOnZero),
    variables,
    notices,
  };
}

/** Written here, or rendered by Istio from what was written into the annotation. */
function isOurVariable(status: EarlierStatus, name: string, value: string | true): boolean {
  return (
    value !== true && (isOurs(status, `istio-proxy/env/${name}`, value) || isOurs(status, metadataName(name), value))
  );
}

/** The name under which the status notes a variable in the annotation. */
export function metadataName(variable: string): string {
  return `config/proxyMetadata.${variable}`;
}
