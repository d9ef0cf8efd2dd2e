/**
 * The loop around the state machine: it looks at the proxy, feeds what it sees and what operators wish into the table,
 * and carries out the actions.
 *
 * Four loops run side by side, each waiting on its own: readiness, stats (one poll at a time), the clock, and what Envoy
 * is to be told. None holds up another: an admin port that hangs delays neither an answer nor a transition that is due.
 */

import { version } from "../version.ts";
import type { PhaseAnswers } from "./answers.ts";
import type { Configuration } from "./configuration.ts";
import type { WishResult } from "./control-server.ts";
import { apply, type Outcome, settle } from "./core.ts";
import { pause } from "./deadline.ts";
import { mustExit, mustQuit, nextDecisionAt, type Situation } from "./due.ts";
import { pollStats, quitProxy } from "./envoy-admin.ts";
import { Findings } from "./findings.ts";
import { HeldRequests } from "./held-requests.ts";
import { History, seconds } from "./history.ts";
import type { Fields, Log } from "./log.ts";
import { type Instant, isDraining, machineAt, type Transition } from "./machine.ts";
import type { Measures, Moment } from "./measures.ts";
import { readinessPauseMs, statsPauseMs } from "./pace.ts";
import { lookAtReadiness } from "./proxy-readiness.ts";
import { Remarks } from "./remarks.ts";
import { Retirement } from "./retirement.ts";
import { type EventName, FAULT_PHASES, FAULTS, phases } from "./states.ts";
import { type Status, statusOf } from "./status.ts";
import { knownInFlight, nothingSeen, seenReadiness, seenStats, type View } from "./view.ts";

/** How long one answer about readiness may take, milliseconds; a proxy that is slow to say so is ready all the same. */
const LOOK_MS = 3000;

/** What the controller is given. */
export interface ControllerOptions {
  readonly configuration: Configuration;
  readonly log: Log;
  readonly measures: Measures;
  /** A monotonic clock, milliseconds. */
  readonly now: () => Instant;
}

/** The health controller at work. */
export class Controller {
  readonly held: HeldRequests;
  readonly findings: Findings;
  readonly history = new History();
  readonly #options: ControllerOptions;
  readonly #retirement: Retirement;
  readonly #remarks: Remarks;
  readonly #ended = new AbortController();
  #changed = new AbortController();
  #situation: Situation;
  #quit: "not yet" | "asking" | "done" = "not yet";
  #askedAt: Instant | undefined;

