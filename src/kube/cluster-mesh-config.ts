/**
 * Istio's mesh config from the cluster: key `mesh` of the ConfigMap `istio` (or `istio-REVISION`) in the mesh's root
 * namespace, watched. Where there is none, the mesh sets nothing.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type JsonObject, objectAt, textAt } from "../pod/json.ts";
import type { MeshConfig } from "../policy/mesh-config.ts";
import { readMeshConfig } from "../sources/mesh-config-text.ts";
import type { Source, SourceEvents } from "../sources/source.ts";
import type { ClusterApi } from "./api.ts";
import { watchList, watchTimes } from "./watched-list.ts";

/** Which ConfigMap. */
export interface MeshConfigMap {
  readonly namespace: string;
  readonly name: string;
}

/** The mesh config of the cluster as a source; its value is undefined where there is no ConfigMap. */
export function clusterMeshConfig(
  api: ClusterApi,
  { namespace, name }: MeshConfigMap,
  events: SourceEvents,
  times = watchTimes,
): Source<MeshConfig | undefined> {
  let value: { readonly value: MeshConfig | undefined } | undefined;
  let version: string | undefined;
  const onObjects = (objects: readonly ConfigMap[]) => {
    const [configMap] = objects;
    const now = textAt(configMap?.metadata, "resourceVersion") ?? "none";
    if (now === version) return;
    version = now;
    const text = textAt(configMap?.data, "mesh");
    const read = text === undefined ? { ok: true as const, value: undefined } : readMeshConfig(text);
    if (!read.ok) {
      const where = `ConfigMap ${namespace}/${name}`;
      const problem: Notice = notice("GG602", {
        where,
        path: "data.mesh",
        reason: `is no mesh config: ${read.reason}`,
      });
      events.refused([problem], value === undefined ? "no mesh config" : "the last good one");
      if (value !== undefined) return;
    }
    value = { value: read.ok ? read.value : undefined };
    events.changed();
  };
  return {
    current: () => value,
    follow: (signal) =>
      watchList(
        api,
        {
          path: `/api/v1/namespaces/${namespace}/configmaps`,
          fieldSelector: `metadata.name=${name}`,
          keep: withoutManagedFields,
          onObjects,
          onUnreachable: (reason, retryMs) => events.unreachable(reason, retryMs),
        },
        signal,
        times,
      ),
  };
}

interface ConfigMap {
  readonly metadata: JsonObject;
  readonly data: JsonObject;
}

function withoutManagedFields(object: JsonObject): ConfigMap {
  const { managedFields: _, ...metadata } = objectAt(object, "metadata");
  return { metadata, data: objectAt(object, "data") };
}
