/**
 * The other end of the control port: what `gracegate drain` and `gracegate hc-ctl` say to hc.
 */
import { ask } from "./loopback.ts";
import type { Status } from "./status.ts";

/** How long hc may take to answer, milliseconds; it answers at once unless the machine is stalled. */
const TIMEOUT_MS = 5000;

/** What hc answered. */
export type ControlReply =
  | { readonly ok: true; readonly status: Status }
  /** hc is there and does not grant the wish. */
  | { readonly ok: false; readonly reason: string; readonly status: Status | undefined };

/** Sends one request to hc. */
export async function askHc(
  method: "GET" | "POST",
  path: string,
  port: number,
  signal: AbortSignal,
): Promise<ControlReply> {
  const reply = await ask(method, port, path, TIMEOUT_MS, signal);
  if (reply.failure !== undefined) {
    const why = reply.failure === "refused" ? "nobody listens there" : `the answer is ${reply.failure}`;
    return { ok: false, reason: `hc cannot be reached on loopback port ${port}: ${why}`, status: undefined };
  }
  const value = parsed(reply.body);
  if (value === undefined) {
    return { ok: false, reason: `what listens on loopback port ${port} is not hc`, status: undefined };
  }
  if (reply.status === 200) return { ok: true, status: value };
  return { ok: false, reason: String(value.error ?? `hc answered ${reply.status}`), status: value };
}

function parsed(text: string): (Status & { readonly error?: unknown }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    return "state" in value || "error" in value ? (value as Status) : undefined;
  } catch {
    return undefined;
  }
}
