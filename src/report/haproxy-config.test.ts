import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type HaproxyServer, haproxyServers } from "./haproxy-config.ts";
import { chooseServer } from "./plan/haproxy-choice.ts";

const own = {
  check: true,
  interMs: 2000,
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

  it("has nothing to choose from where nothing is checked", () => {
    assert.equal(choice(" server a h:1"), undefined);
  });
});
