/**
 * Requests to the neighbours in the pod: Envoy, its agent, and hc itself. 127.0.0.1 first, then ::1, since a proxy may
 * listen on one of them only.
 */
import { Agent, type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { within } from "./deadline.ts";
import type { PortAnswer } from "./view.ts";

/** The addresses, in the order in which they are tried. */
export const LOOPBACK = ["127.0.0.1", "::1"] as const;

/**
 * Why there is no answer. `refused` means that nobody listens; it alone says that a process is gone. `endless` is one that
 * came and did not come to its end.
 */
export type Failure = "refused" | "silent" | "garbled" | "endless" | "failed";

/** An answer, or why there is none. */
export type Reply =
  | { readonly status: number; readonly body: string; readonly failure?: undefined }
  | { readonly failure: Failure };

/** The end of an answer whose text was taken while it came. */
export type Read = { readonly status: number; readonly failure?: undefined } | { readonly failure: Failure };

/** How long is waited, milliseconds: until something comes, in the beginning and in between, and for the whole answer. */
export interface Patience {
  readonly silentMs: number;
  readonly wholeMs: number;
}

/** Characters after which an answer is not read on that is kept; hc's own status has some thousands. */
const MOST_KEPT = 1024 * 1024;

// One connection a request: a kept one could be closed by the other side just when it is used.
const agent = new Agent({ keepAlive: false });

/**
 * Sends a request without a body.
 *
 * @param timeoutMs for the whole answer, on each address
 */
export async function ask(
  method: "GET" | "POST",
  port: number,
  path: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Reply> {
  let body = "";
  let isTooLong = false;
  const patience = { silentMs: timeoutMs, wholeMs: timeoutMs };
  const read = await readText(method, port, path, patience, signal, (text) => {
    body += text;
    isTooLong = body.length > MOST_KEPT;
    return !isTooLong;
  });
  if (isTooLong) return { failure: "endless" };
  return read.failure === undefined ? { status: read.status, body } : read;
}

/**
 * Sends a request without a body and reads the answer while it comes: nothing is kept, and between two pieces everybody
 * else is served.
 *
 * @param take gets the pieces, whatever the status is; false ends the answer as garbled
 */
export async function readText(
  method: "GET" | "POST",
  port: number,
  path: string,
  patience: Patience,
  signal: AbortSignal,
  take: (text: string) => boolean,
): Promise<Read> {
  for (const address of LOOPBACK) {
    const target = { host: address, port, method, path };
    const read = await within(patience.wholeMs, signal, (inner) => readAt(target, patience.silentMs, inner, take));
    if (read.failure !== "refused") return read;
  }
  return { failure: "refused" };
}

function readAt(
  target: RequestOptions,
  silentMs: number,
  signal: AbortSignal,
  take: (text: string) => boolean,
): Promise<Read> {
  return new Promise((resolve) => {
    let hasBegun = false;
    const failed = (error: Error) => {
      const failure = failureOf(error, signal);
      resolve({ failure: failure === "silent" && hasBegun ? "endless" : failure });
    };
    const outgoing = request({ ...target, agent, signal }, (incoming) => {
      // Nobody asked for another coding, so what has one is no text.
      if (incoming.headers["content-encoding"] !== undefined) return giveUp("garbled");
      incoming.setEncoding("utf8");
      incoming.on("data", (text: string) => {
        hasBegun = true;
        if (!take(text)) return giveUp("garbled");
        incoming.pause();
        setImmediate(() => incoming.resume());
      });
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0 }));
      incoming.on("error", failed);
    });
    const giveUp = (failure: Failure) => {
      resolve({ failure });
      outgoing.destroy();
    };
    outgoing.setTimeout(silentMs, () => giveUp("silent"));
    outgoing.on("error", failed);
    outgoing.end();
  });
}

/** Finds out whether somebody listens on a port, without saying a word. */
export async function knock(port: number, timeoutMs: number, signal: AbortSignal): Promise<PortAnswer> {
  for (const address of LOOPBACK) {
    const answer = await within(timeoutMs, signal, (inner) => knockAt(address, port, inner));
    if (answer !== "refused") return answer;
  }
  return "refused";
}

function knockAt(host: string, port: number, signal: AbortSignal): Promise<PortAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve("yes");
    });
    socket.once("error", (error) => resolve(failureOf(error, signal) === "refused" ? "refused" : "silent"));
  });
}

/** Codes of a machine without the address at all: nobody listens there. */
const REFUSED = new Set(["ECONNREFUSED", "EADDRNOTAVAIL", "ENETUNREACH", "EAFNOSUPPORT"]);

function failureOf(error: Error & { code?: string }, signal: AbortSignal): Failure {
  if (signal.aborted) return "silent";
  if (error.code !== undefined && REFUSED.has(error.code)) return "refused";
  return error.code?.startsWith("HPE_") ? "garbled" : "failed";
}
