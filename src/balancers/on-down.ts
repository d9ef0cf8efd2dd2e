/**
 * What a balancer does with the requests in flight when it marks their backend DOWN.
 */

/** Kept, or cut: always, or under a condition (the rest of a sentence). Of a balancer that nobody knows, cut is assumed. */
export type OnDown =
  | { readonly sessions: "kept" }
  | { readonly sessions: "cut"; readonly when?: string }
  | { readonly sessions: "unknown" };

/** Whether requests in flight have to be counted as lost at DOWN. */
export function mayCut({ sessions }: OnDown): boolean {
  return sessions !== "kept";
}

/** Whether it kills sessions, for people. */
export function killsSessions(onDown: OnDown): string {
  switch (onDown.sessions) {
    case "kept":
      return "no";
    case "cut":
      return onDown.when ?? "yes";
    case "unknown":
      return "assume yes";
  }
}
