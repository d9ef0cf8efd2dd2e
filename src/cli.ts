/**
 * The command line: finds the subcommand, runs it, and turns what comes back into an exit code.
 */
import { exitCode } from "./commands/kit/command.ts";
import { say } from "./commands/kit/say.ts";
import { commands } from "./commands/list.ts";
import { sentenceOf } from "./units/system-error.ts";
import { version } from "./version.ts";

/** Runs one command line and gives its exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  // A reader that has seen enough, such as `| head`, is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  // `help COMMAND` is COMMAND --help.
  const [name, ...rest] = args[0] === "help" && args[1] !== undefined ? [args[1], "--help"] : args;
  if (name === undefined || name === "help" || name === "-h" || name === "--help") {
    process.stdout.write(overview());
    return name === undefined ? exitCode.wrongUse : exitCode.ok;
  }
  if (name === "-V" || name === "--version") {
    process.stdout.write(`${version}\n`);
    return exitCode.ok;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    say(`gracegate: ${JSON.stringify(name)} is not a command; gracegate --help lists them.`);
    return exitCode.wrongUse;
  }
  try {
    const ended = await command.run(rest);
    if (typeof ended === "number") return ended;
    say(`gracegate ${name}: ${ended.reason}`);
    say(`Run gracegate ${name} --help for the options.`);
    return exitCode.wrongUse;
  } catch (error) {
    say(`gracegate ${name}: ${sentenceOf(error)}`);
    if (process.env.GRACEGATE_DEBUG && error instanceof Error) say(error.stack ?? "");
    return exitCode.failed;
  }
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    `gracegate ${version}: Istio pods that start and stop without dropping a request`,
    "",
    "usage: gracegate COMMAND [options]",
    "",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "gracegate COMMAND --help shows a command's options and examples.",
    "",
  ].join("\n");
}
