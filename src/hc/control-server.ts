/**
 * The control port: what operators and hooks ask for. It listens on loopback only, so that nothing that changes state can
 * be reached from outside the pod; on the host network loopback is the node's.
 *
 * A browser on the same machine, or behind a port-forward, can be made to send requests there: by a page of another
 * origin, which it names in `Origin`, or by a name that is made to point to loopback, which it names in `Host`.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { limitedServer } from "./listen.ts";
import { pathOf } from "./one-request-server.ts";
import type { EventName } from "./states.ts";
import type { Status } from "./status.ts";

/** What became of a wish. */
export interface WishResult {
  /** Why it was not granted. */
  readonly refused?: string | undefined;
  /** What the operator should know about a wish that was granted. */
  readonly warning?: string | undefined;
}

/** What the server needs. */
export interface ControlSource {
  wish(event: EventName): WishResult;
  status(): Status;
}

/** The paths, and the events that they are. */
export const WISHES: Readonly<Record<string, EventName>> = {
  "/drain": "drain",
  "/close-lb": "close-lb",
  "/close": "close",
  "/reopen": "reopen",
};

/** The names of loopback, with any port: a port-forward has another one. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/i;

/** Makes a server; there is one for each loopback address. */
export function controlServer(source: ControlSource): Server {
  const listener: RequestListener = (request, response) => {
    const path = pathOf(request.url ?? "/");
    const stranger = strangerOf(request);
    if (stranger !== undefined) return json(response, 403, { error: stranger });
    const event = Object.hasOwn(WISHES, path) ? WISHES[path] : undefined;
    if (path === "/status") {
      if (request.method !== "GET") return json(response, 405, { error: "GET /status" }, { Allow: "GET" });
      return json(response, 200, source.status());
    }
    if (event === undefined) {
      return json(response, 404, { error: `the paths are GET /status and POST ${Object.keys(WISHES).join(", ")}` });
    }
    if (request.method !== "POST") return json(response, 405, { error: `POST ${path}` }, { Allow: "POST" });
    const { refused, warning } = source.wish(event);
    if (refused !== undefined) return json(response, 409, { error: refused, ...source.status() });
    const headers = warning === undefined ? {} : { Warning: `199 gracegate ${JSON.stringify(warning)}` };
    return json(response, 200, source.status(), headers);
  };
  return limitedServer(listener);
}

/** Why a request is refused before it is read; a client without Host is no browser. */
function strangerOf({ headers, url = "" }: IncomingMessage): string | undefined {
  if (headers.origin !== undefined) {
    return "requests of web pages are refused, and this one has an Origin; use gracegate hc-ctl, or a client without it";
  }
  const named = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  if (named === undefined || LOCAL.test(named)) return undefined;
  return "the Host is not loopback's; write localhost, 127.0.0.1 or [::1], with or without a port";
}

function json(response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
    ...headers,
  });
  response.end(body);
}
