/**
 * `gracegate plan`: the whole set of numbers for a p99 and a balancer, with the arithmetic, and what to paste where.
 */
import { command } from "./kit/command.ts";
import { flag, type Values } from "./kit/flag.ts";
import { fileOrStdin, format, matching, oneOf, type Reader, refused, seconds, text, value, whole } from "./kit/read.ts";

/** What holds unless it is said. */
export const defaults = { applicationStop: "0s", nodePort: "30180", path: "/health_check.html" };

const duration = seconds((typed, name, reason) => `${name} ${typed} is not a duration: ${reason}; write 36s or 1m30s.`);

/** A duration as it was written, once it is known to be one; a bare number means seconds. */
const written: Reader<string> = (typed, name) => {
  const read = duration(typed, name);
  return read.ok ? value(/^[0-9]+$/.test(typed) ? `${typed}s` : typed) : read;
};

/** A name as Kubernetes takes it for an object. */
const objectName: Reader<string> = (typed, name) =>
  typed.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(typed)
    ? value(typed)
    : refused(`${name} ${typed} is no name that Kubernetes takes; write small letters, digits and dashes.`);

/** The flags. */
export const planFlags = {
  role: flag(
    "--role <role>",
    "gateway or sidecar",
    oneOf(["gateway", "sidecar"], (typed) => `--role ${typed} is no role; there are gateway and sidecar.`),
    "gateway",
  ),
  p99: flag("--p99 <time>", "99th percentile of the request duration (30s assumed)", written),
  drainTimeout: flag("--drain-timeout <time>", "longest wait for requests, instead of --p99", written),
  lb: flag("--lb <profile>", "kind of balancer; docs/lb-profiles.md (generic)", text),
  interval: flag("--interval <time>", "time between two checks (the profile's)", written),
  fall: flag("--fall <n>", "failed checks until DOWN (the profile's)", whole(1, 100)),
  rise: flag("--rise <n>", "good checks until UP (2)", whole(1, 100)),
  checkTimeout: flag("--check-timeout <time>", "longest wait for a check's answer (1s)", written),
  buffer: flag("--buffer <time>", "LB buffer, instead of interval × fall + 5s", written),
  haproxyConfig: flag(
    "--haproxy-config <file>",
    "read the checks from a HAProxy configuration; - is stdin",
    fileOrStdin,
  ),
  backend: flag("--backend <name>", "only this backend of it", text),
  applicationStop: flag(
    "--application-stop <time>",
    "sidecar: the application's preStop",
    duration,
    defaults.applicationStop,
  ),
  margin: flag("--margin <time>", "spare time before SIGKILL (30s, sidecar 5s)", written),
  maxGracePeriod: flag("--max-grace-period <time>", "longest grace period (10m)", written),
  nodePort: flag("--node-port <n>", "the nodes' port of hc", whole(1, 65_535), defaults.nodePort),
  path: flag(
    "--path <path>",
    "what the balancer asks for",
    matching(/^\/[^\s?#]*$/, (typed) => `--path ${typed} is no path of a URL; write /health_check.html.`),
    defaults.path,
  ),
  namespace: flag("-n, --namespace <name>", "namespace of the policy", objectName, "edge"),
  name: flag("--name <name>", "name of the policy", objectName, "default"),
  output: flag(
    "-o, --output <format>",
    "text, yaml (the policy), json or markdown",
    format("text", "yaml", "json", "markdown"),
    "text",
  ),
};

/** What they say. */
export type PlanValues = Values<typeof planFlags>;

/** The command. */
export const plan = command({
  name: "plan",
  summary: "the numbers for a p99 and a balancer, and what to paste where",
  description: "work out the numbers for a p99 and a balancer",
  examples: [
    "gracegate plan --p99 30s --lb generic --interval 2s --fall 2",
    "gracegate plan --p99 30s --haproxy-config haproxy.cfg --backend gateways",
    "gracegate plan --lb aws-nlb-keep --p99 10s -o markdown > plan.md",
    "# the policy alone, for kubectl apply",
    "gracegate plan --p99 30s --lb f5 --namespace edge -o yaml",
    "# a sidecar whose application stops for 10s",
    "gracegate plan --role sidecar --drain-timeout 40s --application-stop 10s",
  ],
  flags: planFlags,
  load: () => import("./plan-run.ts"),
});
