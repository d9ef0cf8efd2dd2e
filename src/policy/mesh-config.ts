/**
 * What the mesh sets for every proxy: `defaultConfig` of Istio's mesh config, which pods do not show.
 *
 * Istio merges a pod's annotation over it field by field (proxyMetadata by key), and replaces proxyStatsMatcher as a
 * whole; so the mesh's lists are united with ours, and its durations count as the user's.
 */

import { parseGoBool } from "../pod/go-values.ts";
import { isObject, type JsonObject, type JsonValue, objectAt, textAt, textsAt, valueAt } from "../pod/json.ts";
import { parseDuration, type Seconds } from "../units/duration.ts";
import { type Layer, level } from "./layers.ts";
import type { StatsMatcher } from "./schema.ts";

/** The parts of a mesh's defaultConfig that matter for starting and stopping. */
export interface MeshConfig {
  readonly terminationDrainDuration?: Seconds;
  readonly drainDuration?: Seconds;
  readonly minimumDrainDuration?: Seconds;
  readonly exitOnZeroActiveConnections?: boolean;
  readonly holdApplicationUntilProxyStarts?: boolean;
  readonly proxyStatsMatcher?: StatsMatcher;
  /** Longest time that Envoy lets a stream last. */
  readonly httpMaxStreamDuration?: Seconds;
}

/**
 * Reads a mesh config.
 *
 * @param mesh the parsed YAML: Istio's MeshConfig itself, or a ConfigMap that holds it under `data.mesh`
 */
export function meshConfigOf(mesh: JsonValue): MeshConfig {
  const config = objectAt(isObject(mesh) ? mesh : {}, "defaultConfig");
  const metadata = objectAt(config, "proxyMetadata");
  const exitOnZero = textAt(metadata, "EXIT_ON_ZERO_ACTIVE_CONNECTIONS");
  const hold = valueAt(config, "holdApplicationUntilProxyStarts");
  const matcher = valueAt(config, "proxyStatsMatcher");
  return {
    ...durationAt("terminationDrainDuration", config, "terminationDrainDuration"),
    ...durationAt("drainDuration", config, "drainDuration"),
    ...durationAt("minimumDrainDuration", metadata, "MINIMUM_DRAIN_DURATION"),
    ...(exitOnZero === undefined ? {} : { exitOnZeroActiveConnections: parseGoBool(exitOnZero) }),
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

function durationAt<Name extends string>(name: Name, object: JsonObject, key: string): { [K in Name]?: Seconds } {
  const parsed = parseDuration(textAt(object, key));
  return (parsed.ok ? { [name]: parsed.seconds } : {}) as { [K in Name]?: Seconds };
}

function matcherOf(matcher: JsonObject): StatsMatcher {
  const lists = ["inclusionPrefixes", "inclusionSuffixes", "inclusionRegexps"] as const;
  return Object.fromEntries(
    lists
      .map((list) => [list, textsAt(matcher, list)])
      .filter(([, entries]) => entries !== undefined && entries.length > 0),
  );
}
