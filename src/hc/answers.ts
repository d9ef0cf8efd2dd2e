/**
 * What the load balancer is answered in each phase: prepared once, so that an answer is nothing but a write.
 *
 * Bodies are the state's name and a newline, and never change within a state, because string monitors match on them.
 * Where the profile has no drain answer, DRAINING keeps the whole answer of OPEN, body and all: a monitor that looks for
 * `OPEN` must not take the backend down while work is in flight.
 */
import { STATUS_CODES } from "node:http";
import type { Answer, LbProfile } from "../balancers/profile.ts";
import { drainAnswerOf } from "../budget/load-balancer.ts";
import { isReady } from "./machine.ts";
import { PHASES, type Phase, phases } from "./states.ts";

/** States whose answer a policy may replace. */
const OVERRIDABLE = ["open", "draining", "closing", "closed", "fault"] as const;

/** The answers that a policy replaces, in whole or in part. */
export type AnswerOverrides = Partial<Record<(typeof OVERRIDABLE)[number], { status?: number; body?: string }>>;

/** An answer that is ready to be written. */
export interface PreparedAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Status line and headers, as they are written; all there is for HEAD. */
  readonly head: Buffer;
  /** Head and body. */
  readonly whole: Buffer;
}

/** What is answered in a phase: to the load balancer, and to the kubelet's readiness probe. */
export interface PhaseAnswers {
  readonly lb: PreparedAnswer;
  readonly readiness: PreparedAnswer;
}

/** The answers of every phase. */
export type AnswersByPhase = Readonly<Record<Phase, PhaseAnswers>>;

/** Prepares the answers of a profile. */
export function answersOf(profile: LbProfile, overrides: AnswerOverrides): AnswersByPhase {
  const open = prepared({ status: 200, body: "OPEN\n", ...overrides.open });
  const drain = drainAnswerOf(profile, overrides.draining);
  const draining = drain === undefined ? open : prepared({ body: "DRAINING\n", ...drain });
  const close = (body: string, override: AnswerOverrides[keyof AnswerOverrides]) =>
    prepared({ body, ...profile.closeAnswer, ...override });
  const lb: Record<Phase, PreparedAnswer> = {
    starting: close("CLOSED\n", overrides.closed),
    open,
    draining,
    // The load balancer must see no difference: what is in flight still flows.
    overdue: draining,
    dead: close("FAULT\n", overrides.fault),
    closing: close("CLOSING\n", overrides.closing),
    closed: close("CLOSED\n", overrides.closed),
  };
  const entries = PHASES.map((phase) => {
    const readiness = prepared({ status: isReady(phase) ? 200 : 503, body: `${phases[phase]}\n` });
    return [phase, { lb: lb[phase], readiness }] as const;
  });
  return Object.fromEntries(entries) as AnswersByPhase;
}

/** Prepares one answer; the connection ends with it. */
export function prepared(answer: Answer, contentType = "text/plain; charset=utf-8"): PreparedAnswer {
  const { status } = answer;
  const body = Buffer.from(answer.body ?? "");
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.length}`,
    "Cache-Control: no-store",
    "Connection: close",
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  return { status, body, head, whole: Buffer.concat([head, body]) };
}

/**
 * Reads the variable LB_ANSWERS.
 *
 * @returns undefined for anything but an object whose members are answers of known states
 */
export function parseAnswers(text: string): AnswerOverrides | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const fit = Object.entries(value).every(
    ([state, answer]) => OVERRIDABLE.some((known) => known === state) && isObject(answer) && isAnswer(answer),
  );
  return fit ? (value as AnswerOverrides) : undefined;
}

function isAnswer({ status, body }: Record<string, unknown>): boolean {
  const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;
  return (status === undefined || isStatus) && (body === undefined || typeof body === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
