/**
 * What `gracegate plan` does: options and a HAProxy configuration become the settings of a policy, and a plan is made of
 * it.
 */
import { readFileSync } from "node:fs";
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
import { STDIN } from "../sources/manifest-files.ts";
import { parseDuration } from "../units/duration.ts";
import { systemReason } from "../units/system-error.ts";
import { colour, type ExitCode, exitCode, print, say, WrongUse } from "./command.ts";
import { defaults } from "./plan.ts";

type Options = Readonly<Record<string, unknown>>;

const FORMATS = ["text", "yaml", "json", "markdown"];

/** Runs the command. */
export async function run(options: Options): Promise<ExitCode> {
  const format = String(options.output);
  if (!FORMATS.includes(format)) throw new WrongUse(`-o ${format} is not a format; there are ${FORMATS.join(", ")}.`);
  const role = options.role;
  if (role !== "gateway" && role !== "sidecar") {
    throw new WrongUse(`--role ${String(role)} is no role; there are gateway and sidecar.`);
  }
  const name = objectName("--name", options.name);
  const namespace = objectName("--namespace", options.namespace);
  const path = pathOf(options.path);
  if (role === "gateway" && String(options.applicationStop) !== defaults.applicationStop) {
    throw new WrongUse("--application-stop goes with --role sidecar; a gateway has no application.");
  }
  const servers = serversOf(options);
  const choice = servers && chosen(servers);
  const made = planOf({
    role,
    name,
    namespace,
    settings: role === "gateway" ? gatewaySettings(options, choice) : sidecarSettings(options),
    applicationStop: duration("--application-stop", options.applicationStop) ?? 0,
    wayBack: choice?.wayBack,
  });
  if (!made.ok) throw new WrongUse(made.problems.map(lineOf).join("\n"));
  const reach: Reach = {
    nodePort: choice?.slowest.port ?? whole("--node-port", options.nodePort, 1, 65_535) ?? 0,
    path,
  };
  if (role === "gateway") sayAssumed(options, choice);
  for (const finding of choice?.findings ?? []) say(wrapText(finding, 80, "", "  "));
  switch (format) {
    case "yaml":
      print(stringify(made.plan.policy, { lineWidth: 0 }));
      break;
    case "json":
      print(
        JSON.stringify(
          { ...planData(made.plan, reach), ...(servers === undefined ? {} : { haproxyServers: servers }) },
          undefined,
          2,
        ),
      );
      break;
    case "markdown":
      print(planMarkdown(made.plan, reach));
      break;
    default:
      if (servers !== undefined) print(`${serverTable(servers)}\n`);
      print(
        planText(made.plan, reach, {
          title: (text) => colour("bold", text, process.stdout),
          number: (text) => colour("green", text, process.stdout),
          warning: (text) => colour("yellow", text, process.stdout),
        }),
      );
  }
  return exitCode.ok;
}

/** p99 unless somebody says it. */
const ASSUMED_P99 = "30s";

/** What nobody said, and what the plan took for it: the numbers are no better than that. */
function sayAssumed(options: Options, choice: HaproxyChoice | undefined): void {
  const assumed = [
    ...(options.p99 === undefined && options.drainTimeout === undefined
      ? [`a p99 of ${ASSUMED_P99} (--p99 says yours)`]
      : []),
    ...(options.lb === undefined && choice === undefined && options.interval === undefined
      ? ["a generic balancer (--lb says yours)"]
      : []),
  ];
  if (assumed.length > 0) say(wrapText(`Assumed: ${assumed.join(" and ")}.`, 80));
}

function gatewaySettings(options: Options, choice: HaproxyChoice | undefined): JsonObject {
  const profile = options.lb ?? choice?.profile ?? "generic";
  if (!LB_PROFILES.some((known) => known === profile)) {
    throw new WrongUse(`--lb ${String(profile)} is no profile; there are ${LB_PROFILES.join(", ")}.`);
  }
  const slowest = choice?.slowest;
  const fromFile: Record<string, JsonValue | undefined> =
    slowest === undefined
      ? {}
      : {
          checkInterval: written(slowest.interMs),
          checkFall: slowest.fall,
          checkRise: slowest.rise,
          checkTimeout: written(checkTimeoutMs(slowest)),
          answers: choice?.keepsSessions && options.lb === undefined ? { draining: { status: 503 } } : undefined,
        };
  return {
    ...drainOf(options, ASSUMED_P99),
    loadBalancer: given({
      profile: String(profile),
      ...fromFile,
      ...given({
        checkInterval: time("--interval", options.interval),
        checkFall: whole("--fall", options.fall, 1, 100),
        checkRise: whole("--rise", options.rise, 1, 100),
        checkTimeout: time("--check-timeout", options.checkTimeout),
        buffer: time("--buffer", options.buffer),
      }),
    }),
    ...limitsOf(options),
    ...(options.path === defaults.path ? {} : { hc: { healthPaths: [pathOf(options.path)] } }),
  };
}

