/**
 * `gracegate plan`: the whole set of numbers for a p99 and a balancer, with the arithmetic, and what to paste where.
 */
import type { CommandDefinition } from "./command.ts";

/** What holds unless it is said. */
export const defaults = { applicationStop: "0s", nodePort: "30180", path: "/health_check.html" };

/** The command. */
export const plan: CommandDefinition = {
  name: "plan",
  summary: "work out the numbers for a p99 and a balancer",
  examples: [
    "gracegate plan --p99 30s --lb generic --interval 2s --fall 2",
    "gracegate plan --p99 30s --haproxy-config haproxy.cfg --backend gateways",
    "gracegate plan --lb aws-nlb-keep --p99 10s -o markdown > plan.md",
    "# the policy alone, for kubectl apply",
    "gracegate plan --p99 30s --lb f5 --namespace edge -o yaml",
    "# a sidecar whose application stops for 10s",
    "gracegate plan --role sidecar --drain-timeout 40s --application-stop 10s",
  ],
  configure(cli) {
    cli
      .option("--role <role>", "gateway or sidecar", "gateway")
      .option("--p99 <time>", "99th percentile of the request duration (30s assumed)")
      .option("--drain-timeout <time>", "longest wait for requests, instead of --p99")
      .option("--lb <profile>", "kind of balancer; docs/lb-profiles.md (generic)")
      .option("--interval <time>", "time between two checks (the profile's)")
      .option("--fall <n>", "failed checks until DOWN (the profile's)")
      .option("--rise <n>", "good checks until UP (2)")
      .option("--check-timeout <time>", "longest wait for a check's answer (1s)")
      .option("--buffer <time>", "LB buffer, instead of interval × fall + 5s")
      .option("--haproxy-config <file>", "read the checks from a HAProxy configuration; - is stdin")
      .option("--backend <name>", "only this backend of it")
      .option("--application-stop <time>", "sidecar: the application's preStop", defaults.applicationStop)
      .option("--margin <time>", "spare time before SIGKILL (30s, sidecar 5s)")
      .option("--max-grace-period <time>", "longest grace period (10m)")
      .option("--node-port <n>", "the nodes' port of hc", defaults.nodePort)
      .option("--path <path>", "what the balancer asks for", defaults.path)
      .option("-n, --namespace <name>", "namespace of the policy", "edge")
      .option("--name <name>", "name of the policy", "default")
      .option("-o, --output <format>", "text, yaml (the policy), json or markdown", "text");
  },
  // Loaded when it runs, so that --help is quick.
  run: async (options) => (await import("./plan-run.ts")).run(options),
};
