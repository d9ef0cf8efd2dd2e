import assert from "node:assert/strict";
import { test } from "node:test";
import { wasToldToStop } from "./early-stop.ts";

/** As Linux 6 writes it; Node 24 has been started and has handlers of its own. */
const status = (caught: string) => `Name:\tnode\nSigIgn:\t0000000001001000\nSigCgt:\t${caught}\nCapInh:\t0\n`;

const cases: readonly [name: string, pid: number, text: string, told: boolean][] = [
  ["both of Node's handlers are there: nobody said anything", 1, status("0000000100004602"), false],
  ["the one for SIGTERM is used up", 1, status("0000000100000602"), true],
  ["another pid than 1 would have ended", 7, status("0000000100000602"), false],
  ["a Node without such handlers tells nothing", 1, status("0000000100000600"), false],
  ["another system tells nothing", 1, "", false],
];
for (const [name, pid, text, told] of cases) test(name, () => assert.equal(wasToldToStop(pid, text), told));
