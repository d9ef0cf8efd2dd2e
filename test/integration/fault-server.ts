/**
 * A server that breaks requests in a known way at a known rate, for HTTP/1.1 and HTTP/2.
 *
 * It is a fake on purpose: no real server can be made to reset exactly every fifth request. HTTP/1.1 is written by hand
 * on a TCP socket, since a server library would put right what is to be wrong.
 */
import { constants, createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** What can be done to a request. */
export const faults = [
  "reset before the answer",
  "reset in the body",
  "close without an answer",
  "truncate chunked",
  "truncate content-length",
  "502",
  "404",
  "truncate a 500",
  "reset a 500",
  "101",
  "101 with an upgrade",
  "stall",
  "cancel",
  "cancel in the body",
  "refuse the stream",
  "goaway",
  "goaway with an error",
] as const;

/** One of the faults; those from `cancel` on are HTTP/2 only, cut 500s and 101s HTTP/1.1 only. */
export type Fault = (typeof faults)[number];

/** A running fault server. */
export interface FaultServer {
  readonly port: number;
  /** Requests that were broken. */
  broken(): number;
  stop(): Promise<void>;
}

/** Starts a server that does `fault` to every `every`th request and answers the others with 200. */
export async function faultServer(protocol: "h1" | "h2", fault: Fault, every: number): Promise<FaultServer> {
  let requests = 0;
  let broken = 0;
  const isNext = () => {
    requests += 1;
    if (requests % every !== 0) return false;
    broken += 1;
    return true;
  };
  const sockets = new Set<Socket>();
  const server: Server = protocol === "h1" ? createServer() : createHttp2Server();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    if (protocol === "h1") serveHttp1(socket, fault, isNext);
  });
  if (protocol === "h2") {
    // The raw socket of a session is needed for a reset; connections and sessions come in pairs, in this order.
    let latest: Socket | undefined;
    server.prependListener("connection", (socket: Socket) => {
      latest = socket;
    });
    server.on("session", (session) => {
      const socket = latest;
      session.on("error", () => undefined);
      session.on("stream", (stream: ServerHttp2Stream) => serveStream(stream, socket, fault, isNext));
    });
    server.on("sessionError", () => undefined);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    broken: () => broken,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port of 127.0.0.1 at which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Time for the first part of an answer to arrive before the connection is reset, which throws unread data away. */
const ARRIVAL_MS = 30;

function serveHttp1(socket: Socket, fault: Fault, isNext: () => boolean): void {
  let waiting = "";
  socket.on("data", (piece) => {
    waiting += piece.toString("latin1");
    for (let end = waiting.indexOf("\r\n\r\n"); end !== -1; end = waiting.indexOf("\r\n\r\n")) {
      waiting = waiting.slice(end + 4);
      if (isNext()) breakHttp1(socket, fault);
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n");
    }
  });
}

function breakHttp1(socket: Socket, fault: Fault): void {
  const head = "HTTP/1.1 200 OK\r\n";
  switch (fault) {
    case "reset before the answer":
      socket.resetAndDestroy();
      break;
    case "reset in the body":
      socket.write(`${head}content-length: 100\r\n\r\nhalf`);
      setTimeout(() => socket.resetAndDestroy(), ARRIVAL_MS);
      break;
    case "close without an answer":
      socket.end();
      break;
    case "truncate chunked":
      socket.end(`${head}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`);
      break;
    case "truncate content-length":
      socket.end(`${head}content-length: 100\r\n\r\nhalf`);
      break;
    case "502":
      socket.write("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
      break;
    case "404":
      socket.write("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
      break;
    case "truncate a 500":
      socket.end("HTTP/1.1 500 Sorry\r\ncontent-length: 100\r\n\r\nhalf");
      break;
    case "reset a 500":
      socket.write("HTTP/1.1 500 Sorry\r\ncontent-length: 100\r\n\r\nhalf");
      setTimeout(() => socket.resetAndDestroy(), ARRIVAL_MS);
      break;
    case "101":
      socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
      break;
    case "101 with an upgrade":
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
      break;
    case "stall":
      break;
    default:
      throw new Error(`HTTP/1.1 has no ${fault}`);
  }
}

function serveStream(stream: ServerHttp2Stream, socket: Socket | undefined, fault: Fault, isNext: () => boolean): void {
  stream.on("error", () => undefined);
  if (!isNext()) {
    stream.respond({ ":status": 200 });
    stream.end("ok\n");
    return;
  }
  switch (fault) {
    case "reset before the answer":
      socket?.resetAndDestroy();
      break;
    case "reset in the body":
      stream.respond({ ":status": 200 });
      stream.write("half");
      setTimeout(() => socket?.resetAndDestroy(), ARRIVAL_MS);
      break;
    case "close without an answer":
      socket?.destroy();
      break;
    case "truncate chunked":
      stream.respond({ ":status": 200 });
      stream.write("half");
      setTimeout(() => socket?.destroy(), ARRIVAL_MS);
      break;
    case "truncate content-length":
      stream.respond({ ":status": 200, "content-length": 100 });
      stream.end("half");
      break;
    case "502":
    case "404":
      stream.respond({ ":status": Number(fault) }, { endStream: true });
      break;
    case "stall":
      break;
    case "cancel":
      stream.close(constants.NGHTTP2_CANCEL);
      break;
    case "cancel in the body":
      stream.respond({ ":status": 200 });
      stream.write("half");
      setTimeout(() => stream.destroy(new Error("on purpose")), ARRIVAL_MS);
      break;
    case "refuse the stream":
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      break;
    case "goaway with an error":
      stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, (stream.id ?? 3) - 2);
      break;
    case "goaway":
      // All streams up to the one before were processed, ours was not.
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR, (stream.id ?? 3) - 2);
      break;
    default:
      throw new Error(`HTTP/2 has no ${fault} here; see h2-frames.ts`);
  }
}
