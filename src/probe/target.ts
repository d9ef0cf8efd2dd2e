/**
 * What a run is aimed at, read from the words on the command line.
 */

/** What is spoken to a target. */
export type Scheme = keyof typeof DEFAULT_PORT;

/** One target of a run. */
export interface Target {
  readonly scheme: Scheme;
  /** Host name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query to request; undefined when the word had none and the scenario's own applies. */
  readonly path: string | undefined;
  /** `host:port`, the name of the target in every output. */
  readonly label: string;
}

/** A target that was read, or the sentence that says why it is none. */
export type ParsedTarget = { ok: true; target: Target } | { ok: false; reason: string };

const DEFAULT_PORT = { http: 80, https: 443, tcp: 0, ws: 80, wss: 443 } as const;

/**
 * Reads a target: `http://host[:port][/path]`, `https://…`, `tcp://host:port`, `ws://…` or `wss://…`.
 *
 * @param word what the person wrote
 */
export function parseTarget(word: string): ParsedTarget {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  const scheme = url?.protocol.slice(0, -1);
  if (url === undefined || !isScheme(scheme)) {
    return refused(
      word,
      "is not a target; write http://host:port/path, https://host, tcp://host:port or ws://host:port",
    );
  }
  if (url.username !== "" || url.password !== "") {
    return refused(withoutLogin(word), "has a user or password in it; send it with --header instead");
  }
  const port = url.port === "" ? DEFAULT_PORT[scheme] : Number(url.port);
  if (url.hostname === "") return refused(word, "names no host");
  if (port === 0) return refused(word, "names no port; write tcp://host:port");
  const path = `${url.pathname}${url.search}`;
  return {
    ok: true,
    target: {
      scheme,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port,
      path: path === "/" || path === "" ? undefined : path,
      label: `${url.hostname}:${port}`,
    },
  };
}

function isScheme(text: string | undefined): text is Scheme {
  return text !== undefined && Object.hasOwn(DEFAULT_PORT, text);
}

function refused(word: string, reason: string): ParsedTarget {
  return { ok: false, reason: `${JSON.stringify(word)} ${reason}.` };
}

/** A URL whose user and password are not shown again. */
function withoutLogin(url: string): string {
  const start = url.indexOf("//") + 2;
  return `${url.slice(0, start)}…${url.slice(url.indexOf("@", start))}`;
}
