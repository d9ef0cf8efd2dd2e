/**
 * From the server lines of a HAProxy configuration to the settings of a plan: the slowest check decides, since every
 * gateway must be right for its own server line.
 */
import type { Formula } from "../../budget/formula.ts";
import { loadBalancerOf } from "../../budget/load-balancer.ts";
import { minReadyOfDown } from "../../budget/min-ready.ts";
import { level, type Sourced } from "../../policy/layers.ts";
import { type Milliseconds, ms, seconds } from "../../units/milliseconds.ts";
import type { HaproxyServer } from "../haproxy-config.ts";

/** What the configuration says for a plan. */
export interface HaproxyChoice {
  /** The server line that decides. */
  readonly slowest: HaproxyServer;
  readonly profile: "haproxy" | "generic";
  /** HAProxy keeps sessions on DOWN and has no 404 drain answer: 503 can be the drain answer. */
  readonly keepsSessions: boolean;
  /** How long the slowest way back to UP takes, where downinter or fastinter make it another than rise × inter. */
  readonly wayBack: Formula | undefined;
  /** Sentences about the lines. */
  readonly findings: readonly string[];
}

/** Chooses from the servers of the wanted backend, or of all; undefined where none is checked. */
export function chooseServer(servers: readonly HaproxyServer[]): HaproxyChoice | undefined {
  const checked = servers.filter(({ check }) => check);
  const [first, ...others] = checked;
  if (first === undefined) return undefined;
  const slowest = others.reduce((a, b) => (bufferOf(b) > bufferOf(a) ? b : a), first);
  const drains = checked.every(({ disableOn404 }) => disableOn404);
  return {
    slowest,
    profile: drains ? "haproxy" : "generic",
    keepsSessions: !drains && checked.every(({ shutdownSessions }) => !shutdownSessions),
    wayBack: wayBackOf(checked),
    findings: findingsOf(servers, checked, slowest),
  };
}

/** How long HAProxy waits for a check's answer: without `timeout check` its `inter` holds for all of it. */
export function checkTimeoutMs({ timeoutCheckMs, interMs }: HaproxyServer): number {
  return timeoutCheckMs ?? interMs;
}

function wayBackOf(checked: readonly HaproxyServer[]): Formula | undefined {
  const ways = checked
    .filter(({ fastInterMs, downInterMs }) => fastInterMs !== undefined || downInterMs !== undefined)
    .map((server) => {
      const { interMs, fastInterMs = interMs, downInterMs = interMs, rise } = server;
      return minReadyOfDown({
        checkTimeout: ms(checkTimeoutMs(server)),
        first: ms(downInterMs),
        others: rise - 1,
        interval: ms(fastInterMs),
      });
    });
  return ways.toSorted((a, b) => b.value - a.value)[0];
}

function bufferOf({ interMs, fall }: HaproxyServer): Milliseconds {
  const built = <T>(value: T): Sourced<T> => ({ value, level: level.builtIn, origin: "" });
  return loadBalancerOf({
    profile: built("haproxy"),
    checkInterval: built(ms(interMs)),
    checkFall: built(fall),
    checkRise: built(2),
    checkTimeout: built(seconds(1)),
    buffer: undefined,
    answers: {},
  }).lbBuffer.value;
}

function findingsOf(
  servers: readonly HaproxyServer[],
  checked: readonly HaproxyServer[],
  slowest: HaproxyServer,
): readonly string[] {
  const named = (list: readonly HaproxyServer[]) =>
    list.map(({ backend, server }) => `${backend}/${server}`).join(", ");
  const unchecked = servers.filter(({ check }) => !check);
  const tcp = checked.filter(({ httpCheck }) => !httpCheck);
  const mute = checked.filter(({ disableOn404 }) => !disableOn404);
  const killing = checked.filter(({ shutdownSessions }) => shutdownSessions);
  const secret = checked.filter(({ checkSsl }) => checkSsl);
  const slow = checked.filter(({ fastInterMs, downInterMs }) => fastInterMs !== undefined || downInterMs !== undefined);
  const uneven = checked.some(({ interMs, fall }) => interMs !== slowest.interMs || fall !== slowest.fall);
  return [
    ...(unchecked.length > 0 ? [`${named(unchecked)}: no check, so HAProxy never learns that it leaves.`] : []),
    ...(tcp.length > 0
      ? [`${named(tcp)}: the check is a TCP connect and cannot read hc's answer; option httpchk.`]
      : []),
    ...(mute.length > 0 && mute.length < checked.length
      ? [`${named(mute)}: no http-check disable-on-404, unlike the others; the plan is made without it.`]
      : []),
    ...(killing.length > 0 && mute.length > 0
      ? [`${named(killing)}: on-marked-down shutdown-sessions cuts what is in flight when the server goes DOWN.`]
      : []),
    ...checked.flatMap((server) =>
      Object.entries(server.unread).map(
        ([name, value]) =>
          `${named([server])}: ${name} ${value} cannot be read here; ${takenFor(server, name)} is taken for it.`,
      ),
    ),
    ...(secret.length > 0
      ? [`${named(secret)}: check-ssl, but hc answers plain HTTP, so every check fails; no-check-ssl.`]
      : []),
    ...(slow.length > 0
      ? [
          `${named(slow)}: downinter or fastinter decide how soon a gateway is UP again; minReadySeconds counts with them, which the policy cannot say.`,
        ]
      : []),
    ...(uneven
      ? [`The servers are not checked alike; ${slowest.backend}/${slowest.server} is the slowest and decides.`]
      : []),
    ...checked
      .filter(({ port }) => port === undefined)
      .slice(0, 1)
      .map(
        () =>
          `${named(checked.filter(({ port }) => port === undefined))}: no check port, so the check asks the traffic's port; hc has its own.`,
      ),
  ];
}

/** The value in force in place of one that cannot be read. */
function takenFor(server: HaproxyServer, name: string): string {
  const counts: Readonly<Record<string, number | undefined>> = {
    fall: server.fall,
    rise: server.rise,
    port: server.port,
  };
  if (Object.hasOwn(counts, name)) return counts[name] === undefined ? "the traffic's" : String(counts[name]);
  return `${server.interMs} ms`;
}
