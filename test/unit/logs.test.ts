/**
 * docs/logs.md lists every event that the code can log, and no other.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { documentedEvents } from "./log-events.ts";

const HC = /\blog\(\s*(?:"(?:debug|info|warn|error)"|level),\s*"([a-z-]+)"/g;
const WEBHOOK = /\bevent: "([a-z-]+)"/g;

for (const [process, folders, pattern] of [
  ["hc", ["src/hc/*.ts"], HC],
  ["webhook", ["src/{admission,commands,sources,tls,kube,telemetry}/**/*.ts"], WEBHOOK],
] as const) {
  it(`every event of ${process} is in docs/logs.md`, () => {
    const files = globSync([...folders]).filter((file) => !file.endsWith(".test.ts"));
    const logged = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(pattern)].map((match) => match[1]));
    assert.deepEqual([...new Set(logged)].sort(), [...documentedEvents(process).keys()].sort());
  });
}

it("a call of hc's log is never one that the pattern above does not see", () => {
  for (const file of globSync("src/hc/*.ts")) {
    if (file.endsWith(".test.ts") || file.endsWith("/log.ts")) continue;
    const text = readFileSync(file, "utf8");
    const calls = [...text.matchAll(/(?:\.|\s|#)log\(/g)].length;
    assert.equal([...text.matchAll(HC)].length, calls, `${file} logs in a way that this test cannot read`);
  }
});
