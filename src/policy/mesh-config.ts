/**
 * What the mesh sets for every proxy: `defaultConfig` of Istio's mesh config, which pods do not show.
 *
 * Istio merges a pod's annotation over it field by field (proxyMetadata by key), and replaces proxyStatsMatcher as a
 * whole; so the mesh's lists are united with ours, and its durations count as the user's.
 */

import { isObject, type JsonObject, type JsonValue, objectAt, textAt, textsAt, valueAt } from "../pod/json.ts";
import { proxyVariableNames, proxyVariables, readVariables } from "../pod/proxy-variables.ts";
import { parseMilliseconds } from "../units/duration.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import { type Layer, level } from "./layers.ts";
import type { StatsMatcher } from "./schema.ts";

/** The parts of a mesh's defaultConfig that matter for starting and stopping. */
export interface MeshConfig {
  readonly terminationDrainDuration?: Milliseconds;
  readonly drainDuration?: Milliseconds;
  readonly minimumDrainDuration?: Milliseconds;
  readonly exitOnZeroActiveConnections?: boolean;
  readonly holdApplicationUntilProxyStarts?: boolean;
  readonly proxyStatsMatcher?: StatsMatcher;
  /** Longest time that Envoy lets a stream last. */
  readonly httpMaxStreamDuration?: Milliseconds;
}

/**
 * Reads a mesh config.
 *
 * @param mesh the parsed YAML: Istio's MeshConfig itself, or a ConfigMap that holds it under `data.mesh`
 */
export function meshConfigOf(mesh: JsonValue): MeshConfig {
  const config = objectAt(isObject(mesh) ? mesh : {}, "defaultConfig");
  const metadata = objectAt(config, "proxyMetadata");
  const hold = valueAt(config, "holdApplicationUntilProxyStarts");
  const matcher = valueAt(config, "proxyStatsMatcher");
  return {
    ...durationAt("terminationDrainDuration", config, "terminationDrainDuration"),
    ...durationAt("drainDuration", config, "drainDuration"),
    ...variablesOf(metadata),
    ...(typeof hold === "boolean" ? { holdApplicationUntilProxyStarts: hold } : {}),
    ...durationAt("httpMaxStreamDuration", objectAt(config, "connectionSettings"), "httpMaxStreamDuration"),
    ...(isObject(matcher) ? { proxyStatsMatcher: matcherOf(matcher) } : {}),
  };
}

/** The mesh config as a level of the settings, the same for both roles. */
export function meshLayer(mesh: MeshConfig): Layer {
  const { drainDuration: _, httpMaxStreamDuration: __, ...fields } = mesh;
  const { proxyStatsMatcher: ___, ...sidecar } = fields;
  return { level: level.meshConfig, origin: "mesh config", spec: { gateway: fields, sidecar } };
}

/** The agent's variables, each under the setting that it is. */
function variablesOf(metadata: JsonObject): Pick<MeshConfig, "exitOnZeroActiveConnections" | "minimumDrainDuration"> {
  const { values } = readVariables((name) => textAt(metadata, name));
  const set = proxyVariableNames.filter((name) => values[name] !== undefined);
  return Object.fromEntries(set.map((name) => [proxyVariables[name].setting, values[name]]));
}

function durationAt<Name extends string>(name: Name, object: JsonObject, key: string): { [K in Name]?: Milliseconds } {
  const parsed = parseMilliseconds(textAt(object, key));
  return (parsed.ok ? { [name]: parsed.milliseconds } : {}) as { [K in Name]?: Milliseconds };
}

function matcherOf(matcher: JsonObject): StatsMatcher {
  const lists = ["inclusionPrefixes", "inclusionSuffixes", "inclusionRegexps"] as const;
  return Object.fromEntries(
    lists
      .map((list) => [list, textsAt(matcher, list)])
      .filter(([, entries]) => entries !== undefined && entries.length > 0),
  );
}
