/**
 * The token in the path of the proxy's hook: it gives the kubelet a place at hc that no stranger can take.
 *
 * It is the uid of the admission request that wrote the hook: random (a UUID of the API server), and new for each pod. The
 * second call has another one and finds the first one's in the pod, so that it changes nothing. Who may read the pod may
 * know it; who can only reach its ports cannot. It is in the query, which an hc of an older version passes over.
 *
 * What `inject` writes has none: it would stand in git, the same for all pods of a workload. The webhook adds it.
 */
import type { Facts } from "../pod/facts.ts";
import { objectAt, textAt } from "../pod/json.ts";
import { isOurs } from "../pod/status.ts";

/** The path of the hook. */
const PATH = "/drained";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The hook's path with a token, or without one. */
export function hookPath(token: string | undefined): string {
  return token === undefined ? PATH : `${PATH}?token=${token}`;
}

/** Whether a path is that of hc's hook. */
export function isHookPath(path: string | undefined): boolean {
  return path?.split("?", 1)[0] === PATH;
}

/**
 * The token of a pod's hook: the one that an earlier call wrote, else a new one.
 *
 * @param uid the uid of the admission request; undefined where there is none, or it is no UUID
 */
export function hookTokenOf({ proxy, status }: Facts, uid: string | undefined): string | undefined {
  const hook = proxy?.preStop?.hook;
  const there = isOurs(status, "istio-proxy/preStop", hook) ? textAt(objectAt(hook, "httpGet"), "path") : undefined;
  return [there?.split("?token=", 2)[1], uid].find((token) => token !== undefined && UUID.test(token));
}
