/**
 * The tables of docs/hc.md, made from hc's own data: what it answers, its environment, its transitions.
 */
import { profiles } from "../src/balancers/profiles.ts";
import { answersOf } from "../src/hc/answers.ts";
import { WISHES } from "../src/hc/control-server.ts";
import { PHASES, type Phase } from "../src/hc/states.ts";
import { transitions } from "../src/hc/transitions.ts";
import { variables } from "../src/hc/variables.ts";

/** A table: its head, and its rows. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a phase is called in the documentation. */
const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  starting: "CLOSED at the start",
  open: "OPEN",
  draining: "DRAINING",
  overdue: "FAULT, `drain-timeout`",
  dead: "FAULT, `proxy-dead`",
  closing: "CLOSING",
  closed: "CLOSED after a drain",
};

/** Status and body by phase, for a profile without a drain answer and one with it. */
export function answersTable(): Table {
  const [without, withAnswer] = [answersOf(profiles.generic, {}), answersOf(profiles.haproxy, {})];
  const words = ({ status, body }: { status: number; body: Buffer }) => `${status} \`${body.toString().trim()}\``;
  return {
    head: ["state", "load balancer, `generic`", "load balancer, `haproxy`", "`/health`", "`/live`"],
    rows: PHASES.map((phase) => [
      PHASE_WORDS[phase],
      words(without[phase].lb),
      words(withAnswer[phase].lb),
      String(without[phase].readiness.status),
      "200",
    ]),
  };
}

/** Every variable. */
export function environmentTable(): Table {
  return {
    head: ["variable", "without it", "meaning"],
    rows: Object.entries(variables).map(([name, { default: value, doc }]) => [
      `\`${name}\``,
      value === "" ? "" : `\`${value}\``,
      doc,
    ]),
  };
}

/** Every transition, with the causes that lead from one state to another together. */
export function transitionsTable(): Table {
  const causes = new Map<string, { from: Phase; to: Phase; events: string[] }>();
  for (const { from, to, event } of transitions) {
    const key = `${from} ${to}`;
    const row = causes.get(key) ?? { from, to, events: [] };
    row.events.push(`\`${event}\``);
    causes.set(key, row);
  }
  return {
    head: ["from", "to", "cause"],
    rows: [...causes.values()].map(({ from, to, events }) => [PHASE_WORDS[from], PHASE_WORDS[to], events.join(", ")]),
  };
}

/** What each path of the control port wishes for. */
export function wishesTable(): Table {
  const meaning: Readonly<Record<string, string>> = {
    "/drain": "starts a drain",
    "/close-lb": "gives the close answer at once, whatever is in flight",
    "/close": "goes to CLOSED at once",
    "/reopen": "takes a drain back: from DRAINING, CLOSING and FAULT, not after SIGTERM and not from CLOSED (409)",
  };
  return { head: ["POST", "does"], rows: Object.keys(WISHES).map((path) => [`\`${path}\``, meaning[path] ?? ""]) };
}
