import assert from "node:assert/strict";
import { test } from "node:test";
import { profiles } from "../balancers/profiles.ts";
import { answersOf } from "./answers.ts";
import type { Phase } from "./states.ts";

/** What the load balancer is told: status and body, by phase. */
function told(profile: keyof typeof profiles, overrides = {}): Record<Phase, string> {
  const entries = Object.entries(answersOf(profiles[profile], overrides)).map(([phase, { lb }]) => [
    phase,
    `${lb.status} ${lb.body.toString().trim()}`,
  ]);
  return Object.fromEntries(entries);
}

const closing = {
  starting: "503 CLOSED",
  open: "200 OPEN",
  closing: "503 CLOSING",
  closed: "503 CLOSED",
  dead: "503 FAULT",
};

test("without a drain answer the answer of OPEN is held", () => {
  assert.deepEqual(told("generic"), { ...closing, draining: "200 OPEN", overdue: "200 OPEN" });
});

test("haproxy stops new work with 404", () => {
  assert.deepEqual(told("haproxy"), { ...closing, draining: "404 DRAINING", overdue: "404 DRAINING" });
});

test("f5 reads the body", () => {
  assert.equal(told("f5").draining, "200 DRAINING");
});

test("a balancer that keeps sessions is told 503 at once", () => {
  assert.equal(told("aws-alb").draining, "503 DRAINING");
});

test("a policy replaces status, body or both", () => {
  const answers = told("generic", {
    open: { body: "ok" },
    draining: { status: 418 },
    fault: { status: 500, body: "dead" },
  });
  assert.equal(answers.open, "200 ok");
  assert.equal(answers.draining, "418 DRAINING");
  assert.equal(answers.dead, "500 dead");
  assert.equal(answers.overdue, "418 DRAINING", "a fault with work left looks like the drain");
});

test("a held answer is the policy's answer of OPEN, to the byte", () => {
  const { open, draining } = answersOf(profiles.generic, { open: { body: "ok" } });
  assert.equal(draining.lb, open.lb);
});
