/**
 * Faults planted in hc, to see that the table turns red when hc is wrong. They are put into the bundle of an image of the
 * lab's own; the product has no switch for them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, run } from "../test/e2e/install/components.ts";
import { IMAGE } from "../test/e2e/node/node.ts";

/** What is replaced in the bundle. */
export const faults = {
  /** hc says 503 from the first moment of a drain. */
  "close-at-once": ["", ""],
  /** hc reads any in-flight as 0. */
  "blind-zero": ["", ""],
} as const;

/** The name of a fault. */
export type FaultName = keyof typeof faults;

/** Makes the image with a fault, of the same name as the right one: the path of its tar. */
export function faultyImage(name: FaultName): string {
  const [right, wrong] = faults[name];
  const folder = join(cacheFolder, "image-lab");
  const bundle = readFileSync("dist/hc.js", "utf8");
  if (bundle.split(right).length !== 2) throw new Error(`the bundle of hc does not have ${right} once`);
  const file = join(folder, "hc-faulty.js");
  writeFileSync(file, bundle.replace(right, wrong));
  run("bash", [join(import.meta.dirname, "faulty-image.sh"), folder, `${IMAGE.repository}:${IMAGE.tag}`, file]);
  return join(folder, "faulty.tar");
}
