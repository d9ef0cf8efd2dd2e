/**
 * The HTTP/2 client, on node:http2; without TLS it speaks h2c with prior knowledge.
 *
 * How a stream ended cannot be told from the stream alone: Node closes streams with CANCEL when the peer sends FIN and
 * with REFUSED_STREAM when a GOAWAY leaves them out. So each session keeps what its socket and its GOAWAY said. Measured
 * on Node 24: the socket's `end` and `error`, and the session's `goaway`, all come before the stream's `close`.
 *
 * Nor does Node tell END_STREAM from a RST_STREAM with NO_ERROR: both end the readable side, `rstCode` is 0 and `aborted`
 * false. Only the order within differs: END_STREAM ends the readable side first, a reset closes the stream first.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { type Client, type ClientOptions, countLines, type Exchange } from "./client.ts";
import { sharedLookup } from "./lookup.ts";
import { errorKind, type Phase, type RequestOutcome, statusKind } from "./outcome.ts";
import type { Target } from "./target.ts";

/** One connection, and what it is known to have gone through. */
interface Session {
  readonly session: ClientHttp2Session;
  /** Streams that were opened on it so far. */
  streams: number;
  isConnected: boolean;
  /** The peer has closed its side. */
  hasEnded: boolean;
  /** The last stream that the peer's GOAWAY promises to finish. */
  lastStream: number | undefined;
  /** A request gave up before the connection was there, and those queued behind it end with it. */
  hasTimedOut: boolean;
  error: NodeJS.ErrnoException | undefined;
}

/** Makes an HTTP/2 client. */
export function http2Client(options: ClientOptions): Client {
  const lanes = new Map<string, Session>();
  const sessions = new Set<Session>();
  const lookup = sharedLookup();
  let isClosed = false;

  function open(target: Target): Session {
    const session = connect(`${target.scheme}://${target.label}`, {
      createConnection: () => {
        const socket = connectTo(target, options, lookup);
        socket.once(target.scheme === "https" ? "secureConnect" : "connect", () => {
          opened.isConnected = true;
        });
        socket.once("end", () => {
          opened.hasEnded = true;
        });
        socket.on("error", (error) => {
          opened.error ??= error;
        });
        return socket;
      },
    });
    const opened: Session = {
      session,
      streams: 0,
      isConnected: false,
      hasEnded: false,
      lastStream: undefined,
      hasTimedOut: false,
      error: undefined,
    };
    session.on("goaway", (_code, lastStream) => {
      opened.lastStream = lastStream;
    });
    session.on("error", () => undefined);
    session.on("close", () => sessions.delete(opened));
    sessions.add(opened);
    return opened;
  }

  function sessionFor({ target, lane }: Exchange): Session {
    if (lane === undefined) return open(target);
    const key = `${lane % options.lanes} ${target.label}`;
    const known = lanes.get(key);
    if (known !== undefined && !known.session.closed && !known.session.destroyed && !known.hasEnded) return known;
    const opened = open(target);
    lanes.set(key, opened);
    return opened;
  }

  return {
    async request(exchange) {
      if (isClosed) return undefined;
      const opened = sessionFor(exchange);
      const { host, ...headers } = options.headers;
      const reused = opened.streams > 0;
      opened.streams += 1;
      const stream = opened.session.request({
        ...headers,
        ":path": exchange.path,
        ...(host === undefined ? {} : { ":authority": host }),
      });
      const outcome = await follow(stream, opened, exchange, options.backendHeader, reused);
      if (exchange.lane === undefined) opened.session.close();
      return isClosed ? undefined : outcome;
    },
    close() {
      isClosed = true;
      for (const { session } of sessions) session.destroy();
    },
  };
}

