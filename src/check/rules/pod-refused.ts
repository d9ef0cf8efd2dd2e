import { podProblems } from "../../pod/pod-rules.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

const native = (...hook: readonly string[]) => [
  "initContainers:",
  "  - name: istio-proxy",
  "    image: registry.example/istio/proxyv2:1.31.0",
  "    args: [proxy, sidecar]",
  "    restartPolicy: Always",
  ...hook.map((line) => `    ${line}`),
];

/** What the API server would refuse. */
export const podRefused: Rule = {
  id: "pod-refused",
  severity: "error",
  title: "The API server refuses this pod.",
  reason:
    "A workload is taken as it is, and its pods are refused one by one later, where only the ReplicaSet's events tell: two handlers in one hook (a second one beside Istio's on a native sidecar), a sleep longer than the grace period, a request over its limit.",
  fix: "mend what the sentence names",
  examples: {
    bad: [
      application({
        pod: native("lifecycle:", "  preStop: { sleep: { seconds: 5 }, httpGet: { path: /drain, port: 15020 } }"),
      }),
    ],
    good: [application({ pod: native("lifecycle:", "  preStop: { httpGet: { path: /drain, port: 15020 } }") })],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      if (item.role === "none") continue;
      for (const problem of podProblems(item.pod)) {
        yield { item, at: [...item.podAt, "spec"], message: `${problem}.` };
      }
    }
  },
};
