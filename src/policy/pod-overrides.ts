/**
 * What the gracegate.dev annotations of a pod say: values for settings, or what is wrong with them.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { OVERRIDE_PREFIX, STATUS } from "../pod/annotations.ts";
import type { JsonObject, JsonValue } from "../pod/json.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import type { Delegation } from "./delegation.ts";
import { type Layer, level } from "./layers.ts";
import { nearest } from "./nearest.ts";
import { type OverrideRole, overrides } from "./overrides.ts";
import { DELEGABLE } from "./schema.ts";

const byName = new Map(overrides.map((entry) => [entry.name, entry]));
const names = [...byName.keys()];

/** Unknown names that are told one by one; a person has mistyped a few, a stranger sends 100,000. */
const MOST_UNKNOWN = 20;

/** An override that does not parse. */
export interface BadOverride {
  readonly annotation: string;
  readonly value: string;
  readonly is: string;
  readonly right: string;
  readonly setting: string;
}

/** What the overrides of a pod say. */
export interface PodOverrides {
  readonly layers: readonly Layer[];
  /** gracegate.dev/grace-period. */
  readonly gracePeriodWish: Milliseconds | undefined;
  readonly bad: readonly BadOverride[];
  readonly notices: readonly Notice[];
}

const silent: PodOverrides = { layers: [], gracePeriodWish: undefined, bad: [], notices: [] };

/**
 * Reads the gracegate.dev annotations of a pod.
 *
 * @param delegation what pods may set of the cluster's owner's fields
 */
export function overridesOf(annotations: JsonObject, role: OverrideRole, delegation: Delegation): PodOverrides {
  const written = Object.keys(annotations).filter((key) => key.startsWith(OVERRIDE_PREFIX) && key !== STATUS);
  if (written.length === 0) return silent;
  const layers: Layer[] = [];
  const bad: BadOverride[] = [];
  const notices: Notice[] = [];
  let gracePeriodWish: Milliseconds | undefined;
  let unknown = 0;
  for (const annotation of written) {
    const entry = byName.get(annotation.slice(OVERRIDE_PREFIX.length));
    if (entry === undefined) {
      unknown += 1;
      if (unknown > MOST_UNKNOWN) continue;
      const guess = nearest(annotation.slice(OVERRIDE_PREFIX.length), names);
      notices.push(notice("GG102", { annotation, nearest: guess && `${OVERRIDE_PREFIX}${guess}` }));
      continue;
    }
    if (!entry.roles.includes(role)) {
      notices.push(notice("GG103", { annotation, role, roles: entry.roles.join(" or a ") }));
      continue;
    }
    const field = DELEGABLE.find((one) => one === entry.setting);
    if (field !== undefined && !delegation.fields.has(field)) {
      notices.push(notice("GG108", { annotation, field, root: delegation.rootNamespace }));
      continue;
    }
    const said = annotations[annotation] ?? "";
    const value = typeof said === "string" ? said : shown(said);
    const parsed = typeof said === "string" ? entry.parse(value, role) : notText(said);
    if (!parsed.ok) {
      bad.push({ annotation, value, is: parsed.is, right: parsed.right, setting: entry.setting });
      continue;
    }
    if (entry.name === "grace-period") gracePeriodWish = parsed.value as Milliseconds;
    else layers.push({ level: level.override, origin: `annotation ${annotation}`, spec: parsed.spec });
  }
  if (unknown > MOST_UNKNOWN) notices.push(notice("GG102", { more: unknown - MOST_UNKNOWN }));
  return { layers, gracePeriodWish, bad, notices };
}

/** A value that is no text as JSON. What is nested in it is left out: it may be deeper than it could be written out. */
function shown(value: JsonValue): string {
  return JSON.stringify(value, (key, part: JsonValue) =>
    key !== "" && typeof part === "object" && part !== null ? "…" : part,
  );
}

/** What a manifest may hold, and no pod: the API server takes texts only. */
function notText(written: JsonValue) {
  const kind = typeof written === "object" ? "a collection" : `a ${typeof written}`;
  return {
    ok: false as const,
    is: `a text but ${kind}, and the API server refuses the object`,
    right: "it in quotes",
  };
}
