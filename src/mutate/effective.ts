/**
 * Whose value counts: an override beats what the user wrote in the pod, and that beats every other level.
 */
import { type Duration, type Said, setBy } from "../budget/because.ts";
import { level, type Sourced } from "../policy/layers.ts";
import type { SidecarSettings } from "../policy/settings.ts";
import { type Milliseconds, wholeSeconds } from "../units/milliseconds.ts";
import type { Effective } from "./context.ts";

/** Where a value of the pod's own comes from. */
export const POD = "the pod";

/** Where a value comes from that nobody set. */
export const BUILT_IN = "built-in";

/** An override, else what the user wrote in the pod, else the setting of a farther level. */
export function effective<T extends Said["value"]>(
  name: string,
  setting: Sourced<T> | undefined,
  users: T | undefined,
): Effective<T> | undefined {
  const overrides = setting?.level === level.override;
  if (users !== undefined && !overrides) return saidBy(name, { value: users, origin: POD });
  return setting && { ...saidBy(name, setting), overrides };
}

/** What holds where nobody says anything. */
export function otherwise<T extends Said["value"]>(name: string, value: T): Effective<T> {
  return saidBy(name, { value, origin: BUILT_IN });
}

function saidBy<T extends Said["value"]>(
  setting: string,
  { value, origin }: { readonly value: T; readonly origin: string },
): Effective<T> {
  return { ...setBy(setting, { value, origin }), overrides: false, setting: { setting, value, origin } };
}

/** A span that somebody set: the user's as it stands in the pod, a setting's in the whole seconds that are written. */
export function setDuration(name: string, setting: Sourced<Milliseconds> | undefined, users: Milliseconds | undefined) {
  const set: Duration | undefined = effective(name, setting, users);
  return users !== undefined && setting?.level !== level.override
    ? set
    : set && { ...set, value: wholeSeconds(set.value) };
}

/** A terminationDrainDuration that is somebody's wish for this pod: an override replaces the user's own. */
export function writtenDrain(
  { terminationDrainDuration: setting }: SidecarSettings,
  users: Milliseconds | undefined,
): Duration | undefined {
  const isOverride = setting?.level === level.override;
  if (users !== undefined && !isOverride) return { value: users, because: { tag: "own drain" } };
  const counts = isOverride || setting?.level === level.meshConfig;
  return counts ? setBy("terminationDrainDuration", setting) : undefined;
}
