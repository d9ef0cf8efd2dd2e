/**
 * A memory limit as a container has it: a cgroup of one's own below that of this process, version 2 or 1, without swap,
 * removed afterwards.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a process can be put so that the kernel ends it beyond its limit. */
export interface MemoryLimit {
  /** File that takes a process id. */
  readonly members: string;
  /** Highest use since the start or the last reset, bytes, with what the kernel holds for sockets and files. */
  peak(): number;
  /** Begins to look for the highest use anew; does nothing where the kernel cannot. */
  reset(): void;
  /** How many processes the kernel ended. */
  kills(): number;
  remove(): void;
}

/**
 * Makes a limit.
 *
 * @returns why it cannot be made on this machine, where it cannot
 */
export function memoryLimit(bytes: number): MemoryLimit | { readonly missing: string } {
  const second = existsSync("/sys/fs/cgroup/cgroup.controllers");
  const folder = join(second ? "/sys/fs/cgroup" : ownGroup(), `gracegate-bench-${process.pid}`);
  const file = (name: string) => join(folder, name);
  const [limit, peak, swap] = second
    ? ["memory.max", "memory.peak", "memory.swap.max"]
    : ["memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.memsw.limit_in_bytes"];
  try {
    mkdirSync(folder);
  } catch (error) {
    return { missing: `no cgroup can be made: ${(error as Error).message}` };
  }
  try {
    writeFileSync(file(limit), String(bytes));
    if (existsSync(file(swap))) writeFileSync(file(swap), second ? "0" : String(bytes));
  } catch (error) {
    rmdirSync(folder);
    return { missing: `the cgroup takes no limit: ${(error as Error).message}` };
  }
  return {
    members: file("cgroup.procs"),
    peak: () => Number(readFileSync(file(peak), "utf8")),
    reset() {
      try {
        writeFileSync(file(peak), "0");
      } catch {
        // Kernels before 6.12 reset it in version 1 only; the peak is that of the whole run then.
      }
    },
    kills() {
      const text = readFileSync(file(second ? "memory.events" : "memory.oom_control"), "utf8");
      return Number(/^oom_kill ([0-9]+)/m.exec(text)?.[1] ?? 0);
    },
    remove: () => rmdirSync(folder),
  };
}

/** The folder of this process in version 1: what is made below it stays within its own limit. */
function ownGroup(): string {
  const line = readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .find((one) => one.split(":")[1] === "memory");
  return join("/sys/fs/cgroup/memory", line?.split(":")[2] ?? "");
}
