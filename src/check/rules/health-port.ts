/**
 * The port at which a cloud's balancer checks, where a Service's annotations say one.
 */
import { objectAt, textAt } from "../../pod/json.ts";
import type { Item } from "../world.ts";

const ANNOTATION =
  /^(?:service\.beta\.kubernetes\.io\/(?:aws-load-balancer-healthcheck-port|(?:azure-load-balancer-health-probe|port_[0-9]+_health-probe)_?port)|alb\.ingress\.kubernetes\.io\/healthcheck-port)$/;

/** The annotation's name and port; undefined where there is none, or no number (`traffic-port`). */
export function healthPortOf({ object }: Item): { readonly name: string; readonly port: number } | undefined {
  const annotations = objectAt(objectAt(object, "metadata"), "annotations");
  for (const name of Object.keys(annotations)) {
    const port = Number(textAt(annotations, name));
    if (ANNOTATION.test(name) && Number.isInteger(port) && port > 0) return { name, port };
  }
  return undefined;
}
