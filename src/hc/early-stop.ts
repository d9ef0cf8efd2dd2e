/**
 * Whether hc was told to stop before it could listen.
 *
 * In a container hc is PID 1, for which the kernel throws away a SIGTERM that nobody handles: the pod would be drained by
 * nobody. Node handles it from its first milliseconds on, by ending itself, which does nothing to PID 1 either; but its
 * handler is for one time only (SA_RESETHAND), so that a SIGTERM that is handled no more while SIGINT still is has been
 * there. With any other pid Node has ended by then, and whoever started it says so: image/gracegate does.
 */
import { readFileSync } from "node:fs";

const SIGINT = 1n << 1n;
const SIGTERM = 1n << 14n;

/** Whether a process was told to stop, by its number and its `/proc/self/status`. */
export function wasToldToStop(pid: number, status: string): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]{1,32})$/m.exec(status)?.[1];
  if (pid !== 1 || caught === undefined) return false;
  const signals = BigInt(`0x${caught}`);
  return (signals & SIGINT) !== 0n && (signals & SIGTERM) === 0n;
}

/**
 * The same of this process. It must be asked before a handler for SIGTERM is added.
 *
 * @param env TOLD_TO_STOP says that a process before this one was
 */
export function wasStoppedEarly(env: NodeJS.ProcessEnv): boolean {
  if (env.TOLD_TO_STOP === "true") return true;
  try {
    return wasToldToStop(process.pid, readFileSync("/proc/self/status", "utf8"));
  } catch {
    return false;
  }
}
