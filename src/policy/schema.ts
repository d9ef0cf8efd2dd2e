/**
 * The schema of GracePolicy, the only source of its types, its validation, the CRD and the table in docs/policy.md.
 *
 * Every field is optional: a field that no level sets has the built-in value (built-in.ts).
 */

import { LB_PROFILES } from "../balancers/profiles.ts";
import { GOVERNED_VARIABLES } from "./hc-variables.ts";
import { choice, duration, flag, integer, list, map, object, quantity, text, type Value } from "./schema-builder.ts";

/** API group and version of GracePolicy. */
export const API_VERSION = "gracegate.dev/v1alpha1";

/** Kind of the policy object. */
export const KIND = "GracePolicy";

/**
 * Fields of `gateway` that only the cluster's owner sets unless he delegates them: each runs code with what the pod may, or
 * reads Secrets of its namespace.
 */
export const DELEGABLE = ["hc.image", "hc.imagePullSecrets", "hc.securityContext", "hc.extraEnv"] as const;

/** A field of `gateway` that can be delegated. */
export type DelegableField = (typeof DELEGABLE)[number];

const answer = (description: string) =>
  object(description, {
    status: integer("HTTP status of the answer.", 200, 599),
    body: text("Body of the answer; string monitors match on it.", { maxLength: 256 }),
  });

const loadBalancer = object("How the load balancer in front of the gateway checks it.", {
  profile: choice("Kind of load balancer: which answers it understands. See docs/lb-profiles.md.", LB_PROFILES),
  checkInterval: duration("Time between two health checks; the profile's unless set.", { moreThanNothing: true }),
  checkFall: integer("Failed checks in a row after which a backend is DOWN; the profile's unless set.", 1, 100),
  checkRise: integer("Good checks in a row after which a backend is UP again.", 1, 100),
  checkTimeout: duration("Time that a check waits for its answer."),
  buffer: duration(
    "LB buffer: time that the load balancer needs to notice the closing answer. checkInterval × checkFall + 5 s unless set.",
  ),
  answers: object("Answers that replace the profile's, by hc's state.", {
    open: answer("While traffic is welcome."),
    draining: answer("While existing requests finish: the drain answer."),
    closing: answer("While the load balancer takes the backend down: the close answer."),
    closed: answer("After that."),
    fault: answer("When something went wrong."),
  }),
});

const statsMatcher = object(
  "Entries of the mesh-wide proxyStatsMatcher that must survive, since Istio replaces that matcher wholesale.",
  {
    inclusionPrefixes: list("Prefixes of stats to keep.", text("A prefix.")),
    inclusionSuffixes: list("Suffixes of stats to keep.", text("A suffix.")),
    inclusionRegexps: list("Regular expressions of stats to keep.", text("An RE2 expression.", { maxLength: 1024 })),
  },
);

/** Far above what hc needs: whoever asks for more would take a node away from its neighbours by mistake or on purpose. */
const resourceList = (description: string) =>
  object(description, {
    cpu: quantity("Cores; at most 4.", "4"),
    memory: quantity("Bytes; at most 4Gi.", "4Gi"),
    "ephemeral-storage": quantity("Bytes; at most 10Gi.", "10Gi"),
  });

const keyRef = (description: string) =>
  object(
    description,
    {
      name: text("Its name.", { minLength: 1 }),
      key: text("The key in it.", { minLength: 1 }),
      optional: flag("Whether it may be missing."),
    },
    ["name", "key"],
  );

const sources = {
  fieldRef: object(
    "A field of the pod.",
    { apiVersion: text("Its version."), fieldPath: text("The field.", { minLength: 1 }) },
    ["fieldPath"],
  ),
  resourceFieldRef: object(
    "A request or limit.",
    {
      containerName: text("Of which container; hc unless set."),
      resource: text("Which.", { minLength: 1 }),
      divisor: quantity("Unit of the value."),
    },
    ["resource"],
  ),
  configMapKeyRef: keyRef("A key of a ConfigMap."),
  secretKeyRef: keyRef("A key of a Secret."),
} as const;

const valueFrom = object(
  "Where its value comes from, as in a container; one of these.",
  sources,
  [],
  [
    {
      rule: `[${Object.keys(sources)
        .map((name) => `has(self.${name})`)
        .join(", ")}].exists_one(given, given)`,
      message: "must have exactly one source",
    },
  ],
);

const profile = (description: string) =>
  object(
    description,
    {
      type: choice("Which.", ["RuntimeDefault", "Localhost", "Unconfined"]),
      localhostProfile: text("The node's profile; with Localhost only."),
    },
    ["type"],
    [
      {
        rule: "(self.type == 'Localhost') == has(self.localhostProfile)",
        message: "needs localhostProfile with Localhost, and only then",
      },
    ],
  );

/** The largest id of a user or a group. */
const MAX_ID = 2_147_483_647;

