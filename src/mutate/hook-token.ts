/**
 * The token in a header of the proxy's hook: it gives the kubelet a place at hc that no stranger can take.
 *
 * It is the uid of the admission request that wrote the hook: random (a UUID of the API server), and new for each pod. The
 * second call has another one and finds the first one's in the pod, so that it changes nothing. Who may read the pod may
 * know it; who can only reach its ports cannot. It is in a header, which an hc of an older version passes over, and which
 * the kubelet sends with a lifecycle hook from Kubernetes 1.27 on.
 *
 * What `inject` writes has none: it would stand in git, the same for all pods of a workload. The webhook adds it.
 */
import type { Facts } from "../pod/facts.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { isOurs } from "../pod/status.ts";

/** The name of the header; hc reads it without regard to case. */
export const HOOK_HEADER = "Gracegate-Hook";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the hook's httpGet carries: the header with a token, or nothing without one. */
export function hookHeaders(token: string | undefined): JsonObject {
  return token === undefined ? {} : { httpHeaders: [{ name: HOOK_HEADER, value: token }] };
}

/**
 * The token of a pod's hook: the one that an earlier call wrote, else a new one.
 *
 * @param uid the uid of the admission request; undefined where there is none, or it is no UUID
 */
export function hookTokenOf({ proxy, status }: Facts, uid: string | undefined): string | undefined {
  const hook = proxy?.preStop?.hook;
  const headers = isOurs(status, "istio-proxy/preStop", hook)
    ? objectsAt(objectAt(hook, "httpGet"), "httpHeaders")
    : [];
  const there = textAt(
    headers.find(({ name }) => name === HOOK_HEADER),
    "value",
  );
  return [there, uid].find((token) => token !== undefined && UUID.test(token));
}
