/**
 * What `npm run build` makes: complete without a package's folder, small, and nothing read before it is needed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Bundle, bundle } from "../../scripts/bundle.ts";
import { allowedLicences, licencesText, packagesOf } from "../../scripts/bundled-packages.ts";
import { sbomOf } from "../../scripts/sbom.ts";
import { commands } from "../../src/commands/list.ts";
import { gatewayPod, patchOf, reviewText } from "./pods.ts";
import { type Folder, makeFolder, startWebhook } from "./webhook-process.ts";

/** All that the image may hold beside Node, bytes. */
const MOST = 25 * 2 ** 20;

const POLICY = `apiVersion: gracegate.dev/v1alpha1
kind: GracePolicy
metadata: { name: default, namespace: edge }
spec: { gateway: { drainTimeout: 33s } }
`;

describe("the bundle", () => {
  let place: string;
  let made: Bundle;
  let folder: Folder;

  before(async () => {
    place = mkdtempSync(join(tmpdir(), "gracegate-bundle-"));
    made = await bundle(place);
    copyFileSync("package.json", join(place, "package.json"));
    folder = await makeFolder(POLICY);
  });

  after(() => {
    rmSync(place, { recursive: true, force: true });
    folder?.remove();
  });

  /** Runs main.js where no package can be found, and tells which files of the bundle it read. */
  const run = (...args: readonly string[]) => {
    const list = join(place, "loaded");
    const { status, stdout } = spawnSync(process.execPath, [...listing, join(place, "main.js"), ...args], {
      cwd: place,
      encoding: "utf8",
      env: { ...process.env, LOADED_FILE: list },
    });
    return { status, stdout, loaded: readFileSync(list, "utf8").split("\n") };
  };
  const listing = ["--import", join(import.meta.dirname, "list-loaded.ts")];

  /** The packages in the files that a process read. */
  const packagesIn = (loaded: readonly string[]) => {
    const paths = new Set(loaded.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url)));
    const read = Object.entries(made.outputs).filter(
      ([path]) => paths.has(join(process.cwd(), path)) || paths.has(path),
    );
    return packagesOf({ inputs: {}, outputs: Object.fromEntries(read) }).map(({ name }) => name);
  };

  for (const { name } of commands.filter(({ name }) => name !== "hc"))
    it(`has all that ${name} needs to start`, () => {
      const { status, stdout } = run(name, "--help");
      assert.equal(status, 0);
      assert.match(stdout, new RegExp(`Usage: gracegate ${name}`));
    });

  it("reads no package for the list of commands but that of the command line", () => {
    const { status, stdout, loaded } = run("--help");
    assert.equal(status, 0);
    assert.match(stdout, /usage: gracegate COMMAND/);
    assert.deepEqual(packagesIn(loaded), ["commander"]);
  });

  it("mutates a pod, and reads the cluster's client only where it needs a cluster", async () => {
    const list = join(place, "loaded");
    const env = { LOADED_FILE: list, NODE_OPTIONS: listing.join(" ") };
    const webhook = await startWebhook(folder, [], env, join(place, "main.js"));
    try {
      const answer = await webhook.post(reviewText(gatewayPod()));
      assert.match(JSON.stringify(patchOf(answer)), /33s/);
    } finally {
      assert.equal(await webhook.stop(), 0);
    }
    const packages = packagesIn(readFileSync(list, "utf8").split("\n"));
    assert.ok(packages.includes("express"));
    assert.ok(!packages.includes("@kubernetes/client-node"));
    assert.ok(made.packages.some(({ name }) => name === "@kubernetes/client-node"));
  });

  it("has hc in one file that needs Node alone", () => {
    const [, hc] = Object.entries(made.outputs).find(([path]) => path.endsWith("/hc.js")) ?? [];
    assert.ok(Object.keys(hc?.inputs ?? {}).some((path) => path.startsWith("src/hc/")));
    const imports = hc?.imports.map(({ path }) => path) ?? [];
    assert.ok(imports.length > 0);
    assert.deepEqual(
      imports.filter((path) => !path.startsWith("node:")),
      [],
    );
  });

  it("is small, with the licences", () => {
    assert.ok(made.bytes + licencesText(made.packages).length < MOST);
  });

  it("has only packages whose licence asks for nothing but its text", () => {
    assert.ok(made.packages.length > 50);
    const others = made.packages.filter(({ licence }) => !allowedLicences.includes(licence));
    assert.deepEqual(
      others.map(({ name, licence }) => `${name}: ${licence}`),
      [],
    );
  });

  it("comes with every licence's text", () => {
    const text = licencesText(made.packages);
    for (const { name, version, text: own } of made.packages) {
      assert.ok(text.includes(`\n${name} ${version}: `));
      assert.ok(text.includes(own));
    }
    const without = made.packages.filter((one) => one.text === "").map(({ name, licence }) => `${name}: ${licence}`);
    assert.deepEqual(without, ["stream-buffers: Unlicense"]);
  });

  it("is listed by the SBOM, package by package, in both formats", () => {
    const { cyclonedx, spdx } = sbomOf(made.packages);
    const bundled = made.packages.map(({ name, version }) => `${name}@${version}`);
    const listed = cyclonedx.components.map((one) => one["bom-ref"]);
    assert.deepEqual(listed.sort(), bundled.sort());
    const [program, ...others] = spdx.packages.map(({ name, versionInfo }) => `${name}@${versionInfo}`);
    assert.match(program ?? "", /^gracegate@/);
    assert.deepEqual(others.sort(), bundled);
    const edges = cyclonedx.dependencies.flatMap(({ dependsOn }) => dependsOn);
    assert.deepEqual(
      edges.filter((to) => !bundled.includes(to)),
      [],
    );
  });
});