function connectTo({ scheme, host, port }: Target, { ca, insecure }: ClientOptions, lookup: LookupFunction): Socket {
  if (scheme !== "https") return connectPlain({ host, port, lookup });
  return connectSecure({
    host,
    port,
    lookup,
    ALPNProtocols: ["h2"],
    rejectUnauthorized: !insecure,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}

/** Follows one stream to its end. */
function follow(
  stream: ClientHttp2Stream,
  session: Session,
  { timeoutMs, lines }: Exchange,
  backendHeader: string,
  reused: boolean,
): Promise<RequestOutcome> {
  return new Promise((resolve) => {
    let headers: IncomingHttpHeaders | undefined;
    let bytes = 0;
    let seenLines = 0;
    let isOver = false;
    let failure: NodeJS.ErrnoException | undefined;
    const hasEnd = watchEnd(stream);
    const timer = setTimeout(() => {
      isOver = true;
      stream.close(constants.NGHTTP2_CANCEL);
      // A stream of a session that never connected would close only with it, and so would all that queue behind.
      if (session.isConnected) return;
      session.hasTimedOut = true;
      session.session.destroy();
    }, timeoutMs);
    stream.on("response", (received) => {
      headers = received;
    });
    stream.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (lines !== undefined) seenLines += countLines(piece);
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.on("close", () => {
      clearTimeout(timer);
      const backend = headers?.[backendHeader];
      const phase: Phase = headers !== undefined ? "body" : session.isConnected ? "wait" : "connect";
      const isWhole = lines === undefined || seenLines >= lines;
      resolve({
        ...(isOver || session.hasTimedOut
          ? { kind: "timeout", detail: "" }
          : judge(session, {
              id: stream.id,
              code: stream.rstCode,
              headers,
              bytes,
              isWhole,
              hasEnd: hasEnd(),
              failure,
            })),
        phase,
        bytes,
        reused,
        backend: typeof backend === "string" ? backend : undefined,
      });
    });
  });
}

/** Watches for END_STREAM; call what it returns to learn whether it was seen. */
function watchEnd(stream: ClientHttp2Stream): () => boolean {
  let hasEnd = false;
  const push = stream.push.bind(stream);
  stream.push = (piece, encoding) => {
    if (piece === null && !stream.closed) hasEnd = true;
    return push(piece, encoding);
  };
  return () => hasEnd;
}

/** What is known of a stream that has closed. */
interface Closed {
  readonly id: number | undefined;
  readonly code: number | undefined;
  readonly headers: IncomingHttpHeaders | undefined;
  readonly bytes: number;
  /** It has the lines that it must have. */
  readonly isWhole: boolean;
  /** The peer ended it by END_STREAM. */
  readonly hasEnd: boolean;
  readonly failure: NodeJS.ErrnoException | undefined;
}

/** The class of a stream that has closed. */
function judge(session: Session, stream: Closed): Pick<RequestOutcome, "kind" | "detail"> {
  const { headers, bytes, failure } = stream;
  const code = stream.code ?? constants.NGHTTP2_NO_ERROR;
  const length = headers?.["content-length"];
  if (headers !== undefined && code === constants.NGHTTP2_NO_ERROR && (stream.hasEnd || bytes === Number(length))) {
    const status = Number(headers[":status"]);
    const kind = statusKind(status);
    if (kind !== "ok") return { kind, detail: String(status) };
    return { kind: stream.isWhole ? "ok" : "truncated", detail: "" };
  }
  if (session.lastStream !== undefined && (stream.id === undefined || stream.id > session.lastStream)) {
    return { kind: "goaway", detail: "" };
  }
  // Node gives the errors that it ends a session with itself a code that begins with ERR_HTTP2, on the socket too.
  if (session.error !== undefined && !session.error.code?.startsWith("ERR_HTTP2")) {
    const kind = errorKind(session.error);
    return { kind, detail: kind === "error" ? (session.error.code ?? session.error.message) : "" };
  }
  if (failure !== undefined && failure.code !== "ERR_HTTP2_STREAM_ERROR") {
    return { kind: "error", detail: failure.message };
  }
  if (session.hasEnded) return { kind: headers === undefined ? "closed" : "truncated", detail: "" };
  if (session.session.destroyed) return { kind: "error", detail: session.error?.message ?? "session destroyed" };
  if (headers !== undefined && code === constants.NGHTTP2_NO_ERROR) return { kind: "truncated", detail: "" };
  // nghttp2 itself resets a stream whose body is shorter than its content-length.
  if (code === constants.NGHTTP2_PROTOCOL_ERROR && length !== undefined && bytes < Number(length)) {
    return { kind: "truncated", detail: "" };
  }
  return { kind: "stream-reset", detail: errorName(code) };
}

/** RFC 9113 section 7: the error codes, each at its number. */
const errorNames = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

function errorName(code: number): string {
  return errorNames[code] ?? `code ${code}`;
}
