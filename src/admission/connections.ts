/**
 * The webhook's connections, within a bound: beyond it one that has been idle longest goes, of whoever has most of them.
 *
 * A connection after its handshake takes 63 KiB (measured on Node 24, 2,000 at once). 512 of them take 32 MiB of the
 * 320 MiB that the chart gives a replica, beside 64 MiB of bodies. An API server keeps some 25 idle connections to a
 * webhook and opens one more for each call that finds none, so the bound serves many API servers. A new connection is
 * never refused: it may be the API server's.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import { firstToGo } from "./crowd.ts";

/** Connections at once, those in their handshake among them. */
export const MAX_CONNECTIONS = 512;

/** Handshakes at once: a stranger who opens connections and says nothing may not push out those that have spoken. */
const MAX_HANDSHAKES = 256;

/**
 * Bounds a server's connections.
 *
 * @param onClosed is told of each connection that went because of the bound
 */
export function boundConnections(server: Server, onClosed: () => void = () => undefined): void {
  /** In order of age. */
  const handshakes = new Map<string, Socket>();
  /** In order of age: no call is under way on them. */
  const idle = new Set<Socket>();
  /** In order of age: a call is under way. */
  const busy = new Set<Socket>();

  const oldest = (): Socket | undefined => {
    const [shaking] = handshakes.values();
    if (handshakes.size > MAX_HANDSHAKES) return shaking;
    return oldestOfCrowd(idle) ?? shaking ?? oldestOfCrowd(busy);
  };
  const close = () => {
    const socket = oldest();
    if (socket === undefined) return;
    for (const set of [idle, busy]) set.delete(socket);
    handshakes.delete(placeOf(socket));
    socket.destroy();
    onClosed();
  };

  server.on("connection", (socket: Socket) => {
    const place = placeOf(socket);
    handshakes.set(place, socket);
    socket.once("close", () => handshakes.delete(place));
    while (handshakes.size > MAX_HANDSHAKES || handshakes.size + idle.size + busy.size > MAX_CONNECTIONS) close();
  });
  server.on("secureConnection", (socket: Socket) => {
    handshakes.delete(placeOf(socket));
    idle.add(socket);
    socket.once("close", () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    busy.add(socket);
    response.once("close", () => {
      if (busy.delete(socket) && !socket.destroyed) idle.add(socket);
    });
  });
}

/** @param sockets in order of age */
function oldestOfCrowd(sockets: ReadonlySet<Socket>): Socket | undefined {
  const holders = Array.from(sockets, (socket, since) => ({
    address: socket.remoteAddress ?? "",
    weight: 1,
    since,
    socket,
  }));
  return firstToGo(new Set(holders))?.socket;
}

/** Names a connection the same before its handshake and after it, when Node shows another socket. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
