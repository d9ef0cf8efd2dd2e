/**
 * Traffic whose truth is known: each piece is in flight from its start until it ends.
 */
import { Agent, get, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";

/** One piece of traffic. */
export interface Piece {
  /** Resolves when it has its whole answer; rejects if it is cut. */
  readonly done: Promise<Answered>;
  end(): void;
}

/** A whole answer. */
export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly connection: string | undefined;
}

/** A request; `end` hangs up. */
export function ask(port: number, path: string, agent: Agent | false = false): Piece {
  let end = () => {};
  const done = new Promise<Answered>((resolve, reject) => {
    const outgoing = get({ host: "127.0.0.1", port, path, agent }, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      incoming.once("end", () =>
        resolve({ status: incoming.statusCode ?? 0, body, connection: connectionOf(incoming) }),
      );
      incoming.once("error", reject);
    });
    outgoing.once("error", reject);
    end = () => outgoing.destroy();
  });
  done.catch(() => {});
  return { done, end: () => end() };
}

function connectionOf({ headers }: IncomingMessage): string | undefined {
  return headers.connection;
}

/** An agent that keeps its connection: after a request it is idle, and counts as no work. */
export function keepAlive(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** A WebSocket that stays open until it is ended. */
export function webSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": Buffer.from("gracegate-e2e-ws").toString("base64"),
    };
    const outgoing = request({ host: "127.0.0.1", port, path: "/ws", agent: false, headers });
    outgoing.once("upgrade", (_, socket: Socket) => {
      socket.on("error", () => {});
      resolve(socket);
    });
    outgoing.once("response", ({ statusCode }) => reject(new Error(`the upgrade was answered with ${statusCode}`)));
    outgoing.once("error", reject);
    outgoing.end();
  });
}

/** A TCP connection that has been echoed to once. */
export function tcp(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("hello\n"));
    socket.once("data", () => resolve(socket));
    socket.once("error", reject);
  });
}
