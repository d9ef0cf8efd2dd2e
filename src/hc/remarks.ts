/**
 * What hc remarks on while it works: hidden stats, a silent load balancer, what a drain waits for, and why it could do no
 * better.
 */
import type { Configuration } from "./configuration.ts";
import type { Situation } from "./due.ts";
import type { Findings } from "./findings.ts";
import { seconds } from "./history.ts";
import type { Log } from "./log.ts";
import type { Instant, Transition } from "./machine.ts";

/** After how long a load balancer that does not ask is a finding, milliseconds. */
const LB_SILENT_MS = 60_000;

/** How often a drain says what it waits for, milliseconds, unless that changes. */
const WAITING_MS = 10_000;

/** Polls in a row that an admin port must not answer, while the proxy is ready, to be taken for the wrong one. */
const WRONG_PORT_POLLS = 3;

/** How a port answers that is not Envoy's; a silent one may be Envoy, busy with a dump of its stats. */
const NOT_ENVOY: Readonly<Record<string, string>> = {
  refused: "refuses connections",
  garbled: "answers no stats",
  status: "does not know /stats",
};

/** The remarks. */
export class Remarks {
  readonly #findings: Findings;
  readonly #log: Log;
  readonly #configuration: Configuration;
  #wrongPolls = 0;
  #waiting: { readonly on: string; readonly at: Instant } = { on: "", at: 0 };

  constructor(findings: Findings, log: Log, configuration: Configuration) {
    this.#findings = findings;
    this.#log = log;
    this.#configuration = configuration;
  }

  /**
   * After a poll of the stats.
   *
   * @param failure why it brought nothing
   */
  onStats({ machine, view }: Situation, failure: string | undefined, now: Instant): void {
    const { reading } = view;
    this.#onAdminPort(failure, view.isReady);
    if (reading !== undefined && reading.hidden.length > 0) this.#findings.add("GG701", { suffixes: reading.hidden });
    if (reading !== undefined && reading.hidden.length === 0) this.#findings.remove("GG701");
    if (machine.phase !== "draining" && machine.phase !== "overdue") return;
    const biggest = reading?.waitingOn[0];
    const on = failure === undefined ? (biggest?.stat ?? "quiet") : `stats (${failure})`;
    if (on === this.#waiting.on && now - this.#waiting.at < WAITING_MS) return;
    this.#waiting = { on, at: now };
    const elapsed = `${seconds(now - machine.since).toFixed(1)}s`;
    this.#log("info", "waiting", { on, value: biggest?.value, inFlight: reading?.inFlight, elapsed });
  }

  #onAdminPort(failure: string | undefined, isReady: boolean): void {
    const how = failure === undefined || !isReady ? undefined : NOT_ENVOY[failure];
    this.#wrongPolls = how === undefined ? 0 : this.#wrongPolls + 1;
    if (failure === undefined) this.#findings.remove("GG705");
    if (how !== undefined && this.#wrongPolls >= WRONG_PORT_POLLS) {
      this.#findings.add("GG705", { port: this.#configuration.adminPort, how });
    }
  }

  /** A silent load balancer is a finding while OPEN only: during a drain a replacement may have taken its checks. */
  onLbSilence({ machine }: Situation, askedAt: Instant | undefined, now: Instant): void {
    const silentMs = now - Math.max(machine.since, askedAt ?? 0);
    if (machine.phase !== "open" || silentMs < LB_SILENT_MS) {
      this.#findings.remove("GG703");
      return;
    }
    if (this.#findings.has("GG703")) return;
    const { healthPaths, healthPort } = this.#configuration;
    this.#findings.add("GG703", { seconds: Math.floor(silentMs / 1000), paths: healthPaths, port: healthPort });
  }

  /** Without a drain answer, new requests keep coming until the 503: hc cannot do better, and says so. */
  onTransition({ to, result }: Transition, inFlight: number | undefined): void {
    if (to === "open") this.#findings.remove("GG702");
    const { hasDrainAnswer, profile } = this.#configuration;
    if (hasDrainAnswer || (result !== "timeout" && result !== "busy")) return;
    this.#findings.add("GG702", { profile, inFlight: String(inFlight ?? "an unknown number") });
  }
}
