/**
 * What the table must show. Every sentence is something that is not as it has to be; none: the claim holds here.
 */
import { killedIn, nameOf, type Record } from "./record.ts";

/**
 * Longest time that S3's gateways may take to go, seconds: detection 0.5, 5 until HTTP/2 takes no new streams (requests in
 * flight end meanwhile), the LB buffer of 7, and 15 until the proxy and the kubelet are through.
 */
export const LONGEST_END_S = 0.5 + 5 + 7 + 15;

/** Ways to lose a request that a gateway's end has; anything else would be the rig's own fault. */
const LOSSES_OF_CURRENT = /^(5xx (502|503)|reset|closed|truncated|refused|stream-reset|goaway|ECONNREFUSED)/;

/** Judges the runs. */
export function judge(records: readonly Record[]): readonly string[] {
  return [...records.flatMap(judgeOne), ...judgeCurrent(records)];
}

function judgeOne(record: Record): readonly string[] {
  const { scenario, mode, isVoid, lost, failedHooks } = record;
  const name = nameOf(record);
  const found: string[] = isVoid.map((reason) => `${name} is void: ${reason}`);
  if (hasToLoseNothing(record) && lost > 0) found.push(`${name} lost ${lost}: ${JSON.stringify(record.losses)}`);
  if ((record.lostElsewhere ?? 0) > 0) found.push(`${name}: the other gateway lost ${record.lostElsewhere}`);
  if (mode === "current") return found;
  // In S10 the lab itself sends one.
  if (killedIn(record) && scenario !== "S10") found.push(`${name}: a pod ended by SIGKILL`);
  if (failedHooks > 0 && scenario !== "S10") found.push(`${name}: ${failedHooks} preStop hooks failed`);
  return found;
}

/** Judges how long gateways took to end: an improved one must not be slower than it needs. */
export function judgeTimes(records: readonly Record[]): readonly string[] {
  return records
    .filter(({ scenario, mode }) => scenario === "S3" && mode === "improved")
    .flatMap(({ repeat, pods }) => pods.map((pod) => ({ ...pod, repeat })))
    .filter(({ seconds }) => seconds > LONGEST_END_S)
    .map(
      ({ pod, repeat, seconds }) =>
        `S3 improved ${repeat}: ${pod} took ${seconds.toFixed(1)} s to end, more than ${LONGEST_END_S} s`,
    );
}

/** The modes that have a drain answer, or a replacement on the same node, lose nothing. */
function hasToLoseNothing({ scenario, mode }: Record): boolean {
  if (scenario === "S10") return false;
  if (mode === "improved" || mode === "same-node") return true;
  // A balancer that is told nothing still leaves single requests their time.
  return mode === "runbook" && (scenario === "S1" || scenario === "S4");
}

/** What fails today has to fail here, each time and for the reason that it did. */
function judgeCurrent(records: readonly Record[]): readonly string[] {
  return (
    records
      // A native sidecar outlives its application by itself.
      .filter(({ mode, part, isVoid }) => mode === "current" && part !== "native" && isVoid.length === 0)
      .flatMap((record) => {
        const { lost, losses } = record;
        const name = nameOf(record);
        if (lost === 0) return [`${name} lost nothing, so the rig proves nothing`];
        const strange = Object.keys(losses).filter((kind) => !LOSSES_OF_CURRENT.test(kind));
        return strange.map((kind) => `${name} lost for another reason than the runbook's: ${kind}`);
      })
  );
}
