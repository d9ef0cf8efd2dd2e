/**
 * From the words of `gracegate probe` to a spec: every combination that cannot work is refused here, before a request
 * is sent.
 */
import { X509Certificate } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { sleepPath } from "../probe/once.ts";
import type { RunSpec, Scenario } from "../probe/run-spec.ts";
import { parseTarget, type Target } from "../probe/target.ts";
import type { Thresholds } from "../probe/verdict.ts";
import { parseDuration } from "../units/duration.ts";
import { systemReason } from "../units/system-error.ts";
import { WrongUse } from "./command.ts";

/** The scenarios that can be named. */
export const scenarioNames = ["long", "load", "stream", "tcp"] as const;

/** The options as commander gives them: texts, lists and flags. */
export type Options = Readonly<Record<string, unknown>>;

/** Time that an answer may take beyond the length that was asked for. */
const PATIENCE_S = 30;

/** A held connection's timeout is three intervals, and at least this. */
const LEAST_TCP_TIMEOUT_MS = 3000;

/**
 * Reads the whole command line.
 *
 * @throws WrongUse with a sentence that names the option
 */
export function specOf(options: Options, args: readonly string[]): RunSpec {
  const [name, ...words] = args;
  if (!scenarioNames.some((known) => known === name)) {
    throw new WrongUse(`${JSON.stringify(name)} is not a scenario; there are ${scenarioNames.join(", ")}.`);
  }
  const targets = words.map(targetOf);
  const isTcp = name === "tcp";
  if (targets.length === 0) throw new WrongUse("no target is given; write http://host:port or tcp://host:port.");
  for (const { scheme, label } of targets) {
    if (isTcp !== ["tcp", "ws", "wss"].includes(scheme)) {
      const right = isTcp ? "tcp:// or ws://" : "http://";
      throw new WrongUse(`the scenario ${name} cannot probe ${scheme}://${label}; write ${right}.`);
    }
  }
  const scenario = scenarioOf(name ?? "", options, targets);
  const triggerAtMs = duration(options, "triggerAt") * 1000;
  const lengthMs = lengthOf(scenario);
  if (options.trigger !== undefined && String(options.trigger).trim() === "") {
    throw new WrongUse("--trigger is empty; leave it out, or give a command.");
  }
  const isTriggered = options.trigger !== undefined || scenario.name === "watch";
  if (isTriggered && triggerAtMs >= lengthMs) {
    throw new WrongUse(`--trigger-at ${triggerAtMs / 1000}s is not within the run, which lasts ${lengthMs / 1000} s.`);
  }
  return {
    scenario,
    targets,
    http2: options.http2 === true,
    client: {
      lanes: whole(options, "connections", 1),
      headers: headersOf(options),
      backendHeader: String(options.backendHeader).toLowerCase(),
      ca: options.ca === undefined ? undefined : authorityOf(String(options.ca)),
      insecure: options.insecure === true,
    },
    timeoutMs:
      options.timeout === undefined ? defaultTimeoutMs(scenario, options) : duration(options, "timeout") * 1000,
    trigger: isTriggered
      ? { command: options.trigger === undefined ? undefined : String(options.trigger), atMs: triggerAtMs }
      : undefined,
    haproxyStats: options.haproxyStats === undefined ? undefined : String(options.haproxyStats),
  };
}

/** Reads the thresholds. */
export function thresholdsOf(options: Options): Thresholds {
  const limit = (name: string) => (options[name] === undefined ? undefined : whole(options, name, 0));
  return { maxLost: limit("maxLost"), max5xx: limit("max5xx"), maxConnectionErrors: limit("maxConnectionErrors") };
}

function scenarioOf(name: string, options: Options, targets: readonly Target[]): Scenario {
  if (options.watchResets === true && name !== "long") {
    throw new WrongUse(`--watch-resets goes with the scenario long, not with ${name}.`);
  }
  const seconds = duration(options, "seconds");
  const count = whole(options, "count", 1);
  const durationMs = duration(options, "duration") * 1000;
  switch (name) {
    case "stream":
      return { name, chunks: whole(options, "chunks", 1), count };
    case "tcp":
      return holdOf(options, durationMs);
    case "load":
      return loadOf(options, targets, seconds, durationMs);
    default:
      return options.watchResets === true
        ? { name: "watch", seconds, count, intervalMs: duration(options, "interval") * 1000 }
        : { name: "long", seconds, count };
  }
}

function holdOf(options: Options, durationMs: number): Scenario {
  const connections = whole(options, "connections", 1);
  const openRate = whole(options, "rate", 1);
  const openingS = connections / openRate;
  if (openingS * 1000 >= durationMs) {
    throw new WrongUse(
      `opening ${connections} connections at --rate ${openRate} takes ${openingS} s, and --duration is ${durationMs / 1000} s.`,
    );
  }
  const intervalMs = duration(options, "interval") * 1000;
  return { name: "tcp", connections, durationMs, intervalMs, openRate, echoes: options.echo !== false };
}

