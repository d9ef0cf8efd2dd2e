/**
 * The last words of `check`, its exit code, and its colours: for manifests and for clusters alike.
 */
import { isBehindBalancer } from "../check/behind-balancer.ts";
import { gatewaysOf, type Inventory } from "../check/inventory.ts";
import { type CheckPaint, countText } from "../check/present.ts";
import type { PlacedFinding } from "../check/run.ts";
import type { Severity } from "../codes/registry.ts";
import { surgesOnItsNode } from "../manifests/workload.ts";
import { wrapText } from "../report/wrap-text.ts";
import { colour, type ExitCode, exitCode, say } from "./command.ts";

/** From the least to the gravest. */
export const SEVERITIES: readonly Severity[] = ["info", "warning", "error"];

/** The last words, and the exit code. */
export function conclude(
  inventory: Inventory,
  results: readonly PlacedFinding[],
  { least, asJson, more }: { readonly least: number; readonly asJson: boolean; readonly more: string },
): ExitCode {
  const objects = `in ${inventory.items.length} object${inventory.items.length === 1 ? "" : "s"}`;
  say(`${countText(results)} ${objects}${more}.`);
  if (!asJson) hint(inventory);
  return results.some(({ severity }) => SEVERITIES.indexOf(severity) >= least) ? exitCode.failed : exitCode.ok;
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

/** Colours for a stream. */
export function paint(stream: NodeJS.WriteStream): CheckPaint {
  return {
    error: (text) => colour("red", text, stream),
    warning: (text) => colour("yellow", text, stream),
    info: (text) => colour("cyan", text, stream),
    place: (text) => colour("bold", text, stream),
  };
}
