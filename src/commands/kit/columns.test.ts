import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { columnsOf } from "./columns.ts";

describe("columnsOf", () => {
  it("is what the terminal says, and 80 where it does not know", () => {
    assert.deepEqual([{ columns: 120 }, { columns: 0 }, { columns: undefined }, {}].map(columnsOf), [120, 80, 80, 80]);
  });

  const hasScript = spawnSync("script", ["--version"]).status === 0;
  it("keeps sentences whole in a terminal without a size", { skip: hasScript ? false : "script is not there" }, () => {
    const command = `"${process.execPath}" src/main.ts plan --lb haproxy`;
    // With no terminal on its own stdin, script makes one of 0 columns.
    const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8", input: "" });
    assert.match(stdout, /Assumed: a p99 of 30s \(--p99 says yours\)\./);
  });
});
