#!/usr/bin/env node
/**
 * The executable. `gracegate hc` is on the data path and must start at once, also with a fifth of a core, so it runs
 * before anything else is loaded; everything else goes through the command line.
 */
const args = process.argv.slice(2);

/** Older ones lack what this program uses; npm scripts and the image bring the right one. */
const LEAST_NODE = 24;

if (Number(process.versions.node.split(".")[0]) < LEAST_NODE) {
  process.stderr.write(
    `gracegate needs Node ${LEAST_NODE}, but runs on ${process.versions.node}; npm scripts use the one in node_modules/.bin.\n`,
  );
  process.exitCode = 1;
} else if (args.length === 1 && args[0] === "hc") {
  const { run } = await import("./commands/hc-run.ts");
  process.exit(await run());
} else {
  const { runCommandLine } = await import("./cli.ts");
  process.exitCode = await runCommandLine(args);
}
