/**
 * Pods and runs for unit tests: the least of a pod that has a role, and the pipeline over it.
 */

import type { AdmissionRequest } from "../../src/admission/review.ts";
import type { Context } from "../../src/mutate/context.ts";
import { type Outcome, type PipelineOptions, runPipeline } from "../../src/mutate/pipeline.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { beyondDelegation, delegationOf } from "../../src/policy/delegation.ts";
import type { MeshConfig } from "../../src/policy/mesh-config.ts";
import { normalise } from "../../src/policy/normalise.ts";
import { DELEGABLE, type PolicySpec, policySpec } from "../../src/policy/schema.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { type Milliseconds, seconds } from "../../src/units/milliseconds.ts";

/** What a pod of a test has besides its role. */
export interface Parts {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
  readonly proxy?: JsonObject;
  /** Containers besides istio-proxy. */
  readonly others?: readonly JsonObject[];
}

const IMAGE = "docker.io/istio/proxyv2:1.31.0";

/** A rendered gateway. */
export function gatewayPod({ annotations, labels, spec, proxy, others = [] }: Parts = {}): JsonObject {
  return podOf(annotations, labels, {
    containers: [{ name: "istio-proxy", image: IMAGE, args: ["proxy", "router"], ...proxy }, ...others],
    ...spec,
  });
}

/** A pod with a rendered classic sidecar and the application `app`, unless others are given. */
export function sidecarPod({ annotations, labels, spec, proxy, others = [app()] }: Parts = {}): JsonObject {
  return podOf(annotations, labels, {
    containers: [...others, { name: "istio-proxy", image: IMAGE, args: ["proxy", "sidecar"], ...proxy }],
    ...spec,
  });
}

/** A pod with a rendered native sidecar and the application `app`. */
export function nativePod({ annotations, labels, spec, proxy, others = [app()] }: Parts = {}): JsonObject {
  const sidecar = { name: "istio-proxy", image: IMAGE, args: ["proxy", "sidecar"], restartPolicy: "Always", ...proxy };
  return podOf(annotations, labels, { containers: [...others], initContainers: [sidecar], ...spec });
}

/** An application pod before Istio's injector. */
export function plainPod({ annotations, labels, spec, others = [app()] }: Parts = {}): JsonObject {
  return podOf(annotations, labels, { containers: [...others], ...spec });
}

/** An application container. */
export function app(preStop?: JsonObject, name = "app"): JsonObject {
  return { name, image: "shop/cart:4.2", ...(preStop === undefined ? {} : { lifecycle: { preStop } }) };
}

function podOf(annotations: Parts["annotations"], labels: Parts["labels"], spec: JsonObject): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "web-",
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec,
  };
}

/** A value as a person writes it: durations are numbers of seconds. */
export type InSeconds<T> = T extends Milliseconds
  ? number
  : T extends object
    ? { readonly [K in keyof T]: InSeconds<T[K]> }
    : T;

/** A policy's spec with durations in seconds. */
export type WrittenSpec = InSeconds<PolicySpec>;

/** A spec as the program has it. */
export function specOf(written: WrittenSpec): PolicySpec {
  return normalise(policySpec, written as unknown as JsonObject, "spec", []);
}

/** Fields whose numbers are no durations. */
const COUNTS: readonly string[] = ["checkFall", "checkRise", "level", "status"];

/** A value as the program has it, of one with durations in seconds. */
export function exactly<T>(written: InSeconds<T>): T {
  const inner = (value: unknown, name: string): unknown => {
    if (typeof value === "number") return COUNTS.includes(name) ? value : seconds(value);
    if (Array.isArray(value)) return value.map((element) => inner(element, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inner(field, key)]));
  };
  return inner(written, "") as T;
}

/** The pipeline's options with one policy for the namespace shop, and one of the owner that delegates what it says. */
export function optionsFor(spec: WrittenSpec = {}, mesh?: InSeconds<MeshConfig>): PipelineOptions {
  const policy = { name: "default", namespace: "shop", resourceVersion: "7", spec: specOf(spec) };
  const owner = { name: "owner", namespace: "gracegate", resourceVersion: "1", spec: { delegate: DELEGABLE } };
  const needsOwner = beyondDelegation("shop", spec, delegationOf("gracegate", [])).length > 0;
  return {
    snapshot: snapshotOf(needsOwner ? [owner, policy] : [policy], "gracegate", mesh && exactly<MeshConfig>(mesh)),
    hcImage: "gracegate:test",
    gatewayTemplates: ["gateway"],
  };
}

/** Runs the pipeline. */
export function run(pod: JsonObject, spec: WrittenSpec = {}, mesh?: InSeconds<MeshConfig>): Outcome {
  return runPipeline(pod, "shop", optionsFor(spec, mesh));
}

/** The creation of a pod in the namespace shop, with other fields where a test needs them. */
export function requestOf(object: JsonObject | undefined, fields: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: "u-1",
    operation: "CREATE",
    kind: "Pod",
    group: "",
    subResource: "",
    namespace: "shop",
    dryRun: false,
    object,
    oldObject: undefined,
    ...fields,
  };
}

/** What was decided about a pod. */
export function contextOf(pod: JsonObject, spec: WrittenSpec = {}, mesh?: InSeconds<MeshConfig>): Context {
  const { plan } = run(pod, spec, mesh);
  if (plan === undefined) throw new Error("the pod is left alone");
  return plan.context;
}

/** A container of a pod, wherever it is. */
export function containerOf(pod: JsonObject, name: string): JsonObject | undefined {
  const spec = objectAt(pod, "spec");
  return [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")].find((one) => one.name === name);
}

/** The preStop hook of a container. */
export function preStop(pod: JsonObject, name: string): JsonObject | undefined {
  const hook = objectAt(containerOf(pod, name), "lifecycle").preStop;
  return isObject(hook) ? hook : undefined;
}

/** The plain variables of a container. */
export function environment(pod: JsonObject, name: string): Record<string, string> {
  return Object.fromEntries(
    objectsAt(containerOf(pod, name), "env").map((entry) => [String(entry.name), textAt(entry, "value") ?? "<from>"]),
  );
}

/** An annotation of a pod. */
export function annotation(pod: JsonObject, name: string): string | undefined {
  return textAt(objectAt(objectAt(pod, "metadata"), "annotations"), name);
}

/** The status annotation of a pod, read. */
export function statusOf(pod: JsonObject): JsonObject {
  return JSON.parse(annotation(pod, "gracegate.dev/status") ?? "{}") as JsonObject;
}

/** The codes of notices, in order. */
export function codesOf(notices: readonly { readonly code: string }[]): readonly string[] {
  return notices.map(({ code }) => code);
}
