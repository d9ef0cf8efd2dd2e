/**
 * What a running webhook was started with, read from its Deployment: a check that assumed something else would find pods
 * outdated that are not.
 */
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../pod/json.ts";

/** The options of `gracegate webhook` that decide how pods come out; undefined where they are not given. */
export interface Installation {
  readonly hcImage: string | undefined;
  readonly rootNamespace: string | undefined;
  readonly gatewayTemplates: string | undefined;
  /** `NAMESPACE/NAME` of the mesh config's ConfigMap, where the webhook reads it from the cluster. */
  readonly meshConfigMap: string | undefined;
}

/** Where Istio keeps its mesh config unless told otherwise. */
const MESH_CONFIG_MAP = "istio-system/istio";

/** Finds the webhook among Deployments. */
export function installationOf(deployments: readonly JsonObject[]): Installation | undefined {
  const containers = deployments.flatMap(({ spec }) =>
    objectsAt(objectAt(objectAt(spec, "template"), "spec"), "containers"),
  );
  const webhook = containers.find((container) => textsAt(container, "args")[0] === "webhook");
  if (webhook === undefined) return undefined;
  const option = (name: string) => argument(textsAt(webhook, "args"), name) ?? variable(webhook, name);
  const isFromCluster = option("mesh-config") === "cluster";
  return {
    hcImage: option("hc-image"),
    rootNamespace: option("root-namespace"),
    gatewayTemplates: option("gateway-templates"),
    meshConfigMap: isFromCluster ? (option("mesh-config-map") ?? MESH_CONFIG_MAP) : undefined,
  };
}

/** `--name=value` or `--name value`. */
function argument(args: readonly string[], name: string): string | undefined {
  const flag = `--${name}`;
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (at === -1) return undefined;
  return args[at] === flag ? args[at + 1] : args[at]?.slice(flag.length + 1);
}

/** Every option is also a variable: GRACEGATE_HC_IMAGE. */
function variable(container: JsonObject, name: string): string | undefined {
  const wanted = `GRACEGATE_${name.replaceAll("-", "_").toUpperCase()}`;
  return textAt(
    objectsAt(container, "env").find((one) => one.name === wanted),
    "value",
  );
}
