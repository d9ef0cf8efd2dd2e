/**
 * Reads from a HAProxy configuration how each server of its backends is checked.
 *
 * Only what decides about a drain is read: inter, fastinter, downinter, fall, rise, the check's port, check-ssl,
 * `on-marked-down shutdown-sessions`, `http-check disable-on-404`, `timeout check`. Values come from the server line, its section's default-server lines,
 * the section's defaults (the one named with `from`, else the nearest above), then HAProxy's own: inter 2s fall 3 rise 2.
 */

/** How one server is checked. */
export interface HaproxyServer {
  readonly backend: string;
  readonly server: string;
  /** Line of the file; the first is 1. */
  readonly line: number;
  /** Whether it is checked at all. */
  readonly check: boolean;
  /** Milliseconds. */
  readonly interMs: number;
  /** Between checks of a server on its way up or down; undefined: inter. */
  readonly fastInterMs: number | undefined;
  /** Between checks of a server that is DOWN; undefined: inter. */
  readonly downInterMs: number | undefined;
  readonly fall: number;
  readonly rise: number;
  /** Port of the check where it is not the server's own. */
  readonly port: number | undefined;
  /** The check speaks TLS. */
  readonly checkSsl: boolean;
  /** Settings whose value cannot be read here, such as an environment variable, with that value. */
  readonly unread: Readonly<Record<string, string>>;
  readonly shutdownSessions: boolean;
  readonly disableOn404: boolean;
  /** Whether checks are HTTP at all. */
  readonly httpCheck: boolean;
  /** `timeout check`, milliseconds. */
  readonly timeoutCheckMs: number | undefined;
}

/** What a server line and the default-server lines above it say. */
type ServerLine = Omit<HaproxyServer, "disableOn404" | "httpCheck" | "timeoutCheckMs">;

interface Section {
  readonly kind: string;
  readonly name: string;
  serverDefaults: Partial<ServerLine>;
  disableOn404: boolean;
  httpCheck: boolean;
  timeoutCheckMs: number | undefined;
  unreadTimeout: string | undefined;
}

const SECTIONS = /^(global|defaults|frontend|backend|listen|peers|resolvers|userlist|cache|program|mailers|ring)$/;

/** Reads all server lines of backends and listen sections. */
export function haproxyServers(text: string): readonly HaproxyServer[] {
  const servers: { readonly section: Section; readonly server: ServerLine }[] = [];
  const defaults = new Map<string, Section>();
  let nearest: Section | undefined;
  let section: Section | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [keyword = "", ...words] = wordsOf(line);
    if (SECTIONS.test(keyword)) {
      const from = words.indexOf("from");
      const parent = from === -1 ? nearest : defaults.get(words[from + 1] ?? "");
      section = sectionOf(keyword, words[0] ?? "", keyword === "defaults" && from === -1 ? undefined : parent);
      if (keyword === "defaults") {
        nearest = section;
        defaults.set(section.name, section);
      }
    } else if (section !== undefined) {
      if (isServerLine(keyword) && (section.kind === "backend" || section.kind === "listen")) {
        servers.push({ section, server: serverOf(section, keyword, words, index + 1) });
      } else readLine(section, keyword, words);
    }
  }
  // default-server counts for the lines below it, everything else for the whole section.
  return servers.map(({ section: { disableOn404, httpCheck, timeoutCheckMs, unreadTimeout }, server }) => ({
    ...server,
    unread: unreadTimeout === undefined ? server.unread : { ...server.unread, "timeout check": unreadTimeout },
    disableOn404,
    httpCheck,
    timeoutCheckMs,
  }));
}

function isServerLine(keyword: string): boolean {
  return keyword === "server" || keyword === "server-template";
}

function sectionOf(kind: string, name: string, parent: Section | undefined): Section {
  return {
    kind,
    name,
    serverDefaults: { ...parent?.serverDefaults },
    disableOn404: parent?.disableOn404 ?? false,
    httpCheck: parent?.httpCheck ?? false,
    timeoutCheckMs: parent?.timeoutCheckMs,
    unreadTimeout: parent?.unreadTimeout,
  };
}

function readLine(section: Section, keyword: string, words: readonly string[]): void {
  if (keyword === "default-server") {
    section.serverDefaults = withParameters(section.serverDefaults, words);
  }
  if (keyword === "http-check" && words[0] === "disable-on-404") section.disableOn404 = true;
  if (keyword === "option" && words[0] === "httpchk") section.httpCheck = true;
  if (keyword === "option" && /^(tcp-check|ssl-hello-chk|mysql-check|pgsql-check|redis-check)$/.test(words[0] ?? "")) {
    section.httpCheck = false;
  }
  if (keyword === "timeout" && words[0] === "check") {
    const text = words[1] ?? "";
    section.timeoutCheckMs = milliseconds(text);
    section.unreadTimeout = section.timeoutCheckMs === undefined ? text : undefined;
  }
}

function serverOf(section: Section, keyword: string, words: readonly string[], line: number): ServerLine {
  const [name = "", second = ""] = words;
  const server = keyword === "server" ? name : `${name}${second}`;
  const given = withParameters(section.serverDefaults, words.slice(keyword === "server" ? 2 : 3));
  return {
    backend: section.name,
    server,
    line,
    check: false,
    interMs: 2000,
    fastInterMs: undefined,
    downInterMs: undefined,
    checkSsl: false,
    unread: {},
    fall: 3,
    rise: 2,
    port: undefined,
    shutdownSessions: false,
    ...given,
  };
}

/** What `default-server` and server lines say about numbers, and how each is read. */
const NUMBERS = {
  inter: ["interMs", milliseconds],
  fastinter: ["fastInterMs", milliseconds],
  downinter: ["downInterMs", milliseconds],
  fall: ["fall", count],
  rise: ["rise", count],
  port: ["port", count],
} as const;

function withParameters(before: Partial<ServerLine>, words: readonly string[]): Partial<ServerLine> {
  const result: { -readonly [Key in keyof ServerLine]?: ServerLine[Key] } = { ...before };
  const unread: Record<string, string> = { ...before.unread };
  for (const [index, word] of words.entries()) {
    const next = words[index + 1] ?? "";
    if (word === "check" || word === "no-check") result.check = word === "check";
    if (word === "check-ssl" || word === "no-check-ssl") result.checkSsl = word === "check-ssl";
    if (word === "on-marked-down") result.shutdownSessions = next === "shutdown-sessions";
    if (!Object.hasOwn(NUMBERS, word)) continue;
    const [key, read] = NUMBERS[word as keyof typeof NUMBERS];
    const value = read(next);
    if (value === undefined) unread[word] = next;
    else {
      delete unread[word];
      result[key] = value;
    }
  }
  return { ...result, unread };
}

function count(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time of HAProxy; without a unit it is milliseconds. */
function milliseconds(text: string): number | undefined {
  const match = /^([0-9]+)(us|ms|s|m|h|d)?$/.exec(text);
  return match ? Number(match[1]) * (UNIT_MS[match[2] ?? "ms"] ?? 1) : undefined;
}

/** The words of a line: quotes hold words together, a backslash the next character, # starts a comment. */
function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/#.*|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s#"'\\])+/g);
  return [...words]
    .map(([word]) => word)
    .filter((word) => !word.startsWith("#"))
    .map((word) => word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, a, b, c) => a ?? b ?? c));
}
