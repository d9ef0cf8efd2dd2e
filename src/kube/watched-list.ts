/**
 * A collection of objects in the API server, kept in memory: a list, then a watch, by client-node's informer.
 *
 * Its informer goes on by itself after a quiet watch and after 410 Gone; on any other error it stops. So it lives in
 * sessions here: a session that failed, or is old, is followed by a new one that starts with a list, which also heals
 * whatever a watch may have missed. The objects of the last session stay in force until the next one has its list.
 */
import { setTimeout as wait } from "node:timers/promises";
import { type KubernetesObject, ListWatch, Watch } from "@kubernetes/client-node";
import { isObject, type JsonObject } from "../pod/json.ts";
import { ApiRefusal, type ClusterApi } from "./api.ts";

/** What the informer needs of an object to keep it. */
export interface Kept {
  readonly metadata: JsonObject;
}

/**
 * What to watch, and who is told.
 *
 * @typeParam T what is kept of an object
 */
export interface Watched<T extends Kept> {
  /** The collection's path: `/apis/gracegate.dev/v1alpha1/gracepolicies`. */
  readonly path: string;
  readonly fieldSelector?: string;
  /** What is kept in memory of an object that was listed or changed. Its metadata must stay. Must not throw. */
  keep(object: JsonObject): T;
  /** All objects, after every list and after changes; changes that come together are told once. Must not throw. */
  onObjects(objects: readonly T[]): void;
  /** The API server cannot be reached; it is tried again after this many milliseconds. */
  onUnreachable(reason: string, retryMs: number): void;
}

/** Times in milliseconds. */
export interface WatchTimes {
  /** A session is replaced by a new one after this time, and up to a tenth more. */
  readonly resync: number;
  /** Changes are collected for this long. */
  readonly collect: number;
  /** First and longest wait before another try. */
  readonly retry: readonly [first: number, longest: number];
}

/** The times outside tests. */
export const watchTimes: WatchTimes = { resync: 600_000, collect: 100, retry: [500, 30_000] };

/** A session that lasted this long worked; the next failure is a first one again. */
const WORKED_MS = 10_000;

/**
 * Keeps a collection in memory until the signal is aborted. Never rejects.
 *
 * @param times for tests
 */
export async function watchList<T extends Kept>(
  api: ClusterApi,
  watched: Watched<T>,
  signal: AbortSignal,
  times: WatchTimes = watchTimes,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const started = performance.now();
    const failure = await session(api, watched, signal, times);
    if (signal.aborted) return;
    if (failure === undefined) {
      failures = 0;
      continue;
    }
    failures = performance.now() - started > WORKED_MS ? 1 : failures + 1;
    const [first, longest] = times.retry;
    // Replicas that lost the same API server must not all come back at the same instant.
    const retryMs = Math.round(Math.min(longest, first * 2 ** (failures - 1)) * (0.5 + Math.random() / 2));
    watched.onUnreachable(failure, retryMs);
    await wait(retryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** One list and the watches after it. Returns why it failed; undefined when it was only old, or aborted. */
async function session<T extends Kept>(
  api: ClusterApi,
  { path, fieldSelector, keep, onObjects }: Watched<T>,
  signal: AbortSignal,
  times: WatchTimes,
): Promise<string | undefined> {
  const ended = Promise.withResolvers<string | undefined>();
  let collecting: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(collecting);
    collecting = undefined;
    onObjects(informer.list() as unknown as readonly T[]);
  };
  const watch = new SparingWatch(api, keep, tell);
  const informer = new ListWatch<KubernetesObject>(
    path,
    watch,
    async () => {
      const { items, resourceVersion } = await api.list(path, keep, fieldSelector);
      return { items: items as unknown as KubernetesObject[], metadata: { resourceVersion } };
    },
    false,
    undefined,
    fieldSelector,
  );
  informer.on("change", () => {
    collecting ??= setTimeout(tell, times.collect);
  });
  informer.on("error", (error: unknown) => ended.resolve(reasonOf(path, error)));
  const old = setTimeout(() => ended.resolve(undefined), times.resync * (1 + Math.random() / 10));
  const onAbort = () => ended.resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  informer.start().catch((error: unknown) => ended.resolve(reasonOf(path, error)));
  const failure = await ended.promise;
  signal.removeEventListener("abort", onAbort);
  clearTimeout(old);
  clearTimeout(collecting);
  await informer.stop();
  watch.isOver = true;
  return failure;
}

/** A watch that says when the list before it is in memory, and leaves out what nobody here reads. */
class SparingWatch extends Watch {
  isOver = false;
  readonly #keep: (object: JsonObject) => Kept;
  readonly #onListed: () => void;

  constructor(api: ClusterApi, keep: (object: JsonObject) => Kept, onListed: () => void) {
    super(api.config);
    this.#keep = keep;
    this.#onListed = onListed;
  }

  override async watch(...[path, query, callback, done]: Parameters<Watch["watch"]>): Promise<AbortController> {
    if (this.isOver) return new AbortController();
    // The informer watches as soon as its list is in memory.
    this.#onListed();
    const controller = await super.watch(
      path,
      query,
      (phase, object: unknown, event) => {
        // The informer's answer to an event without an object would be a rejection that nobody awaits.
        if (this.isOver || !isObject(object)) return;
        // An error's object is a Status, and a bookmark's has nothing but a version.
        const isOurs = phase === "ADDED" || phase === "MODIFIED" || phase === "DELETED";
        callback(phase, isOurs ? this.#keep(object) : object, event);
      },
      done,
    );
    // The informer cannot stop a watch that it has not been given yet.
    if (this.isOver) controller.abort();
    return controller;
  }
}

function reasonOf(path: string, error: unknown): string {
  if (error instanceof ApiRefusal) return error.message;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  const { statusCode } = (error ?? {}) as { statusCode?: number };
  const status = statusCode === undefined ? "" : `${statusCode} `;
  return `${path}: ${status}${error instanceof Error ? error.message : String(error)}${cause}`;
}

/** One object, by its name in a collection. */
export interface Named {
  /** The collection's path. */
  readonly path: string;
  readonly name: string;
}

/** Tells that one object changed, came or went, and keeps nothing of it but its version. Never rejects. */
export function watchNamed(
  api: ClusterApi,
  { path, name }: Named,
  { onChange, onUnreachable }: { onChange(): void; onUnreachable: Watched<Kept>["onUnreachable"] },
  signal: AbortSignal,
  times: WatchTimes,
): Promise<void> {
  const fieldSelector = `metadata.name=${name}`;
  return watchList(api, { path, fieldSelector, keep: versionOnly, onObjects: onChange, onUnreachable }, signal, times);
}

function versionOnly(object: JsonObject): Kept {
  const { namespace = "", name = "", resourceVersion = "" } = (object.metadata ?? {}) as JsonObject;
  return { metadata: { namespace, name, resourceVersion } };
}
