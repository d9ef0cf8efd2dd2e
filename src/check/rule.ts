/**
 * What a rule of `check` is: one file each, with its reason, its fix, and the examples that are its tests and its docs.
 */
import type { Severity } from "../codes/registry.ts";
import type { Path } from "../manifests/workload.ts";
import type { JsonObject } from "../pod/json.ts";
import type { Inventory, Item } from "./inventory.ts";

/** One rule. */
export interface Rule {
  /** Its name in output, comments and docs. */
  readonly id: string;
  readonly severity: Severity;
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
  check(inventory: Inventory): Iterable<Finding>;
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
