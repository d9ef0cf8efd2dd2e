/**
 * What else can happen to a gateway in its drain, as shell commands for `--trigger`: S8 to S10.
 */
import { join } from "node:path";
import { namespaceOf } from "./gateways.ts";
import type { Rig } from "./rig.ts";

/** The name of gateway a's pod, in a shell variable. */
function findPod(rig: Rig): string {
  return `pod=$(${rig.command("get", "pod", "--selector", "gateway=a", "--output", "'jsonpath={.items[0].metadata.name}'")})`;
}

/** The API's eviction, as node drains and autoscalers ask for it. */
export function eviction(rig: Rig): string {
  const namespace = namespaceOf(rig.mode);
  const body = `'{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"${namespace}","name":"'$pod'"}}'`;
  const create = rig.command(
    "create",
    "--raw",
    `/api/v1/namespaces/${namespace}/pods/$pod/eviction`,
    "--filename",
    "-",
  );
  return `${findPod(rig)} && echo ${body} | ${create} >/dev/null`;
}

/** `kubectl drain`, which waits for the pod's end; it is limited to one gateway, since there is one node. */
export function nodeDrain(rig: Rig): string {
  const selector = ["--pod-selector", `gateway=a,mode=${rig.mode.name}`];
  const drain = rig.command("drain", "node1", ...selector, "--ignore-daemonsets", "--delete-emptydir-data");
  // Whatever became of the drain, there is no other node for what comes after it.
  return `${drain} >/dev/null; ended=$?; ${rig.command("uncordon", "node1")} >/dev/null && exit $ended`;
}

/** The kubelet dies in the middle of a drain, and is back after three seconds: it then calls the hook again. */
export function kubeletRestart(rig: Rig): string {
  const script = join(import.meta.dirname, "../test/e2e/node/restart-kubelet.sh");
  return `${rig.deletes("a")} && sleep 2 && bash ${script} ${rig.cluster.node.folder} 3`;
}

/** hc dies in the middle of a drain. */
export function hcKilled(rig: Rig): string {
  const path = `'jsonpath={.status.containerStatuses[?(@.name=="hc")].containerID}'`;
  const find = `id=$(${rig.command("get", "pod", "$pod", "--output", path)})`;
  const kill = `nsenter -t $(cat ${rig.cluster.node.folder}/init.pid) -n -m -p -- ctr -n k8s.io tasks kill -s SIGKILL`;
  return `${findPod(rig)} && ${find} && ${rig.deletes("a")} && sleep 1 && ${kill} \${id#containerd://}`;
}

/** Envoy dies in the middle of a drain. */
export function envoyKilled(rig: Rig): string {
  const kill = rig.command("exec", "$pod", "--container", "istio-proxy", "--", "sh", "-c", "'kill -9 $(pidof envoy)'");
  return `${findPod(rig)} && ${rig.deletes("a")} && sleep 1 && ${kill}`;
}
