import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { written } from "../budget/formula.ts";
import { type HaproxyServer, haproxyServers } from "./haproxy-config.ts";
import { chooseServer } from "./plan/haproxy-choice.ts";

const own = {
  check: true,
  interMs: 2000,
  fastInterMs: undefined,
  downInterMs: undefined,
  checkSsl: false,
  unread: {},
  fall: 3,
  rise: 2,
  port: undefined,
  shutdownSessions: false,
  disableOn404: false,
  httpCheck: false,
  timeoutCheckMs: undefined,
};

const cases: readonly [name: string, text: string, expected: readonly Partial<HaproxyServer>[]][] = [
  [
    "HAProxy's own numbers hold where nothing is said",
    "backend b\n server s 1.2.3.4:80 check\n",
    [{ ...own, line: 2, backend: "b", server: "s" }],
  ],
  [
    "times have units, and are milliseconds without one",
    "listen l\n server a h:1 check inter 500\n server b h:1 check inter 1m\n server c h:1 check inter 3s fall 5 rise 1 port 30180",
    [{ interMs: 500 }, { interMs: 60_000 }, { interMs: 3000, fall: 5, rise: 1, port: 30_180 }],
  ],
  [
    "default-server counts for the lines below it, the section's options for all of them",
    "backend b\n server a h:1 check\n default-server inter 7s on-marked-down shutdown-sessions\n server b h:1 check\n option httpchk\n http-check disable-on-404\n timeout check 3s",
    [
      { interMs: 2000, shutdownSessions: false, disableOn404: true, httpCheck: true, timeoutCheckMs: 3000 },
      { interMs: 7000, shutdownSessions: true, disableOn404: true, httpCheck: true },
    ],
  ],
  [
    "defaults count for the sections below them, until the next; `from` names others",
    "defaults d1\n default-server fall 9\n option httpchk\ndefaults\n timeout check 9s\nbackend b\n server a h:1 check\nbackend c from d1\n server a h:1 check",
    [
      { fall: 3, timeoutCheckMs: 9000, httpCheck: false },
      { fall: 9, timeoutCheckMs: undefined, httpCheck: true },
    ],
  ],
  [
    "quotes, comments and backslashes are read as HAProxy does",
    'backend b # server x\n # server y h:1\n server "a b" h:1 check # inter 9s\n server c\\ d h:1',
    [
      { server: "a b", interMs: 2000 },
      { server: "c d", check: false },
    ],
  ],
  [
    "a template of servers counts as one line",
    "backend b\n server-template web 1-3 h:80 check inter 4s",
    [{ server: "web1-3", interMs: 4000 }],
  ],
  [
    "no-check and a later word win",
    "backend b\n default-server check\n server a h:1 no-check\n server b h:1",
    [{ check: false }, { check: true }],
  ],
  [
    "fastinter, downinter and check-ssl have their own place, and no-check-ssl takes back",
    "backend b\n default-server downinter 30s fastinter 500 check-ssl\n server a h:1 check\n server b h:1 check no-check-ssl downinter 1m",
    [
      { interMs: 2000, fastInterMs: 500, downInterMs: 30_000, checkSsl: true },
      { fastInterMs: 500, downInterMs: 60_000, checkSsl: false },
    ],
  ],
  [
    "what cannot be read is kept as it stands, until a line says it better",
    'backend b\n timeout check x\n default-server inter "$INT" fall abc\n server a h:1 check\n server b h:1 check inter 4s fall 2',
    [
      { interMs: 2000, fall: 3, unread: { inter: "$INT", fall: "abc", "timeout check": "x" } },
      { interMs: 4000, fall: 2, unread: { "timeout check": "x" } },
    ],
  ],
  ["a frontend and a global section have no servers", "global\n server x h:1\nfrontend f\n server y h:1\n", []],
];

describe("haproxyServers", () => {
  for (const [name, text, expected] of cases) {
    it(name, () => {
      const servers = haproxyServers(text);
      assert.equal(servers.length, expected.length);
      for (const [index, part] of expected.entries()) assert.deepEqual({ ...servers[index], ...part }, servers[index]);
    });
  }
});

describe("chooseServer", () => {
  const choice = (text: string) => chooseServer(haproxyServers(`backend b\n${text}`));

  it("takes the slowest check, and says so", () => {
    const made = choice(" server a h:1 check\n server b h:1 check inter 1s fall 9\n option httpchk");
    assert.equal(made?.slowest.server, "b");
    assert.match(made?.findings.join("\n") ?? "", /b\/b is the slowest and decides/);
  });

  it("is haproxy only where every server drains on 404", () => {
    assert.equal(choice(" server a h:1 check\n http-check disable-on-404")?.profile, "haproxy");
    assert.equal(choice(" server a h:1 check")?.profile, "generic");
  });

  it("sees whether sessions are kept where there is no drain answer", () => {
    assert.equal(choice(" server a h:1 check")?.keepsSessions, true);
    const cut = choice(" server a h:1 check on-marked-down shutdown-sessions");
    assert.equal(cut?.keepsSessions, false);
    assert.match(cut?.findings.join("\n") ?? "", /shutdown-sessions cuts what is in flight/);
  });

  it("tells of servers without a check, of TCP checks and of checks at the traffic's port", () => {
    const findings = choice(" server a h:1\n server b h:1 check")?.findings.join("\n") ?? "";
    assert.match(findings, /b\/a: no check/);
    assert.match(findings, /b\/b: the check is a TCP connect/);
    assert.match(findings, /b\/b: no check port/);
  });

  it("counts the way back with downinter and fastinter, and without timeout check with inter", () => {
    const line = " server a h:1 check inter 2s rise 3";
    assert.equal(choice(line)?.wayBack, undefined);
    const wayBack = (text: string) => {
      const found = choice(text)?.wayBack;
      return found && written(found);
    };
    const slow = choice(`${line} downinter 30s fastinter 1s`);
    assert.equal(wayBack(`${line} downinter 30s fastinter 1s`), "2s + 30s + 2 × 1s + 2s = 36s");
    assert.match(slow?.findings.join("\n") ?? "", /b\/a: downinter or fastinter decide how soon/);
    assert.equal(wayBack(`${line} downinter 30s\n timeout check 1s`), "1s + 30s + 2 × 2s + 2s = 37s");
  });

  it("tells of values that cannot be read, and of checks by TLS", () => {
    const findings = choice(' server a h:1 check inter "$INT" rise x check-ssl')?.findings.join("\n") ?? "";
    assert.match(findings, /b\/a: inter \$INT cannot be read here; 2000 ms is taken for it/);
    assert.match(findings, /b\/a: rise x cannot be read here; 2 is taken for it/);
    assert.match(findings, /b\/a: check-ssl, but hc answers plain HTTP/);
  });

  it("has nothing to choose from where nothing is checked", () => {
    assert.equal(choice(" server a h:1"), undefined);
  });
});
