/**
 * What every subcommand has in common: how it is defined, how it ends, and where its words go.
 *
 * Data goes to stdout, words for people to stderr. Exit codes: 0 ok, 1 findings or failed, 2 wrong use.
 */
import { styleText } from "node:util";
import { Command } from "commander";
import { wrapText } from "../report/wrap-text.ts";
import { columnsOf } from "./columns.ts";
import { clearProgress } from "./progress.ts";

/** How a command ends. */
export const exitCode = { ok: 0, failed: 1, wrongUse: 2 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** One subcommand of `gracegate`. */
export interface CommandDefinition {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Commands to paste, one a line, shown under `--help`. */
  readonly examples: readonly string[];
  /** Declares arguments and options. */
  configure(cli: Command): void;
  /**
   * Runs the command.
   *
   * @param options the parsed options, named as commander names them
   * @param args the positional arguments
   * @throws WrongUse for a combination of options that cannot work; any other error ends with exit code 1
   */
  run(options: Record<string, unknown>, args: readonly string[]): Promise<ExitCode>;
}

/** The command was called in a way that cannot work: exit code 2, and the message is for the person who typed it. */
export class WrongUse extends Error {}

/** Writes data to stdout. */
export function print(text: string): void {
  clearProgress();
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** Writes a sentence for a person to stderr; on a terminal no word is broken, elsewhere a sentence is one line to grep. */
export function say(text: string): void {
  clearProgress();
  process.stderr.write(`${process.stderr.isTTY ? wrapLines(text, columnsOf(process.stderr)) : text}\n`);
}

/** Wraps the lines that are longer than a terminal is wide; the others may be wrapped already, and stay. */
function wrapLines(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (line.length > width ? wrapText(line, width, "", "  ") : line))
    .join("\n");
}

/** Colours a text if the stream is a terminal and NO_COLOR is not set. */
export function colour(
  style: Parameters<typeof styleText>[0],
  text: string,
  stream: NodeJS.WriteStream = process.stderr,
): string {
  return styleText(style, text, { stream });
}

/** Turns a definition into a parser whose errors come back as exceptions. */
export function parserOf(definition: CommandDefinition): Command {
  const cli = new Command(`gracegate ${definition.name}`)
    .description(definition.summary)
    .helpOption("-h, --help", "show this help")
    // As every other sentence: who speaks, and a full stop.
    .configureOutput({
      outputError: (text, write) => {
        const sentence = text
          .replace(/^error: /, "")
          .trim()
          .replaceAll("\n", " ")
          .replace(/\.$/, "");
        write(sentence === text.trim() ? text : `gracegate ${definition.name}: ${sentence}.\n`);
      },
    })
    .showHelpAfterError(`Run gracegate ${definition.name} --help for the options.`)
    .exitOverride();
  definition.configure(cli);
  cli.addHelpText("after", `\nExamples:\n${definition.examples.flatMap(exampleLines).join("\n")}`);
  return cli;
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
