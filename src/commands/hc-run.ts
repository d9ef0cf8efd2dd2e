/**
 * What `gracegate hc` does: a long-running process in the gateway pod, configured by the environment alone. main.ts runs it
 * before commander is loaded, since nothing that it does not need may be.
 */
import { runHc } from "../hc/run.ts";
import type { ExitCode } from "./kit/command.ts";

/** Runs until the gateway has ended. */
export async function run(): Promise<ExitCode> {
  return (await runHc()) as ExitCode;
}
