/**
 * The state machine against a model of the world: any order of wishes, faults, work and time.
 *
 * The model knows the truth (what is in flight, whether the proxy lives); the machine sees only looks, once a second.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { apply, settle } from "./core.ts";
import { mustExit, type Situation } from "./due.ts";
import { machineAt, type Transition } from "./machine.ts";
import type { EventName } from "./states.ts";
import { deadlineOf, drainEndsAt, type Timing, timeIsUpAt } from "./timing.ts";
import { nothingSeen, type ReadinessLook, type Reading, seenReadiness, seenStats } from "./view.ts";

const SECOND = 1000;

/** The truth. */
interface World {
  work: number;
  requests: number;
  proxy: "ready" | "unready" | "stopping" | "dead" | "frozen";
  stats: "shown" | "hidden" | "silent";
}

/** The machine in its world, with a clock that only moves when it is told. */
class Rig {
  now = 0;
  /** What was in flight when the stats last told: between two looks nobody can know more. */
  #seenWork: number | undefined;
  #downAt: number | undefined;
  readonly history: Transition[] = [];
  situation: Situation;
  readonly world: World;

  constructor(world: World, timing: Timing, retires: boolean) {
    this.world = world;
    this.situation = { machine: machineAt(0), view: nothingSeen, timing, retires };
  }

  wish(event: EventName): void {
    const before = this.situation.machine;
    const outcome = apply(this.situation, event, this.now);
    this.#took(outcome.situation, outcome.transitions);
    if (outcome.refused !== undefined) assert.equal(this.situation.machine.phase, before.phase);
  }

  advance(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now = Math.min(end, this.now + SECOND);
      const seen = seenReadiness(this.situation.view, this.#look(), this.now);
      this.#settle({ ...this.situation, view: seen });
      this.#settle({ ...this.situation, view: seenStats(this.situation.view, this.#reading(), this.now) });
    }
  }

  get has503(): boolean {
    return ["starting", "dead", "closing", "closed"].includes(this.situation.machine.phase);
  }

  #settle(situation: Situation): void {
    const outcome = settle(situation, this.now);
    this.#took(outcome.situation, outcome.transitions);
  }

  #took(situation: Situation, transitions: readonly Transition[]): void {
    const before = this.situation;
    this.situation = situation;
    this.history.push(...transitions);
    for (const transition of transitions) this.#check(transition, before);
  }

  /** What must hold for every transition, whatever led to it. */
  #check({ from, to, cause }: Transition, before: Situation): void {
    const { machine, timing } = this.situation;
    const { work } = this.world;
    if (machine.terminatingSince !== undefined) {
      assert.notEqual(to, "open", `reopened by ${cause} after SIGTERM`);
      if (from === "closed") assert.fail(`left CLOSED by ${cause} after SIGTERM`);
    }
    if (cause === "proxy-restarted") {
      assert.ok(
        this.#downAt !== undefined && this.#downAt >= (before.machine.drainSince ?? Infinity),
        "no fresh proxy",
      );
    }
    if (cause === "quiet" || cause === "busy") assert.equal(this.#seenWork, 0, `${cause} with work in flight`);
    const { reading } = this.situation.view;
    if (cause === "drain-timeout" && reading !== undefined && reading.at >= (machine.drainSince ?? 0)) {
      assert.notEqual(this.#seenWork, 0, "a fault without work");
    }
    const closes = to === "closing" || to === "closed";
    if (closes && work > 0 && from !== "starting" && from !== "dead") {
      const asked = cause === "close-lb" || cause === "close";
      const gone = cause === "proxy-dead" || cause === "proxy-gone";
      const timeIsUp = this.now >= timeIsUpAt(machine, timing);
      const blind = cause === "blind" && this.now >= drainEndsAt(before.machine, timing);
      const late = work > 0 && this.#seenWork === 0;
      assert.ok(
        asked || gone || timeIsUp || blind || late || from === "closing",
        `503 by ${cause} while work is in flight`,
      );
    }
  }

  #look(): ReadinessLook {
    if (this.world.proxy === "stopping" || this.world.proxy === "dead") this.#downAt = this.now;
    switch (this.world.proxy) {
      case "ready":
        return { ready: "yes" };
      case "unready":
        return { ready: "no", agent: "yes", admin: "yes" };
      case "stopping":
        return { ready: "no", agent: "refused", admin: "yes" };
      case "dead":
        return { ready: "refused", agent: "refused", admin: "refused" };
      case "frozen":
        return { ready: "silent", agent: "yes", admin: "yes" };
    }
  }

  #reading(): Reading | undefined {
    const reading = this.#readingOf();
    this.#seenWork = reading === undefined ? undefined : this.world.work;
    return reading;
  }

  #readingOf(): Reading | undefined {
    const { work, requests, stats, proxy } = this.world;
    if (stats === "silent" || proxy === "dead" || proxy === "frozen") return undefined;
    const hidden = stats === "hidden" ? ["downstream_rq_active"] : [];
    const inFlight = stats === "hidden" ? 0 : work;
    return { inFlight, requests: inFlight === 0 ? requests : undefined, hidden, waitingOn: [], upstream: 0 };
  }
}

