#!/usr/bin/env node
/**
 * The executable. `gracegate hc` is on the data path and must start at once, also with a fifth of a core, so it runs
 * before anything else is loaded; everything else goes through the command line.
 */
const args = process.argv.slice(2);

if (args.length === 1 && args[0] === "hc") {
  const { hc } = await import("./commands/hc.ts");
  process.exit(await hc.run({}, []));
} else {
  const { runCommandLine } = await import("./cli.ts");
  process.exitCode = await runCommandLine(args);
}
