import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { preStopOf, secondsOfCommand } from "./pre-stop.ts";

const shell = (script: string) => secondsOfCommand(["/bin/sh", "-c", script]);

describe("a command's length", () => {
  const programs: readonly [string, readonly string[], number | undefined][] = [
    ["sleep with a number", ["sleep", "15"], 15],
    ["sleep by its path", ["/bin/sleep", "15"], 15],
    ["sleep with a unit", ["sleep", "1m"], 60],
    ["sleep with several times sleeps their sum", ["sleep", "1m", "5s"], 65],
    ["a fraction is rounded up", ["sleep", "0.2"], 1],
    ["sleep without a time", ["sleep"], undefined],
    ["sleep for ever", ["sleep", "infinity"], undefined],
    ["sleep of a variable, which exec does not expand", ["sleep", "$T"], undefined],
    ["another program", ["/usr/sbin/nginx", "-s", "quit"], undefined],
    ["an empty command", [], undefined],
    ["a shell without a script", ["sh"], undefined],
    ["a shell that runs a file", ["sh", "/stop.sh"], undefined],
    ["bash with its options before the script", ["/bin/bash", "-euo", "pipefail", "-c", "sleep 5"], 5],
    ["options in one word with c", ["bash", "-ec", "sleep 5"], 5],
    ["busybox as shell", ["/busybox", "sh", "-c", "sleep 5"], 5],
    ["a flag without a script", ["sh", "-c"], undefined],
    ["a program whose name ends like a shell", ["push", "-c", "sleep 5"], undefined],
    ["a program whose name ends like sleep", ["oversleep", "5"], undefined],
  ];
  for (const [name, command, seconds] of programs) {
    it(name, () => assert.equal(secondsOfCommand(command), seconds));
  }

  const readable: readonly [string, string, number][] = [
    ["one sleep", "sleep 10", 10],
    ["sleeps of several lines are added", "sleep 10\nsleep 5\n", 15],
    ["commands joined by ;", "nginx -s quit; sleep 5", 5],
    ["a word that is only an argument", "echo done if test; sleep 5", 5],
    ["commands joined by &&", "nginx -s quit && sleep 5 && sleep 3", 8],
    ["carriage returns are space", "sleep 10\r\nsleep 5\r\n", 15],
    ["a line that goes on in the next", "sleep \\\n  10", 10],
    ["a comment does not count", "sleep 5 # then sleep 10", 5],
    ["a comment on a line of its own", "# sleep 10\nsleep 5", 5],
    ["a quoted number", "sleep '10'", 10],
    ["a number in double quotes", 'sleep "10"', 10],
    ["a redirection says nothing about the time", "sleep 5 > /dev/null 2>&1", 5],
    ["exec of sleep", "exec sleep 5", 5],
    ["sleep by its path", "/usr/bin/sleep 5; echo done", 5],
    ["hours", "sleep 1h", 3600],
    ["an empty command between two", "sleep 5;; sleep 1", 6],
  ];
  for (const [name, script, seconds] of readable) {
    it(`a script can be read: ${name}`, () => assert.equal(shell(script), seconds));
  }

  const unreadable: readonly [string, string][] = [
    ["a sleep after a test", "[ -f /hold ] && sleep 5"],
    ["no sleep at all", "nginx -s quit"],
    ["a while loop", "while pgrep app; do sleep 1; done"],
    ["an until loop", "until test -f /tmp/done; do sleep 1; done"],
    ["a for loop", "for i in 1 2 3; do sleep 1; done"],
    ["an if", "if test -f /tmp/x; then sleep 5; fi"],
    ["a case", "case $A in x) sleep 5;; esac"],
    ["a variable", "sleep $DRAIN"],
    ["a variable in braces", `sleep "$\{DRAIN:-10}"`],
    ["an arithmetic expression", "sleep $((5*2))"],
    ["a command substitution", "sleep $(cat /drain)"],
    ["backticks", "sleep `cat /drain`"],
    ["a job in the background", "sleep 10 & wait"],
    ["a job in the background at the end", "sleep 10 &"],
    ["a disjunction", "curl -s localhost/drain || sleep 10"],
    ["a subshell", "(sleep 5)"],
    ["a function", "f() { sleep 5; }; f"],
    ["a group", "{ sleep 5; }"],
    ["a negation", "! sleep 5"],
    ["one sleep that can be read and one that cannot", "sleep 5; sleep $T"],
    ["sleep as an argument of another program", "timeout 5 sleep 10"],
    ["sleep in a text, which might be a command of another shell", 'sh -c "sleep 5"; sleep 1'],
    ["a pipe", "sleep 5 | cat"],
  ];
  for (const [name, script] of unreadable) {
    it(`a script cannot be read: ${name}`, () => assert.equal(shell(script), undefined));
  }
});

describe("preStopOf", () => {
  const of = (preStop: unknown) => preStopOf({ name: "app", lifecycle: { preStop } } as never);
  const cases: readonly [string, unknown, string | undefined, number | undefined][] = [
    ["no hook", undefined, undefined, undefined],
    ["an empty hook, which the API server drops", {}, undefined, undefined],
    ["a hook of the wrong type", "sleep", undefined, undefined],
    ["the native sleep", { sleep: { seconds: 12 } }, "sleep", 12],
    ["a native sleep without a number", { sleep: {} }, "sleep", undefined],
    ["a native sleep of a negative number", { sleep: { seconds: -1 } }, "sleep", undefined],
    ["an exec of sleep", { exec: { command: ["sleep", "7"] } }, "exec", 7],
    ["an exec without a command", { exec: {} }, "exec", undefined],
    ["an HTTP request has no length", { httpGet: { path: "/stop", port: 8080 } }, "httpGet", undefined],
    ["a TCP connection has no length", { tcpSocket: { port: 8080 } }, "tcpSocket", undefined],
    ["a handler of a later Kubernetes", { grpc: { port: 1 } }, "unknown", undefined],
  ];
  for (const [name, hook, handler, seconds] of cases) {
    it(name, () => {
      const preStop = of(hook);
      assert.deepEqual([preStop?.handler, preStop?.seconds], [handler, seconds]);
      if (preStop !== undefined) assert.equal(preStop.hook, hook);
    });
  }

  it("a container without lifecycle has none", () => assert.equal(preStopOf({ name: "app" }), undefined));
});