  constructor(options: ControllerOptions) {
    const { configuration, now } = options;
    this.#options = options;
    this.findings = new Findings(options.log);
    this.#remarks = new Remarks(this.findings, options.log, configuration);
    this.#retirement = new Retirement(configuration.adminPort, configuration.retires);
    this.held = new HeldRequests(() => {
      if (this.#situation.machine.phase === "closed") return "over";
      return isDraining(this.#situation.machine) ? "under-way" : "none";
    }, configuration.hookToken);
    this.#situation = {
      machine: machineAt(now()),
      view: nothingSeen,
      timing: configuration.timing,
      retires: configuration.retires,
    };
  }

  /** What is answered at this moment. */
  answers(): PhaseAnswers {
    return this.#options.configuration.answers[this.#situation.machine.phase];
  }

  /** The load balancer was answered. Hot. */
  answered(status: number): void {
    this.#askedAt = this.#options.now();
    this.#options.measures.answered(status);
  }

  /** Takes an event from outside: a signal, or an operator's wish. */
  wish(event: EventName): WishResult {
    const before = this.#situation.machine;
    const outcome = apply(this.#situation, event, this.#options.now());
    this.#take(outcome);
    if (outcome.transitions.length === 0) {
      const state = phases[before.phase];
      this.#options.log("info", "wish", { wish: event, state, refused: outcome.refused });
    }
    const comesBack = event === "reopen" && before.phase === "closing" && outcome.refused === undefined;
    return {
      refused: outcome.refused,
      warning: comesBack
        ? "the load balancer saw the close answer and may be DOWN; it comes back after rise x interval of good checks"
        : undefined,
    };
  }

  /** Looks at the proxy once, before anything is answered: the first answer has to be right. */
  async look(timeoutMs: number): Promise<void> {
    const look = await lookAtReadiness(this.#options.configuration, timeoutMs, this.#ended.signal);
    const now = this.#options.now();
    this.#observe(seenReadiness(this.#situation.view, look, now), now);
  }

  /** Runs until the proxy is gone after CLOSED, or the deadline has come. */
  async run(): Promise<void> {
    await Promise.all([
      this.#repeat("readiness", () => this.#watchReadiness()),
      this.#repeat("stats", () => this.#watchStats()),
      this.#repeat("clock", () => this.#watchClock()),
      this.#repeat("connections", () => this.#steerConnections()),
    ]);
  }

  /** Logs and counts an error that nobody expected. */
  survive(where: string, error: unknown): void {
    this.#options.measures.failed();
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#options.log("error", "unexpected-error", { where, message });
  }

  /** The JSON of `/status`. */
  status(): Status {
    const { machine } = this.#situation;
    return statusOf(this.#situation, this.#options.now(), {
      result: isDraining(machine) ? this.history.result : undefined,
      history: this.history.entries,
      findings: this.findings.current,
      retired: this.#retirement.told === "retire",
      heldRequests: this.held.count,
      secondsSinceAsked: this.#secondsSinceAsked(),
      profile: this.#options.configuration.profile,
      unexpectedErrors: this.#options.measures.errors,
    });
  }

  /** What the metrics show at this moment. */
  moment(): Moment {
    const { machine, view, timing } = this.#situation;
    return {
      state: phases[machine.phase],
      fault: FAULTS.find((cause) => FAULT_PHASES[cause] === machine.phase),
      inFlight: knownInFlight(view),
      statsVisible: view.reading && view.reading.hidden.length === 0,
      secondsSinceDrainBegan:
        machine.drainSince === undefined ? undefined : seconds(this.#options.now() - machine.drainSince),
      drainTimeoutSeconds: timing.drainTimeoutMs / 1000,
      secondsSinceAsked: this.#secondsSinceAsked(),
      heldRequests: this.held.count,
    };
  }

  /** The drain in one object, for the termination message and the last line of the log. */
  summary(): Fields {
    const { machine } = this.#situation;
    return {
      version,
      state: phases[machine.phase],
      ...this.history.summary(),
      proxy: this.#quit === "done" ? "ended by hc" : "ended by itself",
      terminatedSeconds: seconds(this.#options.now() - (machine.terminatingSince ?? this.#options.now())),
      unexpectedErrors: this.#options.measures.errors,
    };
  }

  /** Repeats one turn of a loop until the end, whatever a turn throws. */
  async #repeat(name: string, turn: () => Promise<void>): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        await turn();
      } catch (error) {
        this.survive(name, error);
        await pause(this.#situation.timing.pollIntervalMs, this.#ended.signal);
      }
    }
  }

  async #watchReadiness(): Promise<void> {
    await pause(readinessPauseMs(this.#situation), this.#changed.signal);
    await this.look(LOOK_MS);
    this.#remarks.onLbSilence(this.#situation, this.#askedAt, this.#options.now());
  }

  async #watchStats(): Promise<void> {
    const { phase } = this.#situation.machine;
    if (phase !== "starting" && phase !== "dead") {
      // A slow answer tells of the moment when it was asked for, not of the one when it came.
      const asked = this.#options.now();
      const poll = await pollStats(this.#options.configuration, this.#ended.signal);
      if (poll.failure !== undefined) this.#options.measures.pollFailed(poll.failure);
      const now = this.#options.now();
      this.#observe(seenStats(this.#situation.view, poll.reading, asked), now);
      this.#remarks.onStats(this.#situation, poll.failure, now);
    }
    await pause(statsPauseMs(this.#situation), this.#changed.signal);
  }

  async #watchClock(): Promise<void> {
    const now = this.#options.now();
    this.#decide(now);
    await pause(nextDecisionAt(this.#situation, now) - now, this.#changed.signal);
  }

  /** Tells Envoy what is wanted of connections, again and again until it listens. */
  async #steerConnections(): Promise<void> {
    const told = await this.#retirement.tell(this.#ended.signal);
    if (told !== undefined) {
      const retiredAt = told === "retire" ? this.#options.now() : undefined;
      this.#situation = { ...this.#situation, view: { ...this.#situation.view, retiredAt } };
    }
    const waitMs = this.#retirement.isSettled ? Infinity : this.#situation.timing.pollIntervalMs;
    await pause(waitMs, this.#changed.signal);
  }

  /** What was seen and what follows from it have one instant: a drain begins when its cause was seen, not after it. */
  #observe(view: View, now: Instant): void {
    // A fresh Envoy knows nothing of what the one before it was told.
    if (this.#situation.view.isDown && !view.isDown) this.#retirement.forget();
    if (view.reading !== undefined && isDraining(this.#situation.machine)) this.history.saw(view.reading.inFlight);
    this.#situation = { ...this.#situation, view };
    this.#decide(now);
  }

  #decide(now: Instant): void {
    this.#take(settle(this.#situation, now));
    if (mustQuit(this.#situation, now) && this.#quit === "not yet") void this.#quitProxy();
    if (mustExit(this.#situation, now)) this.#end();
  }

  async #quitProxy(): Promise<void> {
    this.#quit = "asking";
    const isDone = await quitProxy(this.#options.configuration.adminPort, this.#ended.signal);
    this.#quit = isDone ? "done" : "not yet";
    this.#options.log("info", "quit-proxy", { answered: isDone, inFlight: knownInFlight(this.#situation.view) });
  }

  #end(): void {
    this.#ended.abort();
    this.#nudge();
  }

  /** Wakes the loops: what they wait for may have changed. */
  #nudge(): void {
    const changed = this.#changed;
    this.#changed = new AbortController();
    if (this.#ended.signal.aborted) this.#changed.abort();
    changed.abort();
  }

  #take({ situation, transitions }: Outcome): void {
    const isTold = situation.machine.terminatingSince !== this.#situation.machine.terminatingSince;
    this.#situation = situation;
    for (const transition of transitions) this.#moved(transition);
    if (transitions.length > 0 || isTold) this.#nudge();
  }

  #moved(transition: Transition): void {
    const { log, measures } = this.#options;
    const inFlight = knownInFlight(this.#situation.view);
    const { from, to, cause, elapsed } = this.history.moved(transition, inFlight);
    log("info", "transition", { from, to, cause, inFlight: inFlight ?? "unknown", elapsed: `${elapsed.toFixed(1)}s` });
    measures.moved(transition);
    for (const action of transition.actions) {
      if (action === "answer-held") this.held.release();
      else this.#retirement.want(action === "retire" ? "retire" : "keep");
    }
    if (transition.to === "open") {
      this.held.release();
      this.#quit = "not yet";
    }
    this.#remarks.onTransition(transition, inFlight);
  }

  #secondsSinceAsked(): number | undefined {
    return this.#askedAt === undefined ? undefined : seconds(this.#options.now() - this.#askedAt);
  }
}
