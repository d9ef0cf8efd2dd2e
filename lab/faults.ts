/**
 * Faults planted in hc, to see that the table turns red when hc is wrong. They are put into its source while it is bundled
 * for an image of the lab's own; the product has no switch for them.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { cacheFolder, run } from "../test/e2e/install/components.ts";
import { IMAGE } from "../test/e2e/node/node.ts";

/** A line of hc's source, and what stands there instead. */
interface Fault {
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

/** The faults that can be planted. */
export const faults = {
  /** hc says 503 from the first moment of a drain. */
  "close-at-once": {
    file: "src/hc/answers.ts",
    right: "\n    draining,\n",
    wrong: '\n    draining: close("CLOSING\\n", overrides.closing),\n',
  },
  /** hc reads whatever is in flight as 0. */
  "blind-zero": {
    file: "src/hc/in-flight.ts",
    right: 'inFlight: requests + unmanaged + (gate === "both" ? upstream : 0)',
    wrong: "inFlight: 0 * (requests + unmanaged + upstream)",
  },
} as const satisfies { readonly [name: string]: Fault };

/** The name of a fault. */
export type FaultName = keyof typeof faults;

/** Makes the image with a fault, of the same name as the right one: the path of its tar. */
export async function faultyImage(name: FaultName): Promise<string> {
  const folder = join(cacheFolder, "image-lab");
  const bundle = join(folder, "hc-faulty.js");
  await build({
    entryPoints: ["src/hc/main.ts"],
    outfile: bundle,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    plugins: [{ name: "fault", setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => planted(name, path)) }],
  });
  run("bash", [join(import.meta.dirname, "faulty-image.sh"), folder, `${IMAGE.repository}:${IMAGE.tag}`, bundle]);
  return join(folder, "faulty.tar");
}

function planted(name: FaultName, path: string): { readonly contents: string; readonly loader: "ts" } | undefined {
  const { file, right, wrong } = faults[name];
  if (relative(".", path) !== file) return undefined;
  const source = readFileSync(path, "utf8");
  if (source.split(right).length !== 2) throw new Error(`${file} does not have once: ${right.trim()}`);
  return { contents: source.replace(right, wrong), loader: "ts" };
}
