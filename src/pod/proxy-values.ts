/**
 * What the user already wrote about starting and stopping: keys of proxy.istio.io/config and variables of istio-proxy.
 *
 * The two variables count only as real environment variables when the proxy runs; the annotation makes them when Istio
 * injects. A value that an earlier call of ours wrote, or that Istio rendered from it, is not the user's.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type Milliseconds, seconds } from "../units/milliseconds.ts";
import { type Facts, variableOf } from "./facts.ts";
import { parseGoDuration } from "./go-values.ts";
import type { ProxyConfig } from "./proxy-config.ts";
import { readVariables, type VariableValues } from "./proxy-variables.ts";
import { type EarlierStatus, isOurs } from "./status.ts";

/** The user's own values; undefined where the user says nothing. */
export interface ProxyValues {
  readonly terminationDrainDuration: Milliseconds | undefined;
  readonly drainDuration: Milliseconds | undefined;
  /** The agent's variables, wherever they are set. */
  readonly metadata: VariableValues;
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

  const duration = (key: string): Milliseconds | undefined => {
    const value = config?.get([key]);
    if (typeof value !== "string" || isOurs(facts.status, `config/${key}`, value)) return undefined;
    const read = parseGoDuration(value);
    if (read === undefined) notices.push(notice("GG203", { key, value }));
    // A bare number means seconds to whoever wrote it, though Istio refuses it.
    return read ?? (/^[0-9]{1,5}$/.test(value) ? seconds(Number(value)) : undefined);
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

  const metadata = readVariables(variable);
  return {
    terminationDrainDuration: duration("terminationDrainDuration"),
    drainDuration: duration("drainDuration"),
    metadata: metadata.values,
    variables,
    notices: [...metadata.notices, ...notices],
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
