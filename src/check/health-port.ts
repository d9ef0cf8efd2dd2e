/**
 * The port at which a cloud's balancer checks, where a Service's annotations say one, and what that port belongs to: the
 * nodes, or the pods where the balancer's targets are their IP addresses.
 */
import { profiles } from "../balancers/profiles.ts";
import { objectAt, textAt } from "../pod/json.ts";
import type { Item } from "./inventory.ts";

const known = Object.values(profiles).flatMap(({ annotations }) => annotations ?? []);

/** What the annotations of a Service say about the check's port. */
export interface HealthPort {
  /** The annotation. */
  readonly name: string;
  /** The balancer checks where the traffic goes. */
  readonly port: number | "traffic-port";
}

/** The annotation's name and port; undefined where there is none. */
export function healthPortOf({ object }: Item): HealthPort | undefined {
  const annotations = objectAt(objectAt(object, "metadata"), "annotations");
  for (const name of Object.keys(annotations)) {
    if (!known.some(({ healthPort }) => healthPort?.test(name))) continue;
    const text = textAt(annotations, name);
    const port = Number(text);
    if (Number.isInteger(port) && port > 0) return { name, port };
    if (text === "traffic-port") return { name, port: text };
  }
  return undefined;
}

/** Whether a balancer sends to the pods' addresses, and checks there: no node is on the way. */
export function targetsPods({ object }: Item): boolean {
  const annotations = objectAt(objectAt(object, "metadata"), "annotations");
  return known.some(({ targetsPods = {} }) =>
    Object.entries(targetsPods).some(([name, value]) => annotations[name] === value),
  );
}
