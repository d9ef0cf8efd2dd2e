/**
 * The option of all commands that talk to hc: its control port, from the environment that the webhook gave to hc.
 */
import { Option } from "commander";
import { WrongUse } from "./command.ts";

/** The option `--port`. */
export function controlPortOption(): Option {
  return new Option("--port <port>", "hc's control port on loopback").env("CONTROL_PORT").default("18181");
}

/**
 * Reads it.
 *
 * @throws WrongUse for anything but a port
 */
export function controlPortFrom(options: Record<string, unknown>): number {
  const port = Number(options.port);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new WrongUse(`--port: ${JSON.stringify(options.port)} is not a port; write a number from 1 to 65535.`);
}
