/**
 * Policies from the cluster: all GracePolicy objects, watched.
 *
 * One object that cannot be used is skipped, and the others stay in force: its namespace's team must not be able to take
 * the policies away from everybody else. For the same reason a namespace's number of policies is bounded, and nothing is
 * kept of an object but what holds.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type JsonObject, objectAt, textAt } from "../pod/json.ts";
import { MAX_POLICIES, NamespaceShares } from "../policy/bounds.ts";
import { withoutUnknown } from "../policy/normalise.ts";
import { API_VERSION, KIND, policySpec } from "../policy/schema.ts";
import { originOf, type Policy, validatePolicy } from "../policy/validate.ts";
import type { Source, SourceEvents } from "../sources/source.ts";
import type { ClusterApi } from "./api.ts";
import { watchList, watchTimes } from "./watched-list.ts";

const PATH = `/apis/${API_VERSION}/gracepolicies`;

/** What one object gave, and all that is kept of it: a policy, the notices about it, or nothing where it has no place. */
interface Read {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string };
  readonly policy: Policy | undefined;
  readonly problems: readonly Notice[];
}

/** How the policies are read. */
export interface PolicyOptions {
  /** Its policies have no bound on their number. */
  readonly rootNamespace: string;
  /** Told how many objects cannot be used, whenever the objects change. */
  onSkipped(count: number): void;
}

/** The policies of the cluster as a source. */
export function clusterPolicies(
  api: ClusterApi,
  events: SourceEvents,
  { rootNamespace, onSkipped }: PolicyOptions,
  times = watchTimes,
): Source<readonly Policy[]> {
  let value: readonly Policy[] | undefined;
  let known: ReadonlySet<Read> = new Set();
  let byKey = new Map<string, Read>();
  /** How many policies each crowded namespace has. */
  let crowds: ReadonlyMap<string, number> = new Map();
  const shares = new NamespaceShares(rootNamespace);
  /** Most objects are the same as before: they are neither validated nor complained about again. */
  const keep = (object: JsonObject): Read => {
    const metadata = metadataOf(object);
    const key = keyOf(metadata);
    if (!shares.take(metadata.namespace, metadata.name)) return { metadata, policy: undefined, problems: [] };
    const before = byKey.get(key);
    if (before?.metadata.resourceVersion === metadata.resourceVersion) return before;
    const read = readPolicy(object);
    byKey.set(key, read);
    return read;
  };
  const onObjects = (reads: readonly Read[]) => {
    const fresh = reads.filter((read) => !known.has(read));
    const isChanged = value === undefined || fresh.length > 0 || reads.length !== known.size;
    if (!isChanged) return;
    known = new Set(reads);
    const there = new Set(reads.map(({ metadata }) => keyOf(metadata)));
    shares.retain((namespace, name) => there.has(keyOf({ namespace, name })));
    const hasPlace = ({ metadata: { namespace, name } }: Read) => shares.has(namespace, name);
    const placed = reads.filter(hasPlace);
    // What has no place is read anew when it may have one.
    byKey = new Map(placed.map((read) => [keyOf(read.metadata), read]));
    const crowded = Map.groupBy(
      placed.length === reads.length ? [] : reads.filter((read) => !hasPlace(read)),
      ({ metadata }) => metadata.namespace,
    );
    const problems = fresh.filter(hasPlace).flatMap((read) => read.problems);
    for (const [namespace, skipped] of crowded) {
      const count = MAX_POLICIES + skipped.length;
      if (crowds.get(namespace) === count) continue;
      const names = skipped.map(({ metadata }) => metadata.name).sort();
      problems.push(notice("GG603", { namespace, count, most: MAX_POLICIES, skipped: names }));
    }
    crowds = new Map([...crowded].map(([namespace, skipped]) => [namespace, MAX_POLICIES + skipped.length]));
    if (problems.length > 0) events.refused(problems, "the other policies");
    value = placed.flatMap(({ policy }) => policy ?? []);
    onSkipped(reads.length - value.length);
    events.changed();
  };
  return {
    current: () => (value === undefined ? undefined : { value }),
    follow: (signal) =>
      watchList(
        api,
        { path: PATH, keep, onObjects, onUnreachable: (reason, retryMs) => events.unreachable(reason, retryMs) },
        signal,
        times,
      ),
  };
}

const keyOf = ({ namespace, name }: Pick<Read["metadata"], "namespace" | "name">) => `${namespace}/${name}`;

/** Sentences about one object that are kept: the first ones are enough to mend it. */
const MOST_PROBLEMS = 5;

function metadataOf(object: JsonObject): Read["metadata"] {
  const metadata = objectAt(object, "metadata");
  const text = (key: string) => textAt(metadata, key) ?? "";
  return { namespace: text("namespace"), name: text("name"), resourceVersion: text("resourceVersion") };
}

function readPolicy(object: JsonObject): Read {
  const metadata = metadataOf(object);
  // Items of a list come without their type; after a rollback the CRD may be newer than this program.
  const spec = withoutUnknown(policySpec, object.spec ?? {});
  const validated = validatePolicy({ ...object, apiVersion: API_VERSION, kind: KIND, spec });
  if (validated.ok) return { metadata, policy: validated.policy, problems: [] };
  const where = originOf(metadata);
  const problems = validated.refusals
    .slice(0, MOST_PROBLEMS)
    .map(({ path, reason }) => notice("GG602", { where, path, reason }));
  return { metadata, policy: undefined, problems };
}
