/**
 * Why a part of a pod is as it is, as a mutation says it that writes the part.
 *
 * A number has its own reason (src/budget/because.ts). Everything else is there for a purpose, and mostly because a setting
 * asks for it. src/report/because.ts makes the sentence.
 */
import type { Because, Said } from "../budget/because.ts";
import type { Milliseconds } from "../units/milliseconds.ts";

/** A setting, as far as it is known. */
export type Setting = Pick<Said, "setting"> & Partial<Said>;

/** What a part of a pod is there for. */
export type Purpose =
  | "application after proxy"
  | "last connection"
  | "stats"
  | "status"
  | "held until CLOSED"
  | "with the application"
  | "endpoints leave"
  | "steers"
  | "webhook's image"
  | "quota"
  | "restricted"
  | "readiness"
  | "liveness"
  | "grace period"
  | "health paths"
  /** Nothing but the setting. */
  | "setting";

/** A reason. */
export type Why =
  | Because
  | { readonly tag: Purpose; readonly setting?: Setting }
  | { readonly tag: "sleeps" | "detection time"; readonly time: Milliseconds; readonly setting?: Setting };

/**
 * Reasons by place. A place in the pod is a path such as `/spec/containers/hc/env/DRAIN_TIMEOUT`, in which named elements
 * of lists stand by their name; a key of the annotation is `config/KEY`.
 */
export type Whys = readonly (readonly [place: string, why: Why])[];

/** A part that is there since a setting says so. */
export function bySetting(setting: string, { value, origin }: { value?: Said["value"]; origin?: string } = {}): Why {
  return { tag: "setting", setting: settingOf(setting, { value, origin }) };
}

/** A setting as a reason has it. */
export function settingOf(
  setting: string,
  { value, origin }: { value?: Said["value"] | undefined; origin?: string | undefined },
): Setting {
  return { setting, ...(value === undefined ? {} : { value }), ...(origin === undefined ? {} : { origin }) };
}
