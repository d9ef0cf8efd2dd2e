/**
 * Runs the program as a person does: a process of its own, its output in a pipe.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** How a run of the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `gracegate …` to its end. */
export async function gracegate(...args: readonly string[]): Promise<Ended> {
  return ended(start(args));
}

/** Starts `gracegate …`; the caller ends it, and after a minute the system does. */
export function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ["src/main.ts", ...args], { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
}

/** Collects what a process writes until it ends. */
export async function ended(child: ChildProcess): Promise<Ended> {
  if (child.stdout === null || child.stderr === null) throw new Error("the process has no pipes");
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, stdout, stderr };
}

/**
 * Waits until something is so.
 *
 * @throws when it is not so within ten seconds
 */
export async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${isSo}`);
    await new Promise((wake) => setTimeout(wake, 5));
  }
}

/** A probe-target in a process of its own. */
export interface TargetProcess {
  readonly pid: number;
  readonly url: string;
  readonly tcp: string;
  /** Ends it and returns the counts that it printed, or "" when it was killed. */
  stop(signal?: NodeJS.Signals): Promise<string>;
}

/** The addresses of HTTP and TCP that a probe-target says it listens on; what it says later is thrown away. */
export async function addressesOf(stderr: Readable): Promise<[url: string, tcp: string]> {
  const addresses: string[] = [];
  for await (const line of createInterface(stderr)) {
    addresses.push(line.split(" ").at(-1) ?? "");
    if (addresses.length === 2) break;
  }
  stderr.resume();
  const [url = "", tcp = ""] = addresses;
  return [url, tcp];
}

/** Starts a probe-target on free ports and waits until it listens. */
export async function targetProcess(...args: readonly string[]): Promise<TargetProcess> {
  const child = start(["probe-target", "--host", "127.0.0.1", "--port", "0", "--tcp-port", "0", ...args]);
  if (child.stderr === null || child.stdout === null || child.pid === undefined) throw new Error("no process");
  const closed = once(child, "close");
  const printed = text(child.stdout);
  const [url, tcp] = await addressesOf(child.stderr);
  return {
    pid: child.pid,
    url,
    tcp,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await closed;
      return printed;
    },
  };
}