const securityContext = object(
  "securityContext of hc, instead of the restricted one; fields as in a container.",
  {
    allowPrivilegeEscalation: flag("Whether a process may gain privileges."),
    privileged: flag("Whether hc runs as root on the node."),
    readOnlyRootFilesystem: flag("Whether the root file system is read-only."),
    runAsNonRoot: flag("Whether the kubelet refuses root."),
    runAsUser: integer("User id.", 0, MAX_ID),
    runAsGroup: integer("Group id.", 0, MAX_ID),
    capabilities: object("Capabilities.", {
      add: list("To add.", text("A capability.", { minLength: 1 })),
      drop: list("To drop.", text("A capability.", { minLength: 1 })),
    }),
    seccompProfile: profile("seccomp profile."),
    appArmorProfile: profile("AppArmor profile."),
    seLinuxOptions: object("SELinux labels.", {
      user: text("User."),
      role: text("Role."),
      type: text("Type."),
      level: text("Level."),
    }),
  },
  [],
  [
    {
      rule: "!has(self.runAsNonRoot) || !self.runAsNonRoot || !has(self.runAsUser) || self.runAsUser != 0",
      message: "has runAsNonRoot and runAsUser 0, which exclude each other",
    },
    {
      rule: "!has(self.allowPrivilegeEscalation) || self.allowPrivilegeEscalation || !((has(self.privileged) && self.privileged) || (has(self.capabilities) && has(self.capabilities.add) && self.capabilities.add.exists(name, name in ['SYS_ADMIN', 'CAP_SYS_ADMIN'])))",
      message: "is privileged and has allowPrivilegeEscalation false, which exclude each other",
    },
  ],
);

/** Two ports that must not be the same. */
const differ = (one: string, other: string) => ({
  rule: `!has(self.${one}) || !has(self.${other}) || self.${one} != self.${other}`,
  message: `uses one port twice; ${one} and ${other} must differ`,
  fieldPath: `.${other}`,
});

/** A request that must not be more than its limit; the name as CEL writes it. */
const notMore = (name: string) => ({
  rule: `!has(self.requests) || !has(self.limits) || !has(self.requests.${name}) || !has(self.limits.${name}) || quantity(string(self.requests.${name})).compareTo(quantity(string(self.limits.${name}))) <= 0`,
  message: "must not be more than the limits",
  fieldPath: ".requests",
});

