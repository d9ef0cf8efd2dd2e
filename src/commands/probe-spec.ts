/**
 * From the words of `gracegate probe` to a spec: every combination that cannot work is refused here, before a request
 * is sent.
 */
import { sleepPath } from "../probe/once.ts";
import type { RunSpec, Scenario } from "../probe/run-spec.ts";
import { parseTarget, type Target } from "../probe/target.ts";
import { type Read, refused, value } from "./kit/read.ts";
import type { ProbeValues } from "./probe.ts";

/** The scenarios that can be named. */
const SCENARIOS = ["long", "load", "stream", "tcp"] as const;

/** Time that an answer may take beyond the length that was asked for. */
const PATIENCE_S = 30;

/** A held connection's timeout is three intervals, and at least this. */
const LEAST_TCP_TIMEOUT_MS = 3000;

/** Share of long requests where the target has them, unless it is said. */
const DEFAULT_LONG_SHARE = 0.02;

/** Reads the whole command line; a refusal names the flag. */
export function specOf(values: ProbeValues, [word, ...words]: readonly string[]): Read<RunSpec> {
  const name = SCENARIOS.find((known) => known === word);
  if (name === undefined) {
    return refused(`${JSON.stringify(word)} is not a scenario; there are ${SCENARIOS.join(", ")}.`);
  }
  const targets: Target[] = [];
  for (const one of words) {
    const parsed = parseTarget(one);
    if (!parsed.ok) return parsed;
    targets.push(parsed.target);
  }
  const isTcp = name === "tcp";
  if (targets.length === 0) return refused("no target is given; write http://host:port or tcp://host:port.");
  for (const { scheme, label } of targets) {
    if (isTcp !== ["tcp", "ws", "wss"].includes(scheme)) {
      const right = isTcp ? "tcp:// or ws://" : "http://";
      return refused(`the scenario ${name} cannot probe ${scheme}://${label}; write ${right}.`);
    }
  }
  const scenario = scenarioOf(name, values, targets);
  if (!scenario.ok) return scenario;
  const headers = headersOf(values);
  if (!headers.ok) return headers;
  const lengthMs = lengthOf(scenario.value);
  if (values.trigger?.trim() === "") return refused("--trigger is empty; leave it out, or give a command.");
  const isTriggered = values.trigger !== undefined || scenario.value.name === "watch";
  const { triggerAt } = values;
  if (isTriggered && triggerAt * 1000 >= lengthMs) {
    return refused(`--trigger-at ${triggerAt}s is not within the run, which lasts ${lengthMs / 1000} s.`);
  }
  return value({
    scenario: scenario.value,
    targets,
    http2: values.http2,
    client: {
      lanes: values.connections,
      headers: headers.value,
      backendHeader: values.backendHeader.toLowerCase(),
      ca: values.ca,
      insecure: values.insecure,
    },
    timeoutMs: values.timeout === undefined ? defaultTimeoutMs(scenario.value, values.seconds) : values.timeout * 1000,
    trigger: isTriggered ? { command: values.trigger, atMs: triggerAt * 1000 } : undefined,
    haproxyStats: values.haproxyStats,
  });
}

function scenarioOf(name: (typeof SCENARIOS)[number], values: ProbeValues, targets: readonly Target[]): Read<Scenario> {
  const { seconds, count, watchResets } = values;
  if (watchResets && name !== "long") {
    return refused(`--watch-resets goes with the scenario long, not with ${name}.`);
  }
  switch (name) {
    case "stream":
      return value({ name, chunks: values.chunks, count });
    case "tcp":
      return holdOf(values);
    case "load":
      return loadOf(values, targets);
    case "long":
      return value(
        watchResets ? { name: "watch", seconds, count, intervalMs: values.interval * 1000 } : { name, seconds, count },
      );
  }
}

function holdOf({ connections, rate: openRate, duration, interval, echo: echoes }: ProbeValues): Read<Scenario> {
  const openingS = connections / openRate;
  if (openingS >= duration) {
    return refused(
      `opening ${connections} connections at --rate ${openRate} takes ${openingS} s, and --duration is ${duration} s.`,
    );
  }
  return value({
    name: "tcp",
    connections,
    durationMs: duration * 1000,
    intervalMs: interval * 1000,
    openRate,
    echoes,
  });
}

function loadOf(values: ProbeValues, targets: readonly Target[]): Read<Scenario> {
  const { rate, duration, oneShot, longShare, longPath, mostInFlight, seconds } = values;
  const own = targets.find(({ path }) => path !== undefined);
  if (own !== undefined && longShare !== undefined && longPath === undefined) {
    return refused(`--long-share needs --long-path, since ${own.label} is probed at a path of your own.`);
  }
  const isLongKnown = own === undefined || longPath !== undefined;
  return value({
    name: "load",
    rate,
    durationMs: duration * 1000,
    oneShot,
    longShare: longShare ?? (isLongKnown ? DEFAULT_LONG_SHARE : 0),
    longPath: longPath ?? sleepPath(seconds),
    mostInFlight,
  });
}

/** How long a scenario starts or watches requests, milliseconds. */
function lengthOf(scenario: Scenario): number {
  if (scenario.name === "load" || scenario.name === "tcp") return scenario.durationMs;
  return (scenario.name === "stream" ? scenario.chunks : scenario.seconds) * 1000;
}

function defaultTimeoutMs(scenario: Scenario, longS: number): number {
  if (scenario.name === "tcp") return Math.max(3 * scenario.intervalMs, LEAST_TCP_TIMEOUT_MS);
  if (scenario.name === "stream") return (scenario.chunks + PATIENCE_S) * 1000;
  return ((scenario.name === "load" && scenario.longShare === 0 ? 0 : longS) + PATIENCE_S) * 1000;
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

function headersOf({ header: lines, http2 }: ProbeValues): Read<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([!-~][ -~\t]*)$/.exec(line);
    if (match === null) return refused(`--header ${JSON.stringify(line)} is not a header; write "name: value".`);
    const name = (match[1] ?? "").toLowerCase();
    if (http2 && CONNECTION_HEADERS.includes(name)) return refused(`HTTP/2 has no header ${name}.`);
    headers[name] = match[2] ?? "";
  }
  return value(headers);
}
