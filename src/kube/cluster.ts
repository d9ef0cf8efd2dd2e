/**
 * Everything that a command needs of a cluster, behind one import, so that one dynamic import loads it.
 */
export { clusterApi } from "./api.ts";
export { clusterMeshConfig } from "./cluster-mesh-config.ts";
export { clusterPolicies } from "./cluster-policies.ts";
export { registrations } from "./registrations.ts";
export { secretStore } from "./secret-store.ts";
