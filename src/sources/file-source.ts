/**
 * A source that is files: read at the start, read again when they change. An edit that cannot be used keeps the last
 * good value in force.
 */
import type { Notice } from "../codes/registry.ts";
import type { Loaded } from "./policy-files.ts";
import type { Source, SourceEvents } from "./source.ts";
import { watchFiles } from "./watch-files.ts";

/** A source, or all that is wrong with what the files hold at the start. */
export type StartedSource<T> =
  | { readonly ok: true; readonly source: Source<T> }
  | { readonly ok: false; readonly problems: readonly Notice[] };

/**
 * Starts a source that is files.
 *
 * @param path a file or a folder
 * @param read reads it; must not throw
 */
export function fileSource<T>(path: string, read: (path: string) => Loaded<T>, events: SourceEvents): StartedSource<T> {
  const first = read(path);
  if (!first.ok) return first;
  let value = first.value;
  const reload = () => {
    const next = read(path);
    if (!next.ok) return events.refused(next.problems, "the last good set");
    value = next.value;
    events.changed();
  };
  const source: Source<T> = {
    current: () => ({ value }),
    follow: (signal) => watchFiles([path], reload, signal),
  };
  return { ok: true, source };
}
