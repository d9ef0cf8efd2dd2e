/**
 * Processes that must not outlive the lab, also where it is interrupted.
 */
import type { ChildProcess } from "node:child_process";

const children = new Set<ChildProcess>();

process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** Remembers a process for the end; the same process. */
export function endsWithUs<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}
