/**
 * What probe-target answers: /, /sleep?seconds=, /stream?chunks=&interval=, /counts.
 *
 * Every answer names the target in `x-probe-target`, so that a client behind a balancer can tell the backends apart.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Sightings } from "./sightings.ts";

/** The header that names who answered. */
export const TARGET_HEADER = "x-probe-target";

/** Longest sleep and longest stream, in seconds: one day. */
const LONGEST = 86_400;

type Request = IncomingMessage | Http2ServerRequest;
type Answer = ServerResponse | Http2ServerResponse;

/** Makes the listener of an HTTP server. */
export function answers(name: string, seen: Sightings): (request: Request, answer: Answer) => void {
  return (request, answer) => {
    const url = new URL(request.url ?? "/", "http://target");
    const path = Object.hasOwn(seen.requests, url.pathname) ? url.pathname : "other";
    seen.requests[path] = (seen.requests[path] ?? 0) + 1;
    seen.inFlight += 1;
    let isFinished = false;
    answer.on("finish", () => {
      isFinished = true;
    });
    answer.on("close", () => {
      seen.inFlight -= 1;
      if (isFinished) seen.completed += 1;
      else seen.aborted += 1;
    });
    // A client that goes away is counted by `close`; an error event without a listener would end the process.
    answer.on("error", () => undefined);
    request.resume();
    answer.setHeader(TARGET_HEADER, name);
    answer.setHeader("content-type", path === "/counts" ? "application/json" : "text/plain");
    switch (path) {
      case "/":
        answer.end(`${name}\n`);
        break;
      case "/counts":
        answer.end(`${JSON.stringify({ name, ...seen })}\n`);
        break;
      case "/sleep":
        sleep(url.searchParams, answer);
        break;
      case "/stream":
        stream(url.searchParams, answer);
        break;
      default:
        answer.statusCode = 404;
        answer.end("There are /, /sleep?seconds=, /stream?chunks=&interval=, /ws and /counts.\n");
    }
  };
}

function sleep(query: URLSearchParams, answer: Answer): void {
  const seconds = numberOf(query.get("seconds"), 1, 0, LONGEST);
  if (seconds === undefined) {
    refuse(answer, "seconds must be a number from 0 to 86400");
    return;
  }
  const timer = setTimeout(() => answer.end(`slept ${seconds} s\n`), seconds * 1000);
  answer.on("close", () => clearTimeout(timer));
}

function stream(query: URLSearchParams, answer: Answer): void {
  const chunks = numberOf(query.get("chunks"), 10, 1, 1_000_000);
  const interval = numberOf(query.get("interval"), 1, 0.001, LONGEST);
  if (chunks === undefined || interval === undefined) {
    refuse(answer, "chunks must be 1 to 1000000 and interval 0.001 to 86400 (seconds)");
    return;
  }
  let sent = 0;
  const send = () => {
    sent += 1;
    const line = `chunk ${sent} of ${chunks}\n`;
    if (sent < chunks) {
      (answer as ServerResponse).write(line);
    } else {
      clearInterval(timer);
      answer.end(line);
    }
  };
  const timer = setInterval(send, interval * 1000);
  answer.on("close", () => clearInterval(timer));
  send();
}

function numberOf(text: string | null, fallback: number, least: number, most: number): number | undefined {
  if (text === null) return fallback;
  const value = text === "" ? Number.NaN : Number(text);
  return value >= least && value <= most ? value : undefined;
}

function refuse(answer: Answer, reason: string): void {
  answer.statusCode = 400;
  answer.end(`${reason}\n`);
}