/** Where the balancer asks. */
function pathOf(value: unknown): string {
  const path = String(value);
  if (!/^\/[^\s?#]*$/.test(path)) throw new WrongUse(`--path ${path} is no path of a URL; write /health_check.html.`);
  return path;
}

/** A name as Kubernetes takes it for an object. */
function objectName(flag: string, value: unknown): string {
  const name = String(value);
  if (name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) return name;
  throw new WrongUse(`${flag} ${name} is no name that Kubernetes takes; write small letters, digits and dashes.`);
}

function sidecarSettings(options: Options): JsonObject {
  const flags = ["lb", "interval", "fall", "rise", "checkTimeout", "buffer", "haproxyConfig"];
  const wrong =
    flags.find((name) => options[name] !== undefined) ??
    (["nodePort", "path"] as const).find((name) => options[name] !== defaults[name]);
  if (wrong !== undefined) {
    const flag = wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new WrongUse(`--${flag} goes with --role gateway; no balancer asks a sidecar.`);
  }
  return { ...drainOf(options, undefined), ...limitsOf(options) };
}

function drainOf(options: Options, fallback: string | undefined): JsonObject {
  if (options.p99 !== undefined && options.drainTimeout !== undefined) {
    throw new WrongUse("--p99 and --drain-timeout say one thing in two ways; give one of them.");
  }
  const drainTimeout = time("--drain-timeout", options.drainTimeout);
  if (drainTimeout !== undefined) return { drainTimeout };
  return given({ requestP99: time("--p99", options.p99) ?? fallback });
}

function limitsOf(options: Options): JsonObject {
  return given({
    margin: time("--margin", options.margin),
    maxGracePeriod: time("--max-grace-period", options.maxGracePeriod),
  });
}

/** Without the fields that nobody gave. */
function given(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

/** A duration as it was written, once it is known to be one; a bare number means seconds. */
function time(flag: string, value: unknown): string | undefined {
  if (duration(flag, value) === undefined) return undefined;
  return /^[0-9]+$/.test(String(value)) ? `${String(value)}s` : String(value);
}

function duration(flag: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const parsed = parseDuration(value);
  if (!parsed.ok) {
    throw new WrongUse(`${flag} ${String(value)} is not a duration: ${parsed.reason}; write 36s or 1m30s.`);
  }
  return parsed.seconds;
}

function whole(flag: string, value: unknown, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = /^[0-9]+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (Number.isNaN(number) || number < least || number > most) {
    throw new WrongUse(`${flag} ${String(value)} is not a whole number from ${least} to ${most}.`);
  }
  return number;
}

function written(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${Math.ceil(ms)}ms`;
}

function serversOf(options: Options): readonly HaproxyServer[] | undefined {
  if (options.haproxyConfig === undefined) {
    if (options.backend !== undefined) throw new WrongUse("--backend goes with --haproxy-config.");
    return undefined;
  }
  const file = String(options.haproxyConfig);
  let text: string;
  try {
    text = readFileSync(file === STDIN ? 0 : file, "utf8");
  } catch (error) {
    throw new WrongUse(`--haproxy-config ${file} cannot be read: ${systemReason(error)}.`);
  }
  const all = haproxyServers(text);
  const servers = options.backend === undefined ? all : all.filter(({ backend }) => backend === options.backend);
  if (servers.length > 0) return servers;
  const backends = [...new Set(all.map(({ backend }) => backend))];
  throw new WrongUse(
    backends.length === 0
      ? `${file} has no backend with a server line.`
      : `${file} has no backend ${String(options.backend)} with a server line; there are ${backends.join(", ")}.`,
  );
}

function chosen(servers: readonly HaproxyServer[]): HaproxyChoice {
  const choice = chooseServer(servers);
  if (choice === undefined) throw new WrongUse("no server line has the word check, so HAProxy checks nothing.");
  return choice;
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
