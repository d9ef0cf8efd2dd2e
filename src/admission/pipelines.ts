/**
 * Calls that are sent before the ones before them are answered.
 *
 * Node tells every call that it finds in what was read, also after the connection was destroyed, and keeps two objects of
 * some kilobytes for each until the end of the turn: 300 connections with 3,000 calls took more than 320 MiB. The API
 * server waits for each answer, as every client that is written in Go.
 */
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import type { ServerOptions } from "node:https";
import { Socket } from "node:net";

/** Calls that may wait on one connection: a few, since an answer is on its way before Node says that it has gone. */
const MOST = 4;

/**
 * Passes on the calls of clients that wait for their answers, and destroys the connections of others.
 *
 * @param onClosed is told of each connection that is destroyed
 */
export function withoutPipelines(listener: RequestListener, onClosed: () => void): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (request === unheardCall || socket.destroyed) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MOST) {
      socket.destroy();
      onClosed();
      return;
    }
    waiting.set(socket, count);
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    listener(request, response);
  };
}

/** What comes on a connection that is destroyed: all such calls are one, and nothing is kept of them. */
class UnheardCall extends IncomingMessage {
  override push(): boolean {
    return true;
  }
  override destroy(): this {
    return this;
  }
}

class UnheardAnswer extends ServerResponse {
  override on(): this {
    return this;
  }
  override assignSocket(): void {}
  override writeHead(): this {
    return this;
  }
  override writeContinue(): void {}
  override end(): this {
    return this;
  }
}

const unheardCall = new UnheardCall(new Socket());
const unheardAnswer = new UnheardAnswer(unheardCall);

/** The server's options that make one object of all calls that nobody hears: a constructor may return another object. */
export const UNHEARD = {
  IncomingMessage: function Call(socket: Socket) {
    return socket.destroyed ? unheardCall : new IncomingMessage(socket);
  },
  ServerResponse: function Answer(...made: ConstructorParameters<typeof ServerResponse>) {
    return made[0] === unheardCall ? unheardAnswer : new ServerResponse(...made);
  },
} as unknown as Pick<ServerOptions, "IncomingMessage" | "ServerResponse">;
