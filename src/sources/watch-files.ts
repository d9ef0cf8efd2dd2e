/**
 * Notices that files changed, by looking at them once a second.
 *
 * Kubernetes updates a mounted ConfigMap or Secret by swapping a symbolic link, editors replace files, and network file
 * systems send no events; a look at inode, size and time sees all of it. Nothing is read unless one of them moved.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Time between two looks, milliseconds. */
const INTERVAL_MS = 1000;

/**
 * Calls back after files changed, until the signal is aborted.
 *
 * @param paths files and folders; of a folder the files in it count, without those in folders below
 * @param onChange called once for any number of changes that are seen together; must not throw
 * @returns when the signal is aborted
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  signal: AbortSignal,
  intervalMs: number = INTERVAL_MS,
): Promise<void> {
  let known = fingerprint(paths);
  while (!signal.aborted) {
    await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const now = fingerprint(paths);
    if (now === known) continue;
    known = now;
    onChange();
  }
}

/** The files that a path stands for: itself, or the visible files in the folder, sorted. */
export function filesAt(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !name.startsWith("."))
    .map((name) => join(path, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .sort();
}

function fingerprint(paths: readonly string[]): string {
  return paths
    .flatMap((path) => {
      try {
        return filesAt(path).map((file) => {
          const { ino, size, mtimeMs } = statSync(file);
          return `${file} ${ino} ${size} ${mtimeMs}`;
        });
      } catch {
        return [`${path} is not there`];
      }
    })
    .join("\n");
}
