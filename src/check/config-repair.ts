/**
 * Repairs of the annotation proxy.istio.io/config within a workload: its comments and order stay.
 */
import { type Path, valueIn, withValue } from "../manifests/workload.ts";
import { PROXY_CONFIG } from "../pod/annotations.ts";
import type { JsonObject } from "../pod/json.ts";
import { type ConfigEdit, editProxyConfig, parseProxyConfig } from "../pod/proxy-config.ts";
import type { Workload } from "./inventory.ts";

/** Where the annotation is in a workload. */
export function configPath({ podAt }: Workload): Path {
  return [...podAt, "metadata", "annotations", PROXY_CONFIG];
}

/** A repair that makes edits in the annotation; what YAML 1.1 misreads under proxyMetadata is quoted as well. */
export function configRepair(workload: Workload, edits: readonly ConfigEdit[]): (object: JsonObject) => JsonObject {
  const at = configPath(workload);
  return (object) => {
    const text = valueIn(object, at);
    const parsed = parseProxyConfig(typeof text === "string" ? text : "");
    const edited = parsed.ok ? editProxyConfig(parsed.config, edits) : undefined;
    return edited === undefined ? object : (withValue(object, at, edited) as JsonObject);
  };
}
