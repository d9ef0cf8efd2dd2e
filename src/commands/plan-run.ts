/**
 * What `gracegate plan` does: options and a HAProxy configuration become the settings of a policy, and a plan is made of
 * it.
 */
import { stringify } from "yaml";
import { LB_PROFILES } from "../balancers/profiles.ts";
import { lineOf } from "../codes/registry.ts";
import type { JsonObject, JsonValue } from "../pod/json.ts";
import { aligned } from "../report/aligned.ts";
import { type HaproxyServer, haproxyServers } from "../report/haproxy-config.ts";
import { checkTimeoutMs, chooseServer, type HaproxyChoice } from "../report/plan/haproxy-choice.ts";
import { planOf } from "../report/plan/plan.ts";
import { planData, type Reach } from "../report/plan/present.ts";
import { planMarkdown, planText } from "../report/plan/text.ts";
import { wrapText } from "../report/wrap-text.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { type Read, type Refusal, refused, value } from "./kit/read.ts";
import { paint, print, printJson, say } from "./kit/say.ts";
import { defaults, type PlanValues } from "./plan.ts";

/** Runs the command. */
export async function run(values: PlanValues): Promise<ExitCode | Refusal> {
  const { role, name, namespace, path, applicationStop } = values;
  if (role === "gateway" && applicationStop > 0) {
    return refused("--application-stop goes with --role sidecar; a gateway has no application.");
  }
  const read = serversOf(values);
  if (!read.ok) return read;
  const servers = read.value;
  const choice = servers && chooseServer(servers);
  if (servers !== undefined && choice === undefined) {
    return refused("no server line has the word check, so HAProxy checks nothing.");
  }
  const settings = role === "gateway" ? gatewaySettings(values, choice) : sidecarSettings(values);
  if (!settings.ok) return settings;
  const made = planOf({
    role,
    name,
    namespace,
    settings: settings.value,
    applicationStop,
    wayBack: choice?.wayBack,
  });
  if (!made.ok) return refused(made.problems.map(lineOf).join("\n"));
  const reach: Reach = { nodePort: choice?.slowest.port ?? values.nodePort, path };
  if (role === "gateway") sayAssumed(values, choice);
  for (const finding of choice?.findings ?? []) say(wrapText(finding, 80, "", "  "));
  switch (values.output) {
    case "yaml":
      print(stringify(made.plan.policy, { lineWidth: 0 }));
      break;
    case "json":
      printJson({ ...planData(made.plan, reach), ...(servers === undefined ? {} : { haproxyServers: servers }) });
      break;
    case "markdown":
      print(planMarkdown(made.plan, reach));
      break;
    default:
      if (servers !== undefined) print(`${serverTable(servers)}\n`);
      print(planText(made.plan, reach, paint));
  }
  return exitCode.ok;
}

/** p99 unless somebody says it. */
const ASSUMED_P99 = "30s";

/** What nobody said, and what the plan took for it: the numbers are no better than that. */
function sayAssumed(values: PlanValues, choice: HaproxyChoice | undefined): void {
  const assumed = [
    ...(values.p99 === undefined && values.drainTimeout === undefined
      ? [`a p99 of ${ASSUMED_P99} (--p99 says yours)`]
      : []),
    ...(values.lb === undefined && choice === undefined && values.interval === undefined
      ? ["a generic balancer (--lb says yours)"]
      : []),
  ];
  if (assumed.length > 0) say(wrapText(`Assumed: ${assumed.join(" and ")}.`, 80));
}

