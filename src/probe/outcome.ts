/**
 * How one request ended, as its client saw it: the classes that every count of this command is made of.
 *
 * The classes are kept apart because they have different causes and because balancers hide them differently. A 502 was
 * written by something in between; a reset means that somebody dropped a connection with data unread (or on purpose);
 * a FIN before the answer means that a process ended in an orderly way and took our request with it.
 */

/** The classes, in the order in which they are shown. All but `ok` are losses. */
export const kinds = [
  "ok",
  "5xx",
  "status",
  "refused",
  "reset",
  "closed",
  "truncated",
  "stream-reset",
  "goaway",
  "timeout",
  "error",
] as const;

/** One class of outcome. */
export type Kind = (typeof kinds)[number];

/** How far a request had come: no connection yet, request sent, or answer begun. */
export type Phase = "connect" | "wait" | "body";

/** What a client can tell about one request that has ended. */
export interface RequestOutcome {
  readonly kind: Kind;
  /** Status code, HTTP/2 error name or the system's error code; empty where the class says it all. */
  readonly detail: string;
  readonly phase: Phase;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
  /** Whether an earlier request had used the same connection. */
  readonly reused: boolean;
  /** Who answered, from the header that names the backend; undefined when there was none. */
  readonly backend: string | undefined;
}

/** The classes in words, as tables and plots show them. */
export const kindLabels: Readonly<Record<Kind, string>> = {
  ok: "2xx complete",
  "5xx": "5xx",
  status: "other status",
  refused: "connection refused",
  reset: "reset",
  closed: "closed without an answer",
  truncated: "truncated body",
  "stream-reset": "h2 stream reset",
  goaway: "h2 refused by GOAWAY",
  timeout: "timeout",
  error: "other error",
};

/** Whether the class is a loss below HTTP's status codes, which a count of 5xx never shows. */
export function isConnectionError(kind: Kind): boolean {
  return kind !== "ok" && kind !== "5xx" && kind !== "status";
}

/**
 * Which client would have hidden a loss by asking again.
 *
 * - `any`: nothing was processed, so even a POST may be sent again (refused; GOAWAY and REFUSED_STREAM, RFC 9113 8.7)
 * - `idempotent`: no byte of an answer came; RFC 9110 9.2.2 lets a client repeat GET, PUT, DELETE
 * - `status`: a complete 502, 503 or 504, which proxies repeat when told to (Envoy `gateway-error`, HAProxy `retry-on 503`)
 * - `none`: part of the answer was delivered, or the time was up
 */
export const retries = ["any", "idempotent", "status", "none"] as const;

/** One of the answers to "would a retry have hidden it". */
export type Retry = (typeof retries)[number];

/** Says which retry would have hidden a loss. */
export function retryOf({ kind, detail, phase }: RequestOutcome): Retry {
  if (kind === "goaway" || kind === "refused") return "any";
  if (kind === "stream-reset" && detail === "REFUSED_STREAM") return "any";
  if (kind === "5xx") return ["502", "503", "504"].includes(detail) ? "status" : "none";
  if ((kind === "reset" || kind === "closed" || kind === "stream-reset") && phase !== "body") {
    return phase === "connect" ? "any" : "idempotent";
  }
  return "none";
}

/** The class of a complete answer by its status code. */
export function statusKind(status: number): Kind {
  if (status >= 200 && status < 300) return "ok";
  return status >= 500 ? "5xx" : "status";
}

/** The class of a failed connection by the system's error. */
export function errorKind(error: NodeJS.ErrnoException): Kind {
  if (error.code === "ECONNREFUSED") return "refused";
  if (error.code === "EPIPE") return "reset";
  // Node reports both an RST and a FIN before the answer as ECONNRESET; only the RST comes from a system call.
  if (error.code === "ECONNRESET") return error.syscall === undefined ? "closed" : "reset";
  if (error.code === "ETIMEDOUT") return "timeout";
  return "error";
}
