/**
 * The port at which hc answers in a gateway, and the Services that lead there.
 */
import { objectAt, objectsAt } from "../pod/json.ts";
import type { Item, Workload } from "./inventory.ts";

/** The port at which hc of a gateway answers. */
export function hcPortOf({ context }: Workload): number {
  return context?.role.kind === "gateway" ? context.role.settings.hc.port : 18_180;
}

/** Whether a Service leads to hc of a gateway. */
export function leadsToHc(item: Item, workload: Workload): boolean {
  return objectsAt(objectAt(item.object, "spec"), "ports").some(
    ({ port, targetPort }) => (targetPort ?? port) === hcPortOf(workload) || targetPort === "hc",
  );
}
