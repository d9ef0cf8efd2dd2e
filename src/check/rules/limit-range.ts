import { type JsonObject, objectAt, objectsAt } from "../../pod/json.ts";
import { runningTogether } from "../../pod/pod-rules.ts";
import { parseQuantity } from "../../units/quantity.ts";
import { documents, gateway, RENDERED } from "../example-manifests.ts";
import { gatewaysWithHc, hcResourcesOf, itemsOf, type Workload } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const range = (line: string, type = "Container") =>
  [
    "apiVersion: v1",
    "kind: LimitRange",
    "metadata: { name: limits, namespace: edge }",
    "spec:",
    `  limits: [{ type: ${type}, ${line} }]`,
    "",
  ].join("\n");

const proxy = (cpu: string) =>
  gateway({
    ...RENDERED,
    container: [
      ...(RENDERED.container ?? []),
      `resources: { requests: { cpu: ${cpu}, memory: 1Gi }, limits: { cpu: 2, memory: 1Gi } }`,
    ],
  });

/** A LimitRange that refuses hc. */
export const limitRange: Rule = {
  id: "limit-range-refuses-hc",
  severity: "error",
  title: "A LimitRange of the namespace refuses hc.",
  reason:
    "hc asks for little (10m and 64Mi, limits 500m and 128Mi). A minimum above that, a maximum below it, a maxLimitRequestRatio under 50 for cpu, or a maximum for the whole pod that istio-proxy has used up, makes the API server refuse every new gateway pod.",
  fix: "set gateway.hc.resources in the policy to what the LimitRange allows",
  examples: {
    bad: [
      documents(gateway(), range("min: { memory: 128Mi }")),
      documents(gateway(), range("max: { cpu: 250m }")),
      documents(gateway(), range("maxLimitRequestRatio: { cpu: 10 }")),
      documents(proxy("2"), range("max: { cpu: 2 }", "Pod")),
      documents(proxy("200m"), range("maxLimitRequestRatio: { cpu: 10 }", "Pod")),
    ],
    good: [
      documents(gateway(), range("min: { memory: 32Mi }, max: { cpu: 2 }")),
      documents(gateway(), range("maxLimitRequestRatio: { cpu: 50, memory: 2 }")),
      documents(proxy("2"), range("max: { cpu: 3, memory: 2Gi }", "Pod")),
      // Refused with and without hc, and none of hc's business.
      documents(proxy("2"), range("max: { cpu: 1 }", "Pod")),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of itemsOf(inventory, "LimitRange")) {
      for (const one of gatewaysWithHc(inventory).filter(({ namespace }) => namespace === item.namespace)) {
        const hc = usageOf(hcResourcesOf(one) ?? {});
        for (const [index, limit] of objectsAt(objectAt(item.object, "spec"), "limits").entries()) {
          const at = ["spec", "limits", index];
          for (const message of limit.type === "Pod" ? podProblems(one, hc, limit) : containerProblems(hc, limit)) {
            yield { item, at, message };
          }
        }
      }
    }
  },
};

/** What is asked for by resource: cores or bytes, and as it is written. */
type Usage = ReadonlyMap<
  string,
  { readonly request: number; readonly limit: number; readonly words: readonly string[] }
>;

/** Requests and limits; where one of the two is missing it is the other. */
function usageOf(resources: JsonObject): Usage {
  const [requests, limits] = [objectAt(resources, "requests"), objectAt(resources, "limits")];
  return new Map(
    [...new Set([...Object.keys(requests), ...Object.keys(limits)])].map((name) => {
      const request = String(requests[name] ?? limits[name] ?? "0");
      const limit = String(limits[name] ?? request);
      return [
        name,
        { request: parseQuantity(request) ?? 0, limit: parseQuantity(limit) ?? 0, words: [request, limit] },
      ];
    }),
  );
}

function* containerProblems(hc: Usage, limit: JsonObject): Iterable<string> {
  if (limit.type !== "Container") return;
  for (const [resource, { request, limit: most, words }] of hc) {
    const [min, max, ratio] = boundsOf(limit, resource);
    if (request < (min ?? 0)) {
      yield `hc requests ${words[0]} of ${resource}, less than the minimum ${textOf(limit, "min", resource)}.`;
    } else if (most > (max ?? Number.POSITIVE_INFINITY)) {
      yield `hc's limit of ${resource} is ${words[1]}, more than the maximum ${textOf(limit, "max", resource)}.`;
    } else if (most > request * (ratio ?? Number.POSITIVE_INFINITY)) {
      yield `hc's limit of ${resource} is ${words[1]} and its request ${words[0]}, more than ${ratio} times as much.`;
    }
  }
}

/** What the pod has without hc is not hc's fault. Before Istio's injection only a part of it is known, so ratios are not. */
function* podProblems(workload: Workload, hc: Usage, limit: JsonObject): Iterable<string> {
  const spec = objectAt(workload.pod, "spec");
  if (spec.resources !== undefined) return;
  const others = runningTogether(spec)
    .filter(({ name }) => name !== "hc")
    .map((container) => usageOf(objectAt(container, "resources")));
  for (const [resource, { request, limit: most }] of hc) {
    const sum = (of: "request" | "limit") => others.reduce((total, one) => total + (one.get(resource)?.[of] ?? 0), 0);
    const before = { request: sum("request"), limit: sum("limit") };
    const after = { request: before.request + request, limit: before.limit + most };
    const [, max = Number.POSITIVE_INFINITY, ratio = Number.POSITIVE_INFINITY] = boundsOf(limit, resource);
    if (before.limit <= max && after.limit > max) {
      yield `with hc the limits of ${resource} in a pod of ${workload.kind} ${workload.name} are more than the maximum ${textOf(limit, "max", resource)}.`;
    } else if (
      workload.context?.facts.isRendered === true &&
      before.request > 0 &&
      before.limit <= before.request * ratio &&
      after.limit > after.request * ratio
    ) {
      yield `with hc the limits of ${resource} in a pod of ${workload.kind} ${workload.name} are more than ${ratio} times its requests.`;
    }
  }
}

function boundsOf(limit: JsonObject, resource: string): readonly (number | undefined)[] {
  return ["min", "max", "maxLimitRequestRatio"].map((kind) => parseQuantity(objectAt(limit, kind)[resource]));
}

function textOf(limit: JsonObject, kind: string, resource: string): string {
  return String(objectAt(limit, kind)[resource]);
}
