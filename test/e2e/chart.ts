/**
 * The chart as objects: what `helm template` makes of it.
 */
import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import { isObject, type JsonObject } from "../../src/pod/json.ts";

/** The namespace that the tests install into. */
export const NAMESPACE = "gracegate-system";

/** The name of what is not in a namespace. */
export const CLUSTER_NAME = "gracegate-gracegate-system";

/** The result of a helm command. */
export interface Rendered {
  readonly status: number | null;
  readonly stderr: string;
  readonly text: string;
  readonly objects: readonly JsonObject[];
}

/** Renders the chart with values. */
export function render(
  helm: string,
  values: JsonObject = {},
  flags: readonly string[] = [],
  chart = "charts/gracegate",
): Rendered {
  const args = ["template", "gracegate", chart, "--namespace", NAMESPACE, "--values", "-", ...flags];
  const { status, stdout, stderr } = spawnSync(helm, args, { input: JSON.stringify(values), encoding: "utf8" });
  const objects = status === 0 ? parseAllDocuments(stdout).map((document) => document.toJS() as unknown) : [];
  return { status, stderr, text: stdout, objects: objects.filter(isObject) };
}

/** A value of the chart by its path, `webhook.port`. */
export function nested(path: string, value: unknown): JsonObject {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

/** The path of an object's collection in the API server; undefined for kinds of CRDs that are not installed. */
export function collectionOf(object: JsonObject): string | undefined {
  const [prefix, resource] = COLLECTIONS[String(object.kind)] ?? [];
  if (prefix === undefined) return undefined;
  const { namespace } = object.metadata as { namespace?: string };
  return namespace === undefined ? `${prefix}/${resource}` : `${prefix}/namespaces/${namespace}/${resource}`;
}

const COLLECTIONS: Readonly<Record<string, readonly [string, string]>> = {
  ConfigMap: ["/api/v1", "configmaps"],
  Service: ["/api/v1", "services"],
  ServiceAccount: ["/api/v1", "serviceaccounts"],
  Pod: ["/api/v1", "pods"],
  Deployment: ["/apis/apps/v1", "deployments"],
  PodDisruptionBudget: ["/apis/policy/v1", "poddisruptionbudgets"],
  NetworkPolicy: ["/apis/networking.k8s.io/v1", "networkpolicies"],
  ClusterRole: ["/apis/rbac.authorization.k8s.io/v1", "clusterroles"],
  ClusterRoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings"],
  Role: ["/apis/rbac.authorization.k8s.io/v1", "roles"],
  RoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "rolebindings"],
  MutatingWebhookConfiguration: ["/apis/admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations"],
  ValidatingAdmissionPolicy: ["/apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicies"],
  ValidatingAdmissionPolicyBinding: ["/apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings"],
  ValidatingWebhookConfiguration: ["/apis/admissionregistration.k8s.io/v1", "validatingwebhookconfigurations"],
  GracePolicy: ["/apis/gracegate.dev/v1alpha1", "gracepolicies"],
  CustomResourceDefinition: ["/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"],
};
