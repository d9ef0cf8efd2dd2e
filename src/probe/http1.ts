/**
 * The HTTP/1.1 client, on node:http and node:https.
 *
 * Each lane is an agent that keeps one idle connection per target, and opens a further one when that is busy: the load
 * is open-loop, so a slow answer must not hold back the next request. A request on a connection that the server closes
 * at the same moment is a real loss for a client that does not retry; Node does not retry either, so it is seen.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { type Client, type ClientOptions, countLines, type Exchange } from "./client.ts";
import { sharedLookup } from "./lookup.ts";
import { errorKind, type Kind, type Phase, type RequestOutcome, statusKind } from "./outcome.ts";

/** Makes an HTTP/1.1 client. */
export function http1Client(options: ClientOptions): Client {
  const tls = { rejectUnauthorized: !options.insecure, ...(options.ca === undefined ? {} : { ca: options.ca }) };
  const lookup = sharedLookup();
  const kept = { keepAlive: true, maxFreeSockets: 1 } as const;
  const lanes = Array.from({ length: options.lanes }, () => ({
    http: new Agent(kept),
    https: new SecureAgent({ ...kept, ...tls }),
  }));
  const inFlight = new Set<ClientRequest>();

  function send({ target, path, lane }: Exchange): ClientRequest {
    const secure = target.scheme === "https";
    const agents = lane === undefined ? undefined : lanes[lane % lanes.length];
    return (secure ? secureRequest : plainRequest)({
      host: target.host,
      port: target.port,
      lookup,
      path,
      headers: options.headers,
      agent: agents === undefined ? false : secure ? agents.https : agents.http,
      ...(secure ? { ...tls, servername: isIP(target.host) === 0 ? target.host : "" } : {}),
    });
  }

  return {
    request(exchange) {
      const request = send(exchange);
      inFlight.add(request);
      return new Promise<RequestOutcome | undefined>((resolve) => {
        watch(request, exchange, options.backendHeader, (outcome) => {
          inFlight.delete(request);
          resolve(outcome);
        });
        request.end();
      });
    },
    close() {
      for (const request of inFlight) request.destroy(new Interrupted());
      for (const { http, https } of lanes) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

/** What ends a request that the client itself gives up. */
class Interrupted extends Error {}

/** The status of an answer that leaves HTTP. */
const SWITCHED = "101";

/** Follows one request to its end and calls back once. */
function watch(
  request: ClientRequest,
  { timeoutMs, lines, target }: Exchange,
  backendHeader: string,
  ended: (outcome: RequestOutcome | undefined) => void,
): void {
  let phase: Phase = "connect";
  let bytes = 0;
  let seenLines = 0;
  let backend: string | undefined;
  let socketError: NodeJS.ErrnoException | undefined;
  let settled = false;

  const settle = (outcome: RequestOutcome | undefined) => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    ended(outcome);
  };
  const end = (kind: Kind, detail = "") =>
    settle({ kind, detail, phase, bytes, reused: request.reusedSocket, backend });
  const timer = setTimeout(() => {
    end("timeout");
    request.destroy();
  }, timeoutMs);

  request.on("socket", (socket: Socket) => {
    if (socket.connecting) {
      socket.once(target.scheme === "https" ? "secureConnect" : "connect", () => {
        if (phase === "connect") phase = "wait";
      });
    } else {
      phase = "wait";
    }
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    if (error instanceof Interrupted) return settle(undefined);
    // With an answer begun, the end of the response decides; this says only how the connection broke.
    if (phase === "body") {
      socketError = error;
      return;
    }
    const kind = errorKind(error);
    end(kind, kind === "error" ? (error.code ?? error.message) : "");
  });
  // Nobody asked for another protocol: with no listener at all, the request would hang or look like a FIN.
  request.on("upgrade", (_response, socket) => {
    end("error", SWITCHED);
    socket.destroy();
  });
  request.on("response", (response: IncomingMessage) => {
    // A 101 without the header comes as an answer that has no end.
    if (response.statusCode === 101) {
      end("error", SWITCHED);
      request.destroy();
      return;
    }
    phase = "body";
    const named = response.headers[backendHeader];
    backend = typeof named === "string" ? named : undefined;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (lines !== undefined) seenLines += countLines(piece);
    });
    response.on("error", () => undefined);
    response.on("close", () => {
      const kind = statusKind(response.statusCode ?? 0);
      if (socketError !== undefined && !response.complete) end(...broken(socketError));
      else if (!response.complete) end("truncated");
      else if (kind !== "ok") end(kind, String(response.statusCode));
      else if (lines !== undefined && seenLines < lines) end("truncated");
      else end("ok");
    });
  });
}

/** The class of an answer that broke off with an error of the connection or of the parser. */
function broken(error: NodeJS.ErrnoException): [Kind, string] {
  const kind = errorKind(error);
  return kind === "error" ? [kind, error.code ?? error.message] : [kind, ""];
}