/** The model has nothing to remember: the rig asserts, the commands only act. */
type Model = Record<string, never>;

const act = (label: string, run: (rig: Rig) => void): fc.Command<Model, Rig> => ({
  check: () => true,
  run: (_model, rig) => run(rig),
  toString: () => label,
});

const commands = fc.commands<Model, Rig>(
  [
    fc
      .constantFrom<EventName>("sigterm", "drain", "close-lb", "close", "reopen")
      .map((event) => act(event, (rig) => rig.wish(event))),
    // Often one second, so that wishes come right after a look that changed something.
    fc
      .oneof(fc.constant(1), fc.integer({ min: 1, max: 20 }))
      .map((seconds) => act(`wait ${seconds}s`, (rig) => rig.advance(seconds * SECOND))),
    fc.constantFrom<World["proxy"]>("ready", "unready", "stopping", "dead", "frozen").map((proxy) =>
      act(`proxy ${proxy}`, (rig) => {
        rig.world.proxy = proxy;
        if (proxy === "dead") rig.world.work = 0;
      }),
    ),
    fc.constantFrom<World["stats"]>("shown", "hidden", "silent").map((stats) =>
      act(`stats ${stats}`, (rig) => {
        rig.world.stats = stats;
      }),
    ),
    fc.integer({ min: 0, max: 3 }).map((work) =>
      act(`work ${work}`, (rig) => {
        if (rig.world.proxy === "dead") return;
        rig.world.requests += Math.max(0, work - rig.world.work);
        rig.world.work = work;
      }),
    ),
    fc.constant(
      act("a short request", (rig) => {
        rig.world.requests += 1;
      }),
    ),
  ],
  { maxCommands: 40, size: "max" },
);

const timings = fc.record({
  drainTimeoutMs: fc.integer({ min: 1, max: 60 }).map((s) => s * SECOND),
  lbBufferMs: fc.integer({ min: 0, max: 20 }).map((s) => s * SECOND),
  // Also budgets that do not fit.
  gracePeriodMs: fc.integer({ min: 1, max: 120 }).map((s) => s * SECOND),
  detectionMs: fc.integer({ min: 0, max: 10 }).map((s) => s * SECOND),
  minimumDrainMs: fc.integer({ min: 0, max: 10 }).map((s) => s * SECOND),
  pollIntervalMs: fc.constant(SECOND),
});

test("no order of events breaks the promises, and every path ends before the deadline", () => {
  fc.assert(
    fc.property(commands, timings, fc.boolean(), (script, timing, retires) => {
      const world: World = { work: 0, requests: 0, proxy: "ready", stats: "shown" };
      const rig = new Rig(world, timing, retires);
      rig.advance(SECOND);
      fc.modelRun(() => ({ model: {}, real: rig }), script);

      rig.wish("sigterm");
      const deadline = deadlineOf(rig.situation.machine, timing);
      assert.ok(deadline !== undefined);
      rig.advance(Math.max(0, deadline - rig.now));
      assert.equal(rig.situation.machine.phase, "closed", "not CLOSED at the deadline");
      assert.ok(rig.has503);
      assert.ok(mustExit(rig.situation, rig.now), "still there at the deadline");
    }),
    { numRuns: 3000 },
  );
});

test("the model sees what a wrong machine does: closing at once is caught", () => {
  const world: World = { work: 1, requests: 1, proxy: "ready", stats: "shown" };
  const second = { pollIntervalMs: SECOND, lbBufferMs: SECOND, detectionMs: 0, minimumDrainMs: 0 };
  const rig = new Rig(world, { ...second, drainTimeoutMs: 10_000, gracePeriodMs: 60_000 }, false);
  rig.advance(2 * SECOND);
  rig.wish("drain");
  // A reading that lies: nothing in flight, while there is.
  const lie: Reading = { inFlight: 0, requests: 1, hidden: [], waitingOn: [], upstream: 0 };
  const view = seenStats(seenStats(rig.situation.view, lie, rig.now), lie, rig.now);
  rig.situation = { ...rig.situation, view };
  assert.throws(() => rig.wish("drain"), /quiet with work in flight/);
});
