/**
 * The annotation gracegate.dev/status: what this program wrote into a pod, so that the second call (and a later run over
 * the same manifest) can tell its own values from the user's.
 *
 * A value counts as ours only while it equals what was written. Names in `wrote` say what, never an index:
 * `config/terminationDrainDuration`, `istio-proxy/env/MINIMUM_DRAIN_DURATION`, `istio-proxy/preStop`, `hc`.
 */
import { MAX_DURATION, type Seconds } from "../units/duration.ts";
import { type Milliseconds, seconds } from "../units/milliseconds.ts";
import { STATUS } from "./annotations.ts";
import { isObject, type JsonObject, type JsonValue, objectAt, sameJson, textAt, textsAt, valueAt } from "./json.ts";

/** What an earlier call left in the pod. */
export interface EarlierStatus {
  /** Whether the annotation is there and can be read. */
  readonly present: boolean;
  /** Codes that were noticed so far. */
  readonly codes: readonly string[];
  /** The grace period before the first change; undefined where it was not noted. */
  readonly gracePeriod: Milliseconds | undefined;
  /** What was written: name → value. */
  readonly wrote: JsonObject;
}

const nothing: EarlierStatus = { present: false, codes: [], gracePeriod: undefined, wrote: {} };

/** Longest status that is read, characters; one of a pod with 100 containers has a third of it. */
const LONGEST = 16 * 1024;

/** Reads the status annotation of a pod. One that is no JSON object counts as none. */
export function earlierStatus(pod: JsonObject): EarlierStatus {
  const text = textAt(objectAt(objectAt(pod, "metadata"), "annotations"), STATUS);
  if (text === undefined || text.length > LONGEST) return nothing;
  let status: unknown;
  try {
    status = JSON.parse(text);
  } catch {
    return nothing;
  }
  if (!isObject(status)) return nothing;
  const gracePeriod = valueAt(status, "gracePeriod");
  return {
    present: true,
    codes: textsAt(status, "codes"),
    gracePeriod: isSeconds(gracePeriod) ? seconds(gracePeriod) : undefined,
    wrote: objectAt(status, "wrote"),
  };
}

/** Somebody may have edited the annotation: only what the API server would take as a grace period counts. */
function isSeconds(value: JsonValue | undefined): value is Seconds {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_DURATION;
}

/** Whether a value in the pod is the one that an earlier call wrote under a name. */
export function isOurs(status: EarlierStatus, name: string, value: JsonValue | undefined): boolean {
  return value !== undefined && Object.hasOwn(status.wrote, name) && sameJson(status.wrote[name], value);
}
