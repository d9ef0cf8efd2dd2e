/**
 * Bundles hc into one file, `dist/hc.js`: one file to read at the start of a gateway pod, and a list of all that is in it.
 *
 *   node scripts/build-hc.ts
 *
 * The image puts it beside main.js; image/gracegate starts it.
 */
import { build } from "esbuild";

const result = await build({
  entryPoints: ["src/hc/main.ts"],
  outfile: "dist/hc.js",
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  metafile: true,
  legalComments: "none",
});

const inputs = Object.keys(result.metafile.inputs);
const foreign = inputs.filter((path) => path.includes("node_modules"));
if (foreign.length > 0) throw new Error(`hc must not need a package, but the bundle has ${foreign.join(", ")}`);
process.stderr.write(`dist/hc.js: ${inputs.length} files of src/\n`);
