/**
 * A CPU limit as a container has it: a cgroup of one's own, version 2 or 1, removed afterwards.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PERIOD_US = 100_000;

/** Where a process can be put so that it gets no more than its share. */
export interface CpuLimit {
  /** File that takes a process id. */
  readonly members: string;
  remove(): void;
}

/**
 * Makes a limit.
 *
 * @param milliCpu thousandths of a core
 * @returns undefined where this machine does not let us
 */
export function cpuLimit(milliCpu: number): CpuLimit | undefined {
  const quota = String((PERIOD_US * milliCpu) / 1000);
  const second = existsSync("/sys/fs/cgroup/cgroup.controllers");
  const folder = join(second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", `gracegate-bench-${process.pid}`);
  try {
    mkdirSync(folder);
    if (second) writeFileSync(join(folder, "cpu.max"), `${quota} ${PERIOD_US}`);
    else {
      writeFileSync(join(folder, "cpu.cfs_period_us"), String(PERIOD_US));
      writeFileSync(join(folder, "cpu.cfs_quota_us"), quota);
    }
    return { members: join(folder, "cgroup.procs"), remove: () => rmdirSync(folder) };
  } catch {
    return undefined;
  }
}
