/**
 * The black-box cases of ../shared, where they are: posted to a running webhook by their own runner.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { DELEGABLE } from "../../src/policy/schema.ts";
import { policyObject } from "../../src/policy/validate.ts";
import { makeFolder, startWebhook } from "./webhook-process.ts";

const cases = "../shared/cases";

/** The cases are older than delegation: each namespace's "platform team" is the cluster's owner, or has its leave. */
const OWNER = policyObject("owner", "gracegate", { delegate: DELEGABLE });

test("every shared case passes", { skip: existsSync(cases) ? false : `${cases} is not there` }, async () => {
  const policies = await run(["policies", cases]);
  assert.equal(policies.code, 0);
  const folder = await makeFolder(`${policies.output}---\n${JSON.stringify(OWNER)}\n`);
  const webhook = await startWebhook(folder);
  try {
    const result = await run(["check", "--url", `https://127.0.0.1:${webhook.port}/mutate`, cases]);
    assert.equal(result.code, 0, result.output);
    assert.match(result.output, /^[1-9][0-9]* passed, 0 failed$/m);
  } finally {
    await webhook.stop();
    folder.remove();
  }
});

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [`${cases}/run.mjs`, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.once("close", (code) => resolve({ code, output }));
  });
}
