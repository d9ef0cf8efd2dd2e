/**
 * Policies from the cluster: all GracePolicy objects, watched.
 *
 * One object that cannot be used is skipped, and the others stay in force: its namespace's team must not be able to take
 * the policies away from everybody else.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type JsonObject, objectAt, textAt } from "../pod/json.ts";
import { API_VERSION, KIND } from "../policy/schema.ts";
import { originOf, type Policy, validatePolicy } from "../policy/validate.ts";
import type { Source, SourceEvents } from "../sources/source.ts";
import type { ClusterApi } from "./api.ts";
import { watchList, watchTimes } from "./watched-list.ts";

const PATH = `/apis/${API_VERSION}/gracepolicies`;

/** What one object gave: a policy, or the notices about it. */
interface Read {
  readonly version: string;
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
  let known = new Map<string, Read>();
  const onObjects = (objects: readonly JsonObject[]) => {
    const now = new Map<string, Read>();
    const problems: Notice[] = [];
    let isChanged = value === undefined || objects.length !== known.size;
    for (const object of objects) {
      const key = textAt(objectAt(object, "metadata"), "uid") ?? "";
      const before = known.get(key);
      // Most objects are the same as before: they are neither validated nor complained about again.
      if (before !== undefined && before.version === versionOf(object)) {
        now.set(key, before);
        continue;
      }
      const read = readPolicy(object);
      now.set(key, read);
      problems.push(...read.problems);
      isChanged = true;
    }
    known = now;
    if (problems.length > 0) events.refused(problems, "the other policies");
    if (!isChanged) return;
    const reads = [...now.values()];
    value = reads.flatMap(({ policy }) => policy ?? []);
    onSkipped(reads.length - value.length);
    events.changed();
  };
  return {
    current: () => (value === undefined ? undefined : { value }),
    follow: (signal) =>
      watchList(
        api,
        { path: PATH, onObjects, onUnreachable: (reason, retryMs) => events.unreachable(reason, retryMs) },
        signal,
        times,
      ),
  };
}

function versionOf(object: JsonObject): string {
  return textAt(objectAt(object, "metadata"), "resourceVersion") ?? "";
}

function readPolicy(object: JsonObject): Read {
  // Items of a list come without their type.
  const validated = validatePolicy({ ...object, apiVersion: API_VERSION, kind: KIND });
  const version = versionOf(object);
  if (validated.ok) return { version, policy: validated.policy, problems: [] };
  const metadata = objectAt(object, "metadata");
  const where = originOf({ name: textAt(metadata, "name") ?? "", namespace: textAt(metadata, "namespace") ?? "" });
  const problems = validated.refusals.map(({ path, reason }) => notice("GG602", { where, path, reason }));
  return { version, policy: undefined, problems };
}
