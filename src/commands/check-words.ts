/**
 * The last words of `check` and its exit code: for manifests and for clusters alike.
 */
import { isBehindBalancer } from "../check/behind-balancer.ts";
import { gatewaysOf, type Inventory } from "../check/inventory.ts";
import { countText } from "../check/present.ts";
import type { PlacedFinding } from "../check/run.ts";
import type { Severity } from "../codes/registry.ts";
import { surgesOnItsNode } from "../manifests/workload.ts";
import { wrapText } from "../report/wrap-text.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { say } from "./kit/say.ts";
import { SEVERITIES } from "./manifests.ts";

/** The last words, and the exit code. */
export function conclude(
  inventory: Inventory,
  results: readonly PlacedFinding[],
  { least, asJson, more }: { readonly least: Severity; readonly asJson: boolean; readonly more: string },
): ExitCode {
  const objects = `in ${inventory.items.length} object${inventory.items.length === 1 ? "" : "s"}`;
  say(`${countText(results)} ${objects}${more}.`);
  if (!asJson) hint(inventory);
  return results.some(({ severity }) => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least))
    ? exitCode.failed
    : exitCode.ok;
}

/** What no rule can demand, since many teams may not touch their balancer. */
function hint(inventory: Inventory): void {
  const deaf = gatewaysOf(inventory).filter(
    (one) =>
      one.context?.role.kind === "gateway" &&
      one.context.role.drainAnswer === undefined &&
      !surgesOnItsNode(one) &&
      isBehindBalancer(inventory, one),
  );
  if (deaf.length === 0) return;
  const names = [...new Set(deaf.map(({ name }) => name))].slice(0, 3).join(", ");
  say(
    wrapText(
      `${names}: the balancer's profile has no drain answer. Best first: let a replacement start on the same node at once (DaemonSet, maxSurge 1); a drain answer at the balancer; a balancer that keeps sessions. gracegate plan tells more.`,
      80,
    ),
  );
}
