/**
 * Policies from the cluster: all GracePolicy objects, watched.
 *
 * One object that cannot be used is skipped, and the others stay in force: its namespace's team must not be able to take
 * the policies away from everybody else.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type JsonObject, objectAt, textAt } from "../pod/json.ts";
import { withoutUnknown } from "../policy/normalise.ts";
import { API_VERSION, KIND, policySpec } from "../policy/schema.ts";
import { originOf, type Policy, validatePolicy } from "../policy/validate.ts";
import type { Source, SourceEvents } from "../sources/source.ts";
import type { ClusterApi } from "./api.ts";
import { watchList, watchTimes } from "./watched-list.ts";

const PATH = `/apis/${API_VERSION}/gracepolicies`;

/** What one object gave, and all that is kept of it: a policy, or the notices about it. */
interface Read {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string };
  readonly policy: Policy | undefined;
  readonly problems: readonly Notice[];
}

/**
 * The policies of the cluster as a source.
 *
 * @param onSkipped told how many objects cannot be used, whenever the objects change
 */
export function clusterPolicies(
  api: ClusterApi,
  events: SourceEvents,
  onSkipped: (count: number) => void,
  times = watchTimes,
): Source<readonly Policy[]> {
  let value: readonly Policy[] | undefined;
  let known: ReadonlySet<Read> = new Set();
  let byKey = new Map<string, Read>();
  /** Most objects are the same as before: they are neither validated nor complained about again. */
  const keep = (object: JsonObject): Read => {
    const { namespace, name, resourceVersion } = metadataOf(object);
    const key = `${namespace}/${name}`;
    const before = byKey.get(key);
    if (before?.metadata.resourceVersion === resourceVersion) return before;
    const read = readPolicy(object);
    byKey.set(key, read);
    return read;
  };
  const onObjects = (reads: readonly Read[]) => {
    const fresh = reads.filter((read) => !known.has(read));
    const isChanged = value === undefined || fresh.length > 0 || reads.length !== known.size;
    if (!isChanged) return;
    known = new Set(reads);
    byKey = new Map(reads.map((read) => [`${read.metadata.namespace}/${read.metadata.name}`, read]));
    const problems = fresh.flatMap((read) => read.problems);
    if (problems.length > 0) events.refused(problems, "the other policies");
    value = reads.flatMap(({ policy }) => policy ?? []);
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
  const problems = validated.refusals.map(({ path, reason }) => notice("GG602", { where, path, reason }));
  return { metadata, policy: undefined, problems };
}
