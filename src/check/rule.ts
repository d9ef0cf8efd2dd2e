/**
 * What a rule of `check` is: one file each, with its reason, its fix, and the examples that are its tests and its docs.
 */
import type { Path } from "../manifests/workload.ts";
import type { JsonObject } from "../pod/json.ts";
import type { Item, World } from "./world.ts";

/** How grave a finding is. `info` does not fail a run. */
export type Gravity = "error" | "warning" | "info";

/** One rule. */
export interface Rule {
  /** Its name in output, comments and docs. */
  readonly id: string;
  readonly severity: Gravity;
  /** One sentence: what is wrong. */
  readonly title: string;
  /** Why that loses requests. */
  readonly reason: string;
  /** What to do. */
  readonly fix: string;
  /** Manifests on which it must fire, and on which no rule may. */
  readonly examples: { readonly bad: readonly string[]; readonly good: readonly string[] };
  /** A mesh config that the examples need. */
  readonly mesh?: JsonObject;
  check(world: World): Iterable<Finding>;
}

/** One thing that a rule found. */
export interface Finding {
  readonly item: Item;
  /** Where in the object. */
  readonly at: Path;
  /** One sentence about this case. */
  readonly message: string;
  /** Mends the object; only where the repair is safe. */
  readonly repair?: (object: JsonObject) => JsonObject;
}
