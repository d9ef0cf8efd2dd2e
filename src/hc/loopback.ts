/**
 * Requests to the neighbours in the pod: Envoy, its agent, and hc itself. 127.0.0.1 first, then ::1, since a proxy may
 * listen on one of them only.
 */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { within } from "./deadline.ts";
import type { PortAnswer } from "./view.ts";

/** The addresses, in the order in which they are tried. */
export const LOOPBACK = ["127.0.0.1", "::1"] as const;

/** Why there is no answer. `refused` means that nobody listens; it alone says that a process is gone. */
export type Failure = "refused" | "silent" | "garbled" | "too-large" | "failed";

/** An answer, or why there is none. */
export type Reply =
  | { readonly status: number; readonly body: string; readonly failure?: undefined }
  | { readonly failure: Failure };

/** Bytes after which an answer is not read on: the filtered stats of a big gateway are a few hundred kB. */
const MOST_BYTES = 4 * 1024 * 1024;

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
  for (const address of LOOPBACK) {
    const reply = await within(timeoutMs, signal, (inner) => askAt(address, method, port, path, inner));
    if (reply.failure !== "refused") return reply;
  }
  return { failure: "refused" };
}

function askAt(host: string, method: string, port: number, path: string, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve) => {
    const outgoing = request({ host, port, method, path, agent, signal }, (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= MOST_BYTES) return;
        resolve({ failure: "too-large" });
        outgoing.destroy();
      });
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      incoming.on("error", (error) => resolve({ failure: failureOf(error, signal) }));
    });
    outgoing.on("error", (error) => resolve({ failure: failureOf(error, signal) }));
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
