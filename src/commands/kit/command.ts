/**
 * What every subcommand has in common: how it is declared, how its words are read, and how it ends.
 *
 * A declaration is loaded with the list of commands, so that `--help` is quick; what the command does is loaded when it
 * runs. Exit codes: 0 ok, 1 findings or failed, 2 wrong use.
 */
import { type Argument, Command, CommanderError } from "commander";
import { type Flags, type Values, valuesOf } from "./flag.ts";
import type { Refusal } from "./read.ts";

/** How a command ends. */
export const exitCode = { ok: 0, failed: 1, wrongUse: 2 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** One subcommand of `gracegate`. */
export interface CommandDefinition<F extends Flags> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** One line for its own help, where it is another. */
  readonly description?: string;
  /** Words before and after the help. */
  readonly help?: { readonly before?: string; readonly after?: string };
  /** Commands to paste, one a line, shown under `--help`. */
  readonly examples: readonly string[];
  readonly args?: readonly Argument[];
  readonly flags: F;
  /** Loads what it does. Any error that is thrown ends with exit code 1. */
  load(): Promise<{ run(values: Values<F>, args: readonly string[]): Promise<ExitCode | Refusal> }>;
}

/** A subcommand as the command line sees it. */
export interface RunnableCommand {
  readonly name: string;
  readonly summary: string;
  /** Reads the words after its name and runs it; a refusal is still to be said. */
  run(words: readonly string[]): Promise<ExitCode | Refusal>;
}

/** Makes a command of its declaration. */
export function command<F extends Flags>(definition: CommandDefinition<F>): RunnableCommand {
  const { name, summary, flags, load } = definition;
  return {
    name,
    summary,
    async run(words) {
      const cli = parserOf(definition);
      try {
        cli.parse([...words], { from: "user" });
      } catch (error) {
        if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.wrongUse;
        throw error;
      }
      const values = valuesOf(flags, cli.opts());
      return values.ok ? (await load()).run(values.value, cli.args) : values;
    },
  };
}

/** The parser of a command's words, whose errors are exceptions. */
function parserOf({ name, summary, description, help, examples, args, flags }: CommandDefinition<Flags>): Command {
  const cli = new Command(`gracegate ${name}`)
    .description(description ?? summary)
    .helpOption("-h, --help", "show this help")
    // As every other sentence: who speaks, and a full stop.
    .configureOutput({
      outputError: (text, write) => {
        const sentence = text
          .replace(/^error: /, "")
          .trim()
          .replaceAll("\n", " ")
          .replace(/\.$/, "");
        write(sentence === text.trim() ? text : `gracegate ${name}: ${sentence}.\n`);
      },
    })
    .showHelpAfterError(`Run gracegate ${name} --help for the options.`)
    .exitOverride();
  for (const argument of args ?? []) cli.addArgument(argument);
  for (const { option } of Object.values(flags)) cli.addOption(option);
  if (help?.before !== undefined) cli.addHelpText("before", help.before);
  if (help?.after !== undefined) cli.addHelpText("after", help.after);
  return cli.addHelpText("after", `\nExamples:\n${examples.flatMap(exampleLines).join("\n")}`);
}

/** An example within 80 columns: broken before an option or a pipe, so that it can still be pasted. */
function exampleLines(example: string): readonly string[] {
  const lines: string[] = [];
  let line = " ";
  for (const part of example.split(/ (?=-|[|>] )/)) {
    // Two columns are left for the backslash.
    if (line !== " " && line.length + 1 + part.length > 78) {
      lines.push(`${line} \\`);
      line = "   ";
    }
    line += ` ${part}`;
  }
  return [...lines, line];
}
