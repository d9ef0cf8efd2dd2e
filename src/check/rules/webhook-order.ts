import { withValue } from "../../manifests/workload.ts";
import { type JsonObject, objectsAt, textAt } from "../../pod/json.ts";
import { itemsOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const configuration = (name: string, reinvocation: string) =>
  [
    "apiVersion: admissionregistration.k8s.io/v1",
    "kind: MutatingWebhookConfiguration",
    `metadata: { name: ${name} }`,
    "webhooks:",
    "  - name: namespace.gracegate.dev",
    `    reinvocationPolicy: ${reinvocation}`,
    "    failurePolicy: Ignore",
    "",
  ].join("\n");

/** What Istio's configurations begin with. */
const ISTIO = "istio-";

/** Gracegate's webhook comes after Istio's, or only once. */
export const webhookOrder: Rule = {
  id: "webhook-order",
  severity: "error",
  title: "Gracegate's webhook is not called before and after Istio's.",
  reason:
    "Istio reads proxy.istio.io/config only when it injects, so Gracegate must come first; the container can be edited only after Istio, so it must be called again. The API server calls in the order of names, and again only with reinvocationPolicy IfNeeded.",
  fix: "name the configuration gracegate-…, and set reinvocationPolicy: IfNeeded",
  examples: {
    bad: [configuration("mesh-gracegate", "IfNeeded"), configuration("gracegate-webhook", "Never")],
    good: [configuration("gracegate-webhook", "IfNeeded")],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of itemsOf(inventory, "MutatingWebhookConfiguration")) {
      for (const [index, webhook] of objectsAt(item.object, "webhooks").entries()) {
        if (!(textAt(webhook, "name") ?? "").endsWith("gracegate.dev")) continue;
        const at = ["webhooks", index, "reinvocationPolicy"];
        if (webhook.reinvocationPolicy !== "IfNeeded") {
          yield {
            item,
            at,
            message: `reinvocationPolicy is ${String(webhook.reinvocationPolicy ?? "Never, the default")}, so it never sees what Istio made.`,
            repair: (object) => withValue(object, at, "IfNeeded") as JsonObject,
          };
        }
        if (item.name >= ISTIO) {
          yield {
            item,
            at: ["metadata", "name"],
            message: `${item.name} sorts after ${ISTIO}…, so Istio injects first.`,
          };
          break;
        }
      }
    }
  },
};
