/**
 * `npm run build`: all that the image holds beside Node, in one folder.
 *
 *   node scripts/build.ts [FOLDER]
 *
 * main.js is the command line, whose commands are chunks that are read when they run; hc.js is hc alone, in one file;
 * third-party-licences.txt is what the packages in them ask to be kept.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { licencesText } from "./bundled-packages.ts";

const folder = process.argv[2] ?? "dist";
rmSync(folder, { recursive: true, force: true });
const { packages, bytes } = await bundle(folder);
writeFileSync(join(folder, "third-party-licences.txt"), licencesText(packages));
process.stderr.write(`${folder}: ${(bytes / 2 ** 20).toFixed(1)} MiB, ${packages.length} packages\n`);
