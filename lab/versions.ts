/**
 * What a run was made of.
 */
import { spawnSync } from "node:child_process";
import { cpus, release } from "node:os";
import { type Cluster, versions } from "./cluster.ts";

/** The names and versions of everything that took part. */
export function versionsOf(cluster: Cluster, haproxy: string): Readonly<{ [name: string]: string }> {
  const output = (command: string, args: readonly string[]) => spawnSync(command, args, { encoding: "utf8" }).stdout;
  const number = (text: string) => /[0-9]+\.[0-9]+\.[0-9]+/.exec(text)?.[0] ?? "unknown";
  const commit = output("git", ["rev-parse", "--short=10", "HEAD"]).trim();
  // What a run before this one has published changes nothing.
  const sources = [":/", ":(top,exclude)docs/evidence*"];
  const changed = output("git", ["status", "--porcelain", "--untracked-files=no", ...sources]).trim() !== "";
  return {
    Gracegate: `commit ${commit}${changed ? " with changes" : ""}`,
    Kubernetes: versions.kubernetes,
    "Istio module": versions.istio,
    Envoy: versions.envoy,
    HAProxy: number(output(haproxy, ["-v"])),
    containerd: number(output("containerd", ["--version"])),
    "Node.js": number(cluster.kubectl("--namespace", "shop", "exec", "deployment/app", "--", "node", "--version")),
    Linux: release(),
  };
}

/** The machine: `2 cores of AMD EPYC`. */
export function machine(): string {
  const all = cpus();
  return `${all.length} cores of ${all[0]?.model ?? "an unknown processor"}`;
}