const hcFields = {
  enabled: flag(
    "Whether hc is added; without it the proxy sleeps through the drain, and nothing steers the load balancer.",
  ),
  image: text("Image of hc; the one that the webhook was started with unless set.", {
    pattern: "^[a-zA-Z0-9][^\\s]*$",
    maxLength: 512,
  }),
  imagePullPolicy: choice("When the image is pulled.", ["Always", "IfNotPresent", "Never"]),
  imagePullSecrets: list(
    "Secrets to pull the image with, united with the pod's.",
    text("Name of a Secret in the pod's namespace.", { pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$" }),
  ),
  resources: object(
    "Requests and limits of hc, as one value; a missing limit is the request.",
    {
      requests: resourceList("Requests."),
      limits: resourceList("Limits."),
    },
    [],
    [notMore("cpu"), notMore("memory"), notMore("ephemeral__dash__storage")],
  ),
  port: integer("Port of the health answers.", 1, 65_535),
  controlPort: integer("Port of the operator's commands, on loopback only.", 1, 65_535),
  metricsPort: integer("Port of /metrics.", 1, 65_535),
  pollInterval: duration("Time between two looks at Envoy's stats while draining.", { moreThanNothing: true }),
  healthPaths: list(
    "Paths that the load balancer checks.",
    text("A path.", { pattern: "^/[^\\s?#,]*$", maxLength: 256 }),
    16,
    1,
  ),
  logLevel: choice("How much hc logs.", ["debug", "info", "warn", "error"]),
  extraEnv: list(
    "More environment variables for hc: none that another field of the policy says.",
    object(
      "A variable.",
      {
        name: text("Its name.", { pattern: "^[-._a-zA-Z][-._a-zA-Z0-9]*$" }),
        value: text("Its value.", { maxLength: 4096 }),
        valueFrom,
      },
      ["name"],
      [
        {
          rule: "!has(self.valueFrom) || !has(self.value) || self.value == ''",
          message: "has both value and valueFrom",
        },
      ],
    ),
  ),
  securityContext,
};

const hc = object(
  "The health controller beside the gateway's proxy.",
  hcFields,
  [],
  [
    differ("port", "controlPort"),
    differ("port", "metricsPort"),
    differ("controlPort", "metricsPort"),
    {
      rule: "!has(self.healthPaths) || self.healthPaths.all(path, !(path in ['/health', '/live', '/drained']))",
      message: "is /health, /live or /drained, which hc answers to the kubelet",
      fieldPath: ".healthPaths",
    },
    {
      rule: "!has(self.extraEnv) || self.extraEnv.all(one, self.extraEnv.exists_one(other, other.name == one.name))",
      message: "has a name twice",
      fieldPath: ".extraEnv",
    },
    {
      rule: `!has(self.extraEnv) || self.extraEnv.all(one, !(one.name in [${Object.keys(GOVERNED_VARIABLES)
        .map((name) => `'${name}'`)
        .join(", ")}]))`,
      message: "has a variable that another field of the policy says",
      fieldPath: ".extraEnv",
    },
  ],
);

/** What Kubernetes takes as a label's value and as its name: with another one a selector would never match, or always. */
const LABEL_VALUE_PATTERN = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";
export const LABEL_KEY_PATTERN =
  "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$";

const labelValue = text("A value.", { pattern: LABEL_VALUE_PATTERN, maxLength: 63 });

const shared = {
  requestP99: duration("99th percentile of the request duration; the drain timeout is 1.2 times as long."),
  drainTimeout: duration("Longest wait for in-flight requests; wins over requestP99 of the same level."),
  terminationDrainDuration: duration("Istio's terminationDrainDuration; computed unless set."),
  minimumDrainDuration: duration("Istio's MINIMUM_DRAIN_DURATION; computed unless set."),
  exitOnZeroActiveConnections: flag(
    "Istio's EXIT_ON_ZERO_ACTIVE_CONNECTIONS: the proxy leaves when its last connection does.",
  ),
  holdApplicationUntilProxyStarts: flag(
    "Istio's holdApplicationUntilProxyStarts; never written on pods that are not restarted (Jobs).",
  ),
  maxGracePeriod: duration("The grace period is never raised above this."),
};

/** The spec of a GracePolicy. */
export const policySpec = object(
  "How pods of this namespace start and stop.",
  {
    selector: object("Which pods of the namespace this is for; all of them unless set.", {
      matchLabels: map("Labels that a pod must have.", labelValue, 64, [
        {
          rule: `self.all(key, key.matches('${LABEL_KEY_PATTERN}'))`,
          message: "has a key that is no name of a label",
        },
      ]),
      matchExpressions: list(
        "Conditions on labels, all of which must hold.",
        object(
          "A condition.",
          {
            key: text("The label.", { pattern: LABEL_KEY_PATTERN, maxLength: 317 }),
            operator: choice("The operator.", ["In", "NotIn", "Exists", "DoesNotExist"]),
            values: list("Values for In and NotIn.", labelValue),
          },
          ["key", "operator"],
          [
            {
              rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
              message: "is empty; In and NotIn need at least one value",
              fieldPath: ".values",
            },
            {
              rule: "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
              message: "must be empty for Exists and DoesNotExist",
              fieldPath: ".values",
            },
          ],
        ),
      ),
    }),
    mode: choice(
      "Enforce changes pods; Observe only writes the status annotation and warnings; Disabled does nothing.",
      ["Enforce", "Observe", "Disabled"],
    ),
    invalid: choice("What a gracegate.dev annotation that does not parse does: Warn, or Deny the pod.", [
      "Warn",
      "Deny",
    ]),
    delegate: list(
      "Which of these fields other namespaces may set, by their policies or by annotations of pods; only in Gracegate's own namespace, and not beside a selector. None unless set.",
      choice("A field of gateway.", DELEGABLE),
      DELEGABLE.length,
    ),
    gateway: object("Gateways: pods whose istio-proxy runs `proxy router`.", {
      ...shared,
      loadBalancer,
      proxyStop: choice(
        "The preStop hook of istio-proxy: wait for hc, sleep, start the proxy's own drain at once, or none.",
        ["Hold", "Sleep", "Sigterm", "None"],
      ),
      retireConnections: flag("Whether hc makes Envoy answer with Connection: close and GOAWAY while draining."),
      proxyStatsMatcher: statsMatcher,
      margin: duration("Time between the end of the drain and the end of the grace period."),
      hc,
    }),
    sidecar: object("Sidecars: pods whose istio-proxy runs beside an application.", {
      ...shared,
      proxyStop: choice(
        "The preStop hook of a classic istio-proxy: start the proxy's own drain at once, sleep, or none.",
        ["Sigterm", "Sleep", "None"],
      ),
      margin: duration("Time between the end of the drain and the end of the grace period."),
      applicationPreStopSleep: duration(
        "A native sleep hook for application containers without a preStop, while endpoints are removed; none unless set.",
      ),
    }),
  },
  [],
  [
    {
      rule: "!has(self.delegate) || !has(self.selector)",
      message: "stands beside a selector, and labels are the pod's author's to choose",
      fieldPath: ".delegate",
    },
  ],
);

/** A GracePolicy's spec after normalising: durations in milliseconds. */
export type PolicySpec = Value<typeof policySpec>;

/** The gateway part of a policy. */
export type GatewaySpec = NonNullable<PolicySpec["gateway"]>;

/** The sidecar part of a policy. */
export type SidecarSpec = NonNullable<PolicySpec["sidecar"]>;

/** The hc part of a gateway's policy. */
export type HcSpec = NonNullable<GatewaySpec["hc"]>;

/** Stats to keep, as in Istio's proxyStatsMatcher. */
export type StatsMatcher = NonNullable<GatewaySpec["proxyStatsMatcher"]>;

/** States of hc for which a policy may give an answer. */
export type LbAnswers = NonNullable<NonNullable<GatewaySpec["loadBalancer"]>["answers"]>;