function loadOf(options: Options, targets: readonly Target[], seconds: number, durationMs: number): Scenario {
  const own = targets.find(({ path }) => path !== undefined);
  if (own !== undefined && options.longShare !== undefined && options.longPath === undefined) {
    throw new WrongUse(`--long-share needs --long-path, since ${own.label} is probed at a path of your own.`);
  }
  const isLongKnown = own === undefined || options.longPath !== undefined;
  return {
    name: "load",
    rate: whole(options, "rate", 1),
    durationMs,
    oneShot: share(options, "oneShot"),
    longShare: options.longShare === undefined ? (isLongKnown ? DEFAULT_LONG_SHARE : 0) : share(options, "longShare"),
    longPath: options.longPath === undefined ? sleepPath(seconds) : pathOf("--long-path", String(options.longPath)),
    mostInFlight: whole(options, "mostInFlight", 1),
  };
}

const DEFAULT_LONG_SHARE = 0.02;

/** How long a scenario starts or watches requests, milliseconds. */
function lengthOf(scenario: Scenario): number {
  if (scenario.name === "load" || scenario.name === "tcp") return scenario.durationMs;
  return (scenario.name === "stream" ? scenario.chunks : scenario.seconds) * 1000;
}

function defaultTimeoutMs(scenario: Scenario, options: Options): number {
  if (scenario.name === "tcp") return Math.max(3 * scenario.intervalMs, LEAST_TCP_TIMEOUT_MS);
  const longestS = {
    long: () => duration(options, "seconds"),
    watch: () => duration(options, "seconds"),
    load: () => (scenario.name === "load" && scenario.longShare > 0 ? duration(options, "seconds") : 0),
    stream: () => whole(options, "chunks", 1),
  };
  return (longestS[scenario.name]() + PATIENCE_S) * 1000;
}

function targetOf(word: string): Target {
  const parsed = parseTarget(word);
  if (!parsed.ok) throw new WrongUse(parsed.reason);
  return parsed.target;
}

/** Reads a duration of at least a second. */
export function duration(options: Options, name: string): number {
  const parsed = parseDuration(options[name]);
  if (!parsed.ok) throw new WrongUse(`${flag(name)} ${options[name]} is not a duration: ${parsed.reason}.`);
  if (parsed.seconds === 0) throw new WrongUse(`${flag(name)} must be 1s or more.`);
  return parsed.seconds;
}

/** Reads a whole number. */
export function whole(options: Options, name: string, least: number, most = 1_000_000): number {
  const text = String(options[name]);
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new WrongUse(`${flag(name)} ${text} is not a whole number from ${least} to ${most}.`);
  }
  return value;
}

function share(options: Options, name: string): number {
  const text = String(options[name]);
  const value = text === "" ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= 1)) throw new WrongUse(`${flag(name)} ${text} is not a share from 0 to 1.`);
  return value;
}

/** Headers that HTTP/2 has no place for (RFC 9113 8.2.2). */
const CONNECTION_HEADERS = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "te",
  "http2-settings",
];

function headersOf({ header: lines, http2 }: Options): Record<string, string> {
  return Object.fromEntries(
    ((lines ?? []) as readonly string[]).map((line) => {
      const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([!-~][ -~\t]*)$/.exec(line);
      if (match === null) throw new WrongUse(`--header ${JSON.stringify(line)} is not a header; write "name: value".`);
      const name = (match[1] ?? "").toLowerCase();
      if (http2 === true && CONNECTION_HEADERS.includes(name)) throw new WrongUse(`HTTP/2 has no header ${name}.`);
      return [name, match[2] ?? ""];
    }),
  );
}

/** Reads an authority; one that is none would fail at every connection. */
function authorityOf(path: string): string {
  const ca = fileOf("--ca", path);
  try {
    new X509Certificate(ca);
  } catch {
    throw new WrongUse(`--ca ${path} has no PEM certificate in it.`);
  }
  return ca;
}

/** Reads a path, as it stands in a request line. */
function pathOf(option: string, text: string): string {
  if (/^\/[!-~]*$/.test(text)) return text;
  throw new WrongUse(`${option} ${JSON.stringify(text)} is not a path; it begins with / and has no spaces.`);
}

/** Says at once that a file could not be written at the end. */
export function writableFile(option: string, path: string): string {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch {
    throw new WrongUse(`${option} ${path} cannot be written: there is no such folder, or it is not yours.`);
  }
  return path;
}

/** Reads a file that an option names. */
export function fileOf(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new WrongUse(`${option} ${path} cannot be read: ${systemReason(error)}.`);
  }
}

function flag(name: string): string {
  return `--${name.replace(/[A-Z0-9]+/g, (part) => (/^[0-9]/.test(part) ? `-${part}` : `-${part.toLowerCase()}`))}`;
}
