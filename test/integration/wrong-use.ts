/**
 * Calls a command in this process with options that cannot work; that wrong use ends with 2 is tested once a command.
 */
import { type CommandDefinition, parserOf, WrongUse } from "../../src/commands/command.ts";

/**
 * The sentence with which a command refuses its options.
 *
 * @throws whatever else happens
 */
export async function refusalOf(definition: CommandDefinition, args: readonly string[]): Promise<string> {
  const cli = parserOf(definition);
  cli.parse([...args], { from: "user" });
  try {
    await definition.run(cli.opts(), cli.args);
  } catch (error) {
    if (error instanceof WrongUse) return error.message;
    throw error;
  }
  throw new Error(`${definition.name} ${args.join(" ")} was not refused`);
}
