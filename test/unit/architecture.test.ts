/**
 * The arrows between the folders of src/ point one way, and the pure folders do no I/O.
 *
 * commands → admission | hc | report | check | probe → manifests → mutate → budget → policy → pod | balancers → yaml → json | codes | units.
 * telemetry, tls, kube and sources touch the world; only commands and servers import them.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { test } from "node:test";
import { rules } from "../../src/check/rules.ts";

const ground = ["units", "codes", "json", "yaml"];
const pure = ["pod", "balancers", "policy", "budget", "mutate", "manifests"];
const leaves = ["telemetry", "tls", "kube", "sources"];
const servers = ["admission", "hc", "report", "check", "probe"];

/** Which folders a folder may import from, besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  units: [],
  codes: [],
  json: [],
  yaml: ["json"],
  pod: ground,
  // Leaves: policy needs the profiles' names, hc their answers, plan the settings that they print.
  balancers: ["units"],
  policy: [...ground, "pod", "balancers"],
  budget: [...ground, "pod", "balancers", "policy"],
  mutate: [...ground, "pod", "balancers", "policy", "budget"],
  manifests: [...ground, "pod", "policy", "budget", "mutate"],
  admission: [...ground, ...pure, ...leaves],
  hc: [...ground, "balancers", "budget", ...leaves],
  report: [...ground, ...pure],
  check: [...ground, ...pure, "report", ...leaves],
  probe: [...ground, "report"],
  telemetry: ground,
  tls: [...ground, "telemetry", "sources"],
  kube: [...ground, "pod", "policy", "telemetry", "tls", "sources"],
  sources: [...ground, "pod", "policy", "telemetry"],
  commands: [...ground, ...pure, ...servers, ...leaves],
  ".": ["commands", "units"],
};

/** Modules that reach outside the process, which pure folders must not import. */
const worldly = /^(node:(?!util$|assert)|express$|pino$|prom-client$|@kubernetes\/|ws$)/;

interface Import {
  readonly file: string;
  readonly target: string;
}

const imports: Import[] = globSync("src/**/*.ts")
  .filter((file) => !file.endsWith(".test.ts"))
  .flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => ({
      file,
      target: match[1] ?? "",
    })),
  );

const folderOf = (path: string) => {
  const parts = normalize(path).split(sep);
  return parts.length <= 2 ? "." : (parts[1] ?? ".");
};

test("every folder of src/ has its place in the order", () => {
  const folders = new Set(globSync("src/**/*.ts").map(folderOf));
  assert.deepEqual(
    [...folders].filter((folder) => mayImport[folder] === undefined),
    [],
  );
});

test("imports between folders point one way", () => {
  const wrong = imports
    .filter(({ target }) => target.startsWith("."))
    .map(({ file, target }) => ({ file, from: folderOf(file), to: folderOf(join(dirname(file), target)), target }))
    .filter(({ from, to, target }) => from !== to && !target.endsWith("/version.ts") && !mayImport[from]?.includes(to))
    .map(({ file, target }) => `${file} imports ${target}`);
  assert.deepEqual(wrong, []);
});

test("the pure folders import nothing that does I/O", () => {
  const wrong = imports
    .filter(({ file, target }) => [...ground, ...pure].includes(folderOf(file)) && worldly.test(target))
    .map(({ file, target }) => `${file} imports ${target}`);
  assert.deepEqual(wrong, []);
});

test("the imports of this project are seen at all", () => {
  assert.ok(imports.length > 50, `only ${imports.length} imports were found`);
});

test("src/check/rules holds rules and nothing else, and each is run", async () => {
  const files = globSync("src/check/rules/*.ts");
  const exported = await Promise.all(
    files.map(async (file) => Object.values(await import(`../../${file}`)) as { readonly id?: string }[]),
  );
  assert.deepEqual(
    exported
      .flat()
      .map(({ id }) => id)
      .toSorted(),
    rules.map(({ id }) => id).toSorted(),
  );
});
