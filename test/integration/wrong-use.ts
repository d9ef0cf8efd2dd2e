/**
 * Calls a command in this process with options that cannot work; that wrong use ends with 2 is tested once a command.
 */
import type { RunnableCommand } from "../../src/commands/kit/command.ts";

/**
 * The sentence with which a command refuses its options.
 *
 * @throws whatever else happens
 */
export async function refusalOf(command: RunnableCommand, args: readonly string[]): Promise<string> {
  const ended = await command.run(args);
  if (typeof ended === "object") return ended.reason;
  throw new Error(`${command.name} ${args.join(" ")} was not refused`);
}
