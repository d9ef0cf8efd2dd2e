/**
 * The program as the image has it: bundled, so that nothing of a package is there but what some command can reach.
 *
 * Nothing is minified: a stack trace names the functions of src/, and whoever audits an image can read it.
 */
import { isBuiltin } from "node:module";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { type BundledPackage, packagesOf } from "./bundled-packages.ts";

/** What was written into the folder. */
export interface Bundle {
  /** Every package of which at least one file was written, by name and version. */
  readonly packages: readonly BundledPackage[];
  readonly bytes: number;
  /** What esbuild says of the files of the command line, by path. */
  readonly outputs: Metafile["outputs"];
}

const options = {
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  metafile: true,
  legalComments: "none",
} satisfies BuildOptions;

/** Packages that are CommonJS call require() for Node's own modules, which an ES module has only when it makes one. */
const REQUIRE = `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`;

/** What ws and debug use where somebody installed it, and do without elsewhere. */
const OPTIONAL: readonly string[] = ["bufferutil", "utf-8-validate", "supports-color"];

/**
 * Writes main.js with its chunks, and hc.js, which is read at the start of every gateway pod and must not need a package.
 *
 * @param write false where only the lists are wanted
 * @throws where hc reaches a package, or the command line needs something that is not in the folder
 */
export async function bundle(folder: string, { write = true } = {}): Promise<Bundle> {
  const main = await build({
    ...options,
    write,
    entryPoints: ["src/main.ts"],
    outdir: folder,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    banner: { js: REQUIRE },
  });
  const hc = await build({ ...options, write, entryPoints: { hc: "src/hc/main.ts" }, outdir: folder });
  const foreign = packagesOf(hc.metafile);
  if (foreign.length > 0) throw new Error(`hc must not need a package, but has ${foreign.map((p) => p.name).join()}`);
  const outside = Object.values(main.metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external === true && !isBuiltin(path) && !OPTIONAL.includes(path));
  if (outside.length > 0) throw new Error(`not in the bundle: ${outside.map(({ path }) => path).join(", ")}`);
  const outputs = { ...main.metafile.outputs, ...hc.metafile.outputs };
  const bytes = Object.values(outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { packages: packagesOf(main.metafile), bytes, outputs };
}
