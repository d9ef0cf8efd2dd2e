/**
 * The HTTP/2 client, on node:http2; without TLS it speaks h2c with prior knowledge.
 *
 * How a stream ended cannot be told from the stream alone: Node closes streams with CANCEL when the peer sends FIN and
 * with REFUSED_STREAM when a GOAWAY leaves them out. So each session keeps what its socket and its GOAWAY said. Measured
 * on Node 24: the socket's `end` and `error`, and the session's `goaway`, all come before the stream's `close`.
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
import { errorKind, type Outcome, type Phase, statusKind } from "./outcome.ts";
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
): Promise<Outcome> {
  return new Promise((resolve) => {
    let headers: IncomingHttpHeaders | undefined;
    let bytes = 0;
    let seenLines = 0;
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      stream.close(constants.NGHTTP2_CANCEL);
      // A stream of a session that never connected would close only with it, and so would all that queue behind.
      if (!session.isConnected) session.session.destroy();
    }, timeoutMs);
    stream.on("response", (received) => {
      headers = received;
    });
    stream.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (lines !== undefined) seenLines += countLines(piece);
    });
    stream.on("error", () => undefined);
    stream.on("close", () => {
      clearTimeout(timer);
      const backend = headers?.[backendHeader];
      const phase: Phase = headers !== undefined ? "body" : session.isConnected ? "wait" : "connect";
      const isWhole = lines === undefined || seenLines >= lines;
      resolve({
        ...(isOver ? { kind: "timeout", detail: "" } : judge(stream, session, headers, bytes, isWhole)),
        phase,
        bytes,
        reused,
        backend: typeof backend === "string" ? backend : undefined,
      });
    });
  });
}

/** The class of a stream that has closed. */
function judge(
  stream: ClientHttp2Stream,
  session: Session,
  headers: IncomingHttpHeaders | undefined,
  bytes: number,
  isWhole: boolean,
): Pick<Outcome, "kind" | "detail"> {
  const status = Number(headers?.[":status"] ?? 0);
  if (headers !== undefined && statusKind(status) !== "ok") return { kind: statusKind(status), detail: String(status) };
  const code = stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
  if (code === constants.NGHTTP2_NO_ERROR && headers !== undefined && stream.readableEnded) {
    return { kind: isWhole ? "ok" : "truncated", detail: "" };
  }
  if (session.lastStream !== undefined && (stream.id === undefined || stream.id > session.lastStream)) {
    return { kind: "goaway", detail: "" };
  }
  // Node gives its own errors of the session a code that begins with ERR_HTTP2; those come from a GOAWAY with an error.
  if (session.error !== undefined && !session.error.code?.startsWith("ERR_HTTP2")) {
    const kind = errorKind(session.error);
    return { kind, detail: kind === "error" ? (session.error.code ?? session.error.message) : "" };
  }
  if (session.hasEnded || session.session.destroyed) {
    return { kind: headers === undefined ? "closed" : "truncated", detail: "" };
  }
  // nghttp2 itself resets a stream whose body is shorter than its content-length.
  const length = headers?.["content-length"];
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
