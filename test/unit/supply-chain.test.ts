/**
 * Nothing runs or comes into the image that nobody has chosen: no install script, no base image without a digest.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

interface LockedPackage {
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, LockedPackage> };
const dockerfile = readFileSync("Dockerfile", "utf8");

describe("the packages", () => {
  it("run no script when they are installed", () => {
    assert.match(readFileSync(".npmrc", "utf8"), /^ignore-scripts=true$/m);
  });

  it("need none: esbuild's only saves a process, its binary is a package of its own", () => {
    const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    assert.deepEqual(
      scripted.map(([path]) => path),
      ["node_modules/esbuild"],
    );
  });

  it("are each locked by a hash", () => {
    const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
    assert.ok(packages.length > 100);
    assert.deepEqual(
      packages.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-")).map(([path]) => path),
      [],
    );
  });
});

describe("the base image", () => {
  const build = (base: string) =>
    spawnSync("bash", ["scripts/image.sh", "gracegate:test", base], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin" },
    });

  for (const base of ["node:24", "node:24@sha256:12ab", `node:24@sha256:${"a".repeat(64)}b`])
    it(`is refused as ${base}`, () => {
      const { status, stderr } = build(base);
      assert.equal(status, 2);
      assert.match(stderr, /has no digest; add @sha256:/);
    });

  it("is an argument without a default that could be forgotten", () => {
    assert.match(dockerfile, /^ARG BASE_IMAGE$/m);
    const from = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    assert.deepEqual(new Set(from), new Set(["$" + "{BASE_IMAGE}"]));
  });

  it("is named in one file, in one line", () => {
    const lines = readFileSync("image/base", "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /^\S+\/node:24-\S+$/);
  });
});

it("the build of the image is given the files that it copies, and no folder of packages", () => {
  const given = readFileSync(".dockerignore", "utf8").trim().split("\n");
  assert.equal(given[0], "*");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )?(.+) \S+$/gm)].flatMap(
    ([, files]) => files?.split(" ") ?? [],
  );
  assert.ok(copied.length > 5);
  const isGiven = (file: string) => given.some((line) => `${file}/`.startsWith(`${line.slice(1)}/`));
  assert.deepEqual(
    copied.filter((file) => !isGiven(file)),
    [],
  );
  assert.equal(isGiven("node_modules"), false);
});
