import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { filesAt, watchFiles } from "./watch-files.ts";

const root = mkdtempSync(join(tmpdir(), "gracegate-"));
after(() => rmSync(root, { recursive: true }));

let count = 0;
function folder(): string {
  const path = join(root, `f${++count}`);
  mkdirSync(path);
  return path;
}

/** How often a change was seen after each step; gives up waiting for one after a while. */
async function seen(paths: readonly string[], ...steps: readonly (() => void)[]): Promise<readonly number[]> {
  const stop = new AbortController();
  let changes = 0;
  const watching = watchFiles(paths, () => (changes += 1), stop.signal, 2);
  const counts: number[] = [];
  for (const step of steps) {
    const before = changes;
    step();
    for (let turn = 0; turn < 250 && changes === before; turn++) await wait(4);
    counts.push(changes);
  }
  stop.abort();
  await watching;
  return counts;
}

describe("watchFiles", () => {
  it("sees that Kubernetes swapped the link of a mounted ConfigMap", async () => {
    const path = folder();
    const put = (version: string, text: string) => {
      mkdirSync(join(path, version));
      writeFileSync(join(path, version, "p.yaml"), text);
    };
    put("..1", "same");
    symlinkSync("..1", join(path, "..data"));
    symlinkSync(join("..data", "p.yaml"), join(path, "p.yaml"));
    const swap = () => {
      put("..2", "same");
      symlinkSync("..2", join(path, "..data_tmp"));
      renameSync(join(path, "..data_tmp"), join(path, "..data"));
      rmSync(join(path, "..1"), { recursive: true });
    };
    assert.deepEqual(await seen([path], swap), [1]);
  });

  it("sees a file that is replaced, one that goes, and one that comes back", async () => {
    const file = join(folder(), "p.yaml");
    writeFileSync(file, "a");
    const replace = () => {
      writeFileSync(`${file}.new`, "b");
      renameSync(`${file}.new`, file);
    };
    assert.deepEqual(
      await seen(
        [file],
        replace,
        () => rmSync(file),
        () => writeFileSync(file, "c"),
      ),
      [1, 2, 3],
    );
  });

  it("sees a new file in a folder, and no hidden one", async () => {
    const path = folder();
    assert.deepEqual(
      await seen(
        [path],
        () => writeFileSync(join(path, ".swp"), "x"),
        () => writeFileSync(join(path, "a"), "x"),
      ),
      [0, 1],
    );
  });

  it("does not call where nothing changed, and ends with its signal", async () => {
    assert.deepEqual(await seen([folder()], () => undefined), [0]);
  });
});

describe("filesAt", () => {
  it("a file is itself", () => {
    const file = join(folder(), "a");
    writeFileSync(file, "");
    assert.deepEqual(filesAt(file), [file]);
  });
  it("a folder is its visible files, sorted, without folders", () => {
    const path = folder();
    for (const name of ["b", "a", ".c"]) writeFileSync(join(path, name), "");
    mkdirSync(join(path, "d"));
    assert.deepEqual(filesAt(path), [join(path, "a"), join(path, "b")]);
  });
  it("a link that leads nowhere is left out of a folder", () => {
    const path = folder();
    writeFileSync(join(path, "a.yaml"), "");
    symlinkSync("nowhere", join(path, "b.yaml"));
    assert.deepEqual(filesAt(path), [join(path, "a.yaml")]);
  });

  it("what is not there throws", () => assert.throws(() => filesAt(join(root, "nowhere")), /ENOENT/));
});
