/**
 * hc as a program of its own: the entry of the bundle dist/hc.js, which scripts/build-hc.ts makes.
 */
import { runHc } from "./run.ts";

process.exit(await runHc());
