/**
 * `make run`, as CI runs it: it ends by itself, and what it shows is what the README shows.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { it } from "node:test";

it("the demo shows both pods and ends with 0, and the README has its output", () => {
  const env = { ...process.env, CI: "true", NO_COLOR: "1" };
  const result = spawnSync(process.execPath, ["scripts/demo.ts"], { encoding: "utf8", env });
  assert.equal(result.status, 0, result.stderr);
  const shown = result.stdout.slice(result.stdout.indexOf("== "), result.stdout.indexOf("Try next"));
  assert.match(shown, /examples\/pods\/gateway\.yaml: a gateway, with edge\/default/);
  assert.match(shown, /examples\/pods\/sidecar\.yaml: a sidecar, with shop\/default, shop\/cart/);
  const readme = readFileSync("README.md", "utf8");
  assert.ok(readme.includes(shown.trim()), "README.md shows another output; paste the one of make run");
});
