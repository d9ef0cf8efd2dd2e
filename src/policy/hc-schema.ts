/**
 * The schema of `gateway.hc`: the health controller beside a gateway's proxy.
 */
import { LOG_LEVELS } from "../codes/log-level.ts";
import { compareQuantities } from "../units/quantity.ts";
import { extraEnv, extraEnvRules } from "./hc-environment-schema.ts";
import { securityContext } from "./hc-security-schema.ts";
import type { Rule } from "./rule.ts";
import { choice, duration, flag, integer, list, object, orElse, quantity, text, type Value } from "./schema-builder.ts";

/** Paths that hc answers for the kubelet: a balancer that asks there would never see the drain. */
const RESERVED_PATHS: readonly string[] = ["/health", "/live", "/drained"];

/** Far above what hc needs: whoever asks for more would take a node away from its neighbours by mistake or on purpose. */
const resourceList = (description: string) =>
  object(description, {
    cpu: quantity("Cores; at most 4.", "4"),
    memory: quantity("Bytes; at most 4Gi.", "4Gi"),
    "ephemeral-storage": quantity("Bytes; at most 10Gi.", "10Gi"),
  });

type ResourceList = Value<ReturnType<typeof resourceList>>;

/** A request that must not be more than its limit. */
function notMore(name: keyof ResourceList): Rule<{ readonly requests?: ResourceList; readonly limits?: ResourceList }> {
  // As CEL writes a name that has a dash.
  const [request, limit] = ["requests", "limits"].map((list) => `self.${list}.${name.replaceAll("-", "__dash__")}`);
  return {
    cel: `!has(self.requests) || !has(self.limits) || !has(${request}) || !has(${limit}) || quantity(string(${request})).compareTo(quantity(string(${limit}))) <= 0`,
    message: "must not be more than the limits",
    fieldPath: ".requests",
    isBroken({ requests, limits }) {
      const [wanted, most] = [requests?.[name], limits?.[name]];
      if (wanted === undefined || most === undefined || (compareQuantities(wanted, most) ?? 1) <= 0) return false;
      return [{ at: `.requests.${name}`, reason: `is ${wanted}, more than the limit ${most}` }];
    },
  };
}

type Port = "port" | "controlPort" | "metricsPort";

/** Two ports that must not be the same. */
function differ(one: Port, other: Port): Rule<{ readonly [name in Port]?: number }> {
  return {
    cel: `!has(self.${one}) || !has(self.${other}) || self.${one} != self.${other}`,
    message: `uses one port twice; ${one} and ${other} must differ`,
    fieldPath: `.${other}`,
    isBroken: (ports) => ports[one] !== undefined && ports[one] === ports[other],
  };
}

const fields = {
  enabled: orElse(
    true,
    flag("Whether hc is added; without it the proxy sleeps through the drain, and nothing steers the load balancer."),
  ),
  image: text(
    "Image of hc; the one that the webhook was started with unless set.",
    { maxLength: 512 },
    { pattern: /^[a-zA-Z0-9][^\s]*$/, type: "image", is: "an image", right: "its name with a tag or a digest" },
  ),
  imagePullPolicy: choice("When the image is pulled.", ["Always", "IfNotPresent", "Never"]),
  imagePullSecrets: list(
    "Secrets to pull the image with, united with the pod's.",
    object(
      "A Secret in the pod's namespace.",
      { name: text("Its name.", { pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$" }) },
      ["name"],
    ),
  ),
  resources: orElse(
    { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
    object(
      "Requests and limits of hc, as one value; a missing limit is the request.",
      {
        requests: resourceList("Requests."),
        limits: resourceList("Limits."),
      },
      [],
      [notMore("cpu"), notMore("memory"), notMore("ephemeral-storage")],
    ),
  ),
  port: orElse(18180, integer("Port of the health answers.", 1, 65_535)),
  controlPort: orElse(18181, integer("Port of the operator's commands, on loopback only.", 1, 65_535)),
  metricsPort: orElse(18182, integer("Port of /metrics.", 1, 65_535)),
  pollInterval: orElse(
    "1s",
    duration("Time between two looks at Envoy's stats while draining.", { moreThanNothing: "a poll needs a pause" }),
  ),
  healthPaths: orElse(
    ["/health_check.html"],
    list("Paths that the load balancer checks.", text("A path.", { pattern: "^/[^\\s?#,]*$", maxLength: 256 }), 16, 1),
  ),
  logLevel: orElse("info", choice("How much hc logs.", LOG_LEVELS)),
  extraEnv,
  securityContext,
};

/** hc's part of a gateway's policy. */
export const hc = object(
  "The health controller beside the gateway's proxy.",
  fields,
  [],
  [
    differ("port", "controlPort"),
    differ("port", "metricsPort"),
    differ("controlPort", "metricsPort"),
    {
      cel: `!has(self.healthPaths) || self.healthPaths.all(path, !(path in [${RESERVED_PATHS.map((path) => `'${path}'`).join(", ")}]))`,
      message: "is /health, /live or /drained, which hc answers to the kubelet",
      fieldPath: ".healthPaths",
      isBroken: ({ healthPaths = [] }) =>
        healthPaths.flatMap((path, index) =>
          RESERVED_PATHS.includes(path)
            ? [{ at: `.healthPaths[${index}]`, reason: `is ${path}, which hc answers to the kubelet` }]
            : [],
        ),
    },
    ...extraEnvRules,
  ],
);
