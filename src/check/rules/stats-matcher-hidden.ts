import { configPath } from "../config-repair.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

const LISTS = ["inclusionPrefixes", "inclusionSuffixes", "inclusionRegexps"] as const;
const matcher = (entries: string) => [
  "proxy.istio.io/config: |",
  `  proxyStatsMatcher: { inclusionPrefixes: [${entries}] }`,
];

/** The pod's matcher takes the mesh's place. */
export const statsMatcherHidden: Rule = {
  id: "stats-matcher-hidden",
  severity: "warning",
  title: "The pod's proxyStatsMatcher hides the mesh-wide one.",
  reason:
    "Istio replaces proxyStatsMatcher as a whole, so the metrics that the mesh config asks for are missing for this pod, and dashboards and alerts show nothing. (Seen with --mesh-config only.)",
  fix: "repeat the mesh's entries in the annotation",
  mesh: { defaultConfig: { proxyStatsMatcher: { inclusionPrefixes: ["cluster.outbound"] } } },
  examples: {
    bad: [application({ annotations: matcher("listener") })],
    good: [application({ annotations: matcher("listener, cluster.outbound") }), application()],
  },
  *check({ workloads, options }): Iterable<Finding> {
    const mesh = options.snapshot.meshConfig?.proxyStatsMatcher;
    if (mesh === undefined) return;
    for (const item of workloads) {
      const config = item.context?.config;
      const own = LISTS.flatMap((list) => {
        const value = config?.get(["proxyStatsMatcher", list]);
        return Array.isArray(value) ? (value as readonly string[]) : [];
      });
      if (own.length === 0) continue;
      const missing = LISTS.flatMap((list) => mesh[list] ?? []).filter((entry) => !own.includes(entry));
      if (missing.length === 0) continue;
      yield { item, at: configPath(item), message: `the mesh's ${missing.join(", ")} is not in the annotation.` };
    }
  },
};