function gatewaySettings(values: PlanValues, choice: HaproxyChoice | undefined): Read<JsonObject> {
  const profile = values.lb ?? choice?.profile ?? "generic";
  if (!LB_PROFILES.some((known) => known === profile)) {
    return refused(`--lb ${profile} is no profile; there are ${LB_PROFILES.join(", ")}.`);
  }
  const drain = drainOf(values, ASSUMED_P99);
  if (!drain.ok) return drain;
  const slowest = choice?.slowest;
  const fromFile =
    slowest === undefined
      ? {}
      : given({
          checkInterval: written(slowest.interMs),
          checkFall: slowest.fall,
          checkRise: slowest.rise,
          checkTimeout: written(checkTimeoutMs(slowest)),
          answers: choice?.keepsSessions && values.lb === undefined ? { draining: { status: 503 } } : undefined,
        });
  return value({
    ...drain.value,
    loadBalancer: {
      profile,
      ...fromFile,
      ...given({
        checkInterval: values.interval,
        checkFall: values.fall,
        checkRise: values.rise,
        checkTimeout: values.checkTimeout,
        buffer: values.buffer,
      }),
    },
    ...limitsOf(values),
    ...(values.path === defaults.path ? {} : { hc: { healthPaths: [values.path] } }),
  });
}

/** Flags that say something of a balancer, and what holds for each unless it is said. */
const OF_BALANCERS = {
  lb: undefined,
  interval: undefined,
  fall: undefined,
  rise: undefined,
  "check-timeout": undefined,
  buffer: undefined,
  "haproxy-config": undefined,
  "node-port": Number(defaults.nodePort),
  path: defaults.path,
};

function sidecarSettings(values: PlanValues): Read<JsonObject> {
  const said = {
    ...values,
    "check-timeout": values.checkTimeout,
    "haproxy-config": values.haproxyConfig,
    "node-port": values.nodePort,
  };
  const wrong = (Object.keys(OF_BALANCERS) as (keyof typeof OF_BALANCERS)[]).find(
    (name) => said[name] !== OF_BALANCERS[name],
  );
  if (wrong !== undefined) return refused(`--${wrong} goes with --role gateway; no balancer asks a sidecar.`);
  const drain = drainOf(values, undefined);
  return drain.ok ? value({ ...drain.value, ...limitsOf(values) }) : drain;
}

function drainOf({ p99, drainTimeout }: PlanValues, fallback: string | undefined): Read<JsonObject> {
  if (p99 !== undefined && drainTimeout !== undefined) {
    return refused("--p99 and --drain-timeout say one thing in two ways; give one of them.");
  }
  return value(given(drainTimeout !== undefined ? { drainTimeout } : { requestP99: p99 ?? fallback }));
}

function limitsOf({ margin, maxGracePeriod }: PlanValues): JsonObject {
  return given({ margin, maxGracePeriod });
}

/** Without the fields that nobody gave. */
function given(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

function written(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${Math.ceil(ms)}ms`;
}

function serversOf({ haproxyConfig, backend }: PlanValues): Read<readonly HaproxyServer[] | undefined> {
  if (haproxyConfig === undefined) {
    return backend === undefined ? value(undefined) : refused("--backend goes with --haproxy-config.");
  }
  const { file, text } = haproxyConfig;
  const all = haproxyServers(text);
  const servers = backend === undefined ? all : all.filter((one) => one.backend === backend);
  if (servers.length > 0) return value(servers);
  const backends = [...new Set(all.map((one) => one.backend))];
  return refused(
    backends.length === 0
      ? `${file} has no backend with a server line.`
      : `${file} has no backend ${String(backend)} with a server line; there are ${backends.join(", ")}.`,
  );
}

function serverTable(servers: readonly HaproxyServer[]): string {
  const rows = servers.map((one) => [
    `${one.backend}/${one.server}`,
    one.check ? written(one.interMs) : "no check",
    one.check ? String(one.fall) : "",
    one.check ? String(one.rise) : "",
    one.port === undefined ? "own" : String(one.port),
    one.disableOn404 ? "yes" : "no",
    one.shutdownSessions ? "cut" : "kept",
  ]);
  const head = ["server", "inter", "fall", "rise", "port", "404 drains", "sessions"];
  return aligned([head, ...rows]);
}
