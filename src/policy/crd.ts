/**
 * The CustomResourceDefinition of GracePolicy, from its schema.
 */
import type { JsonObject } from "../pod/json.ts";
import { API_VERSION, KIND, policySpec } from "./schema.ts";

const [group = "", version = ""] = API_VERSION.split("/");

const PLURAL = "gracepolicies";

/** Builds the CustomResourceDefinition. */
export function gracePolicyCrd(): JsonObject {
  const column = (name: string, type: string, jsonPath: string) => ({ name, type, jsonPath });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${PLURAL}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: KIND, listKind: `${KIND}List`, plural: PLURAL, singular: KIND.toLowerCase(), shortNames: ["gp"] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: [
            column("Mode", "string", ".spec.mode"),
            column("Profile", "string", ".spec.gateway.loadBalancer.profile"),
            column("Gateway-P99", "string", ".spec.gateway.requestP99"),
            column("Gateway-Drain", "string", ".spec.gateway.drainTimeout"),
            column("Sidecar-P99", "string", ".spec.sidecar.requestP99"),
            column("Sidecar-Drain", "string", ".spec.sidecar.drainTimeout"),
            column("Age", "date", ".metadata.creationTimestamp"),
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "How the pods of a namespace start and stop without losing a request.",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: policySpec.json as unknown as JsonObject,
              },
            },
          },
        },
      ],
    },
  };
}
