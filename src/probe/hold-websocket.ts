/**
 * One WebSocket that is held open: what gateways and balancers find hardest to let go, since nothing but its two ends
 * ends it.
 *
 * A close frame from the other side (1001, going away) is as much a loss as a FIN: this client did not want to go.
 */
import { WebSocket } from "ws";
import { type Holding, Session, type SessionEnd, TEXT } from "./held.ts";

/** Where probe-target answers WebSockets. */
const PATH = "/ws";

/** Holds one WebSocket until it breaks or the time is up. */
export function holdWebSocket(holding: Holding): Promise<SessionEnd> {
  const { target, lookup, spec } = holding;
  const { headers, insecure, ca } = spec.client;
  const host = target.host.includes(":") ? `[${target.host}]` : target.host;
  const socket = new WebSocket(`${target.scheme}://${host}:${target.port}${target.path ?? PATH}`, {
    headers,
    perMessageDeflate: false,
    rejectUnauthorized: !insecure,
    lookup,
    ...(ca === undefined ? {} : { ca }),
  });
  let bytes = 0;
  const session = new Session(holding, {
    send: () => socket.send(TEXT),
    close: () => socket.close(1000),
    destroy: () => socket.terminate(),
    bytes: () => bytes,
  });
  socket.on("open", () => session.opened());
  socket.on("message", (data: Buffer) => {
    bytes += data.length;
    session.echo();
  });
  // The upgrade was answered as any request is: with a status of the gateway's.
  socket.on("unexpected-response", (_, { statusCode = 0 }) => {
    session.lost(statusCode >= 500 ? "5xx" : "status", String(statusCode));
  });
  socket.on("close", (code) => session.lost("closed", code === 1006 ? "" : String(code)));
  socket.on("error", (error) => session.failed(error));
  return session.ended;
}
