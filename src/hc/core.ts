/**
 * The decisions of hc in one place: applies an event, and then everything that is due because of it. Pure; the loop
 * around it (controller.ts) brings the clock, the looks and the wishes, and carries out the actions.
 */
import { dueEvent, type Situation } from "./due.ts";
import { type Instant, step, type Transition } from "./machine.ts";
import type { EventName } from "./states.ts";

/** A situation, and how it came about. */
export interface Outcome {
  readonly situation: Situation;
  readonly transitions: readonly Transition[];
  /** Why an operator's wish was not granted. */
  readonly refused: string | undefined;
}

/** Due events in a row after which something is wrong with the table; there are never more than three. */
const MOST_STEPS = 8;

/** Applies an event from outside, then what is due. */
export function apply(situation: Situation, event: EventName, now: Instant): Outcome {
  const first = take(situation, event, now);
  const rest = settle(first.situation, now);
  return { ...rest, transitions: [...first.transitions, ...rest.transitions], refused: first.refused };
}

/** Applies what is due: after every look, and when the clock says so. */
export function settle(situation: Situation, now: Instant): Outcome {
  const transitions: Transition[] = [];
  let settled = situation;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const event = dueEvent(settled, now);
    if (event === undefined) break;
    const outcome = take(settled, event, now);
    settled = outcome.situation;
    transitions.push(...outcome.transitions);
  }
  return { situation: settled, transitions, refused: undefined };
}

function take(situation: Situation, event: EventName, now: Instant): Outcome {
  const { view } = situation;
  const taken = step(situation.machine, event, now, view.stoppingSince !== undefined);
  return {
    situation: { ...situation, machine: taken.machine },
    transitions: taken.kind === "moved" ? [taken.transition] : [],
    refused: taken.kind === "refused" ? taken.reason : undefined,
  };
}
