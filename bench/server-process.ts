/**
 * A server under measurement: a process of its own, pinned to one core where taskset is there.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** A running server. */
export interface ServerProcess {
  readonly port: number;
  /** Time from the start of the process to its first word, milliseconds. */
  readonly startMs: number;
  /** CPU time of the process so far, seconds. */
  cpuSeconds(): number;
  /** Resident memory, bytes. */
  rss(): number;
  stop(): Promise<void>;
}

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** Starts `node ARGS…` and waits until it says which port it listens on. */
export async function startProcess(args: readonly string[]): Promise<ServerProcess> {
  const started = performance.now();
  const command = canPin ? ["taskset", "-c", "0", process.execPath, ...args] : [process.execPath, ...args];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "ignore", "pipe"] });
  const port = await portOf(child);
  const pid = child.pid ?? 0;
  return {
    port,
    startMs: performance.now() - started,
    cpuSeconds: () => cpuOf(pid),
    rss: () => Number(/VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

/** Pins this process, the load, to the other core. */
export function pinLoad(): boolean {
  return canPin && spawnSync("taskset", ["-a", "-p", "-c", "1", String(process.pid)]).status === 0;
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const port = /(?:port |:)([0-9]{2,5})(?:\/mutate|\n)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}

/** User and system time of a process in seconds, from /proc, whose clock ticks 100 times a second. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
