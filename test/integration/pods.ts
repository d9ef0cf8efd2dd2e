/**
 * Small pods and their reviews, for tests over sockets.
 */
import { reviewOf } from "../../scripts/review-of.ts";
import type { PatchOperation } from "../../src/mutate/patch.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../src/pod/json.ts";
import type { Answer } from "./webhook-process.ts";

/** A rendered gateway pod. */
export function gatewayPod(annotations: JsonObject = {}, namespace = "edge"): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "gateway-", namespace, labels: { app: "gateway" }, annotations },
    spec: {
      containers: [{ name: "istio-proxy", image: "registry.example/istio/proxyv2:1.31.0", args: ["proxy", "router"] }],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
    },
  };
}

/** A review of a pod, as text. */
export function reviewText(pod: JsonObject, changes: JsonObject = {}): string {
  return JSON.stringify(reviewOf(pod, changes));
}

/** The patch in an answer; empty where there is none. */
export function patchOf(answer: Answer): readonly PatchOperation[] {
  const patch = textAt(objectAt(answer.json, "response"), "patch");
  return patch === undefined ? [] : (JSON.parse(Buffer.from(patch, "base64").toString()) as PatchOperation[]);
}

/** The grace period that an answer's patch sets. */
export function gracePeriodOf(answer: Answer): unknown {
  const operation = patchOf(answer).find(({ path }) => path === "/spec/terminationGracePeriodSeconds");
  return operation !== undefined && "value" in operation ? operation.value : undefined;
}

/** The warnings in an answer. */
export function warningsOf(answer: Answer): readonly string[] {
  return textsAt(objectAt(answer.json, "response"), "warnings");
}
