import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../pod/json.ts";
import { originOf, policyObject, validatePolicy } from "./validate.ts";

const whole = (spec: JsonObject, metadata: JsonObject = { name: "default", namespace: "shop" }): JsonObject => ({
  ...policyObject("default", "shop", spec),
  metadata,
});

function refusals(object: JsonValue): readonly string[] {
  const validated = validatePolicy(object);
  return validated.ok ? [] : validated.refusals.map(({ path, reason }) => `${path} ${reason}`.trim());
}

const gateway = (fields: JsonObject) => whole({ gateway: fields });
const lb = (fields: JsonObject) => gateway({ loadBalancer: fields });
const hc = (fields: JsonObject) => gateway({ hc: fields });
const selector = (fields: JsonObject) => whole({ selector: fields });
const expression = (fields: JsonObject) => selector({ matchExpressions: [fields] });

describe("an invalid policy names the field and what would be right", () => {
  const cases: readonly [string, JsonValue, string][] = [
    ["a list", [], "is not a mapping"],
    ["a text", "policy", "is not a mapping"],
    ["no apiVersion", {}, "apiVersion is missing, not gracegate.dev/v1alpha1"],
    ["another apiVersion", { apiVersion: "v1" }, 'apiVersion is "v1", not gracegate.dev/v1alpha1'],
    ["another kind", { ...whole({}), kind: "ConfigMap" }, 'kind is "ConfigMap", not GracePolicy'],
    ["no metadata", { apiVersion: "gracegate.dev/v1alpha1", kind: "GracePolicy" }, "metadata.name is missing"],
    ["an empty name", whole({}, { name: "", namespace: "shop" }), "metadata.name is missing"],
    [
      "no namespace",
      whole({}, { name: "default" }),
      "metadata.namespace is missing; a policy belongs to one namespace",
    ],
    ["a spec that is a list", { ...whole({}), spec: [] }, "spec must be object, but is []"],
    ["an unknown field with a near one", whole({ gatway: {} }), "spec.gatway is not a field; did you mean gateway?"],
    [
      "an unknown field with no near one",
      whole({ colour: "red" }),
      "spec.colour is not a field; known are selector, mode, invalid, delegate, gateway, sidecar",
    ],
    [
      "a field of the other role",
      whole({ sidecar: { loadBalancer: {} } }),
      "spec.sidecar.loadBalancer is not a field; known are requestP99, drainTimeout, terminationDrainDuration, minimumDrainDuration, exitOnZeroActiveConnections, holdApplicationUntilProxyStarts, maxGracePeriod, proxyStop, margin, applicationPreStopSleep",
    ],
    ["an unknown mode", whole({ mode: "enforce" }), 'spec.mode is "enforce"; write one of Enforce, Observe, Disabled'],
    [
      "an unknown answer to bad values",
      whole({ invalid: "Refuse" }),
      'spec.invalid is "Refuse"; write one of Warn, Deny',
    ],
    [
      "Hold for a sidecar",
      whole({ sidecar: { proxyStop: "Hold" } }),
      'spec.sidecar.proxyStop is "Hold"; write one of Sigterm, Sleep, None',
    ],
    [
      "an unknown profile",
      lb({ profile: "ha-proxy" }),
      'spec.gateway.loadBalancer.profile is "ha-proxy"; write one of generic, haproxy, netscaler, netscaler-trofs, f5, aws-nlb, aws-nlb-keep, aws-alb, gcp, azure, nginx-plus, envoy',
    ],
    [
      "a duration in words",
      gateway({ drainTimeout: "36 sec" }),
      'spec.gateway.drainTimeout is "36 sec", not a duration; write 36s, 1m30s or a number of seconds',
    ],
    [
      "a duration of days",
      gateway({ margin: "1d" }),
      'spec.gateway.margin is "1d", not a duration; write 36s, 1m30s or a number of seconds',
    ],
    [
      "an empty duration",
      gateway({ requestP99: "" }),
      'spec.gateway.requestP99 is "", not a duration; write 36s, 1m30s or a number of seconds',
    ],
    [
      "a fraction as duration",
      gateway({ requestP99: 1.5 }),
      "spec.gateway.requestP99 is 1.5, not a duration; write 36s, 1m30s or a number of seconds",
    ],
    [
      "a bool as duration",
      gateway({ requestP99: true }),
      "spec.gateway.requestP99 is true, not a duration; write 36s, 1m30s or a number of seconds",
    ],
    [
      "a negative duration as text",
      gateway({ drainTimeout: "-5s" }),
      'spec.gateway.drainTimeout is "-5s", not a duration; write 36s, 1m30s or a number of seconds',
    ],
    [
      "a negative duration as number",
      gateway({ drainTimeout: -5 }),
      "spec.gateway.drainTimeout is not a duration: it is negative",
    ],
    [
      "a duration of more than a day",
      gateway({ maxGracePeriod: "25h" }),
      "spec.gateway.maxGracePeriod is not a duration: it is longer than 24h",
    ],
    [
      "a text for a bool",
      gateway({ exitOnZeroActiveConnections: "true" }),
      'spec.gateway.exitOnZeroActiveConnections must be boolean, but is "true"',
    ],
    ["a fall of 0", lb({ checkFall: 0 }), "spec.gateway.loadBalancer.checkFall must be >= 1, but is 0"],
    ["a fall in words", lb({ checkFall: "2" }), 'spec.gateway.loadBalancer.checkFall must be integer, but is "2"'],
    [
      "no path to check",
      hc({ healthPaths: [] }),
      "spec.gateway.hc.healthPaths must NOT have fewer than 1 items, but is []",
    ],
    [
      "a path that is the kubelet's",
      hc({ healthPaths: ["/ok", "/health"] }),
      "spec.gateway.hc.healthPaths[1] is /health, which hc answers to the kubelet",
    ],
    ["a poll without a pause", hc({ pollInterval: "0s" }), "spec.gateway.hc.pollInterval is 0; a poll needs a pause"],
    [
      "an interval of 0",
      lb({ checkInterval: "0s" }),
      "spec.gateway.loadBalancer.checkInterval is 0; a check needs a pause",
    ],
    [
      "a status that is none",
      lb({ answers: { draining: { status: 99 } } }),
      "spec.gateway.loadBalancer.answers.draining.status must be >= 200, but is 99",
    ],
    [
      "an answer for no state",
      lb({ answers: { drained: { status: 404 } } }),
      "spec.gateway.loadBalancer.answers.drained is not a field; known are open, draining, closing, closed, fault",
    ],
    ["a port beyond 65535", hc({ port: 70_000 }), "spec.gateway.hc.port must be <= 65535, but is 70000"],
    [
      "one port twice",
      hc({ port: 18182, metricsPort: 18182 }),
      "spec.gateway.hc.metricsPort uses one port twice; port and metricsPort must differ",
    ],
    ["an empty image", hc({ image: "" }), 'spec.gateway.hc.image is "" and does not match ^[a-zA-Z0-9][^\\s]*$'],
    [
      "an image with spaces",
      hc({ image: " a b " }),
      'spec.gateway.hc.image is " a b " and does not match ^[a-zA-Z0-9][^\\s]*$',
    ],
    [
      "a resource that containers do not have",
      hc({ resources: { requests: { foo: "1" } } }),
      "spec.gateway.hc.resources.requests.foo is not a field; known are cpu, memory, ephemeral-storage",
    ],
    [
      "a secret without a name",
      hc({ imagePullSecrets: [{ name: "" }] }),
      'spec.gateway.hc.imagePullSecrets[0].name is "" and does not match ^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
    ],
    [
      "a variable with two values",
      hc({ extraEnv: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "a" } } }] }),
      "spec.gateway.hc.extraEnv[0] has both value and valueFrom",
    ],
    [
      "a variable from nowhere",
      hc({ extraEnv: [{ name: "A", valueFrom: {} }] }),
      "spec.gateway.hc.extraEnv[0].valueFrom must have exactly one source",
    ],
    [
      "a variable from an unknown source",
      hc({ extraEnv: [{ name: "A", valueFrom: { foo: 1 } }] }),
      "spec.gateway.hc.extraEnv[0].valueFrom.foo is not a field; known are fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef",
    ],
    [
      "a variable that another field says",
      hc({ extraEnv: [{ name: "DRAIN_TIMEOUT", value: "9" }] }),
      "spec.gateway.hc.extraEnv[0] is DRAIN_TIMEOUT, which follows from gateway.drainTimeout",
    ],
    [
      "a variable twice",
      hc({ extraEnv: [{ name: "A" }, { name: "A" }] }),
      "spec.gateway.hc.extraEnv[1] is A once more",
    ],
    [
      "a user id in quotes",
      hc({ securityContext: { runAsUser: "1000" } }),
      'spec.gateway.hc.securityContext.runAsUser must be integer, but is "1000"',
    ],
    [
      "a negative user id",
      hc({ securityContext: { runAsUser: -1 } }),
      "spec.gateway.hc.securityContext.runAsUser must be >= 0, but is -1",
    ],
    [
      "privileges without escalation",
      hc({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      "spec.gateway.hc.securityContext is privileged and has allowPrivilegeEscalation false, which exclude each other",
    ],
    [
      "root that must not be root",
      hc({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
      "spec.gateway.hc.securityContext has runAsNonRoot and runAsUser 0, which exclude each other",
    ],
    [
      "an unknown seccomp profile",
      hc({ securityContext: { seccompProfile: { type: "Foo" } } }),
      'spec.gateway.hc.securityContext.seccompProfile.type is "Foo"; write one of RuntimeDefault, Localhost, Unconfined',
    ],
    [
      "a local profile without its name",
      hc({ securityContext: { seccompProfile: { type: "Localhost" } } }),
      "spec.gateway.hc.securityContext.seccompProfile needs localhostProfile with Localhost, and only then",
    ],
    [
      "a quantity in words",
      hc({ resources: { limits: { memory: "64 Mi" } } }),
      'spec.gateway.hc.resources.limits.memory is "64 Mi", not a quantity such as 64Mi or 100m',
    ],
    [
      "a request over its limit",
      hc({ resources: { requests: { cpu: "1" }, limits: { cpu: "500m" } } }),
      "spec.gateway.hc.resources.requests.cpu is 1, more than the limit 500m",
    ],
    [
      "more memory than hc could ever need",
      hc({ resources: { limits: { memory: "4097Mi" } } }),
      "spec.gateway.hc.resources.limits.memory is 4097Mi; it must be at most 4Gi",
    ],
    [
      "more cores than hc could ever need",
      hc({ resources: { requests: { cpu: "4001m" } } }),
      "spec.gateway.hc.resources.requests.cpu is 4001m; it must be at most 4",
    ],
    [
      "more disk than hc could ever need",
      hc({ resources: { requests: { "ephemeral-storage": "11Gi" } } }),
      "spec.gateway.hc.resources.requests.ephemeral-storage is 11Gi; it must be at most 10Gi",
    ],
    [
      "a field that cannot be delegated",
      whole({ delegate: ["hc.port"] }),
      'spec.delegate[0] is "hc.port"; write one of hc.image, hc.imagePullSecrets, hc.securityContext, hc.extraEnv',
    ],
    [
      "delegation to labels",
      whole({ delegate: ["hc.image"], selector: { matchLabels: { a: "b" } } }),
      "spec.delegate stands beside a selector, and labels are the pod's author's to choose",
    ],
    [
      "a path without a slash",
      hc({ healthPaths: ["/ok", "health"] }),
      'spec.gateway.hc.healthPaths[1] is "health" and does not match ^/[^\\s?#,]*$',
    ],
    ["a variable without a name", hc({ extraEnv: [{ value: "x" }] }), "spec.gateway.hc.extraEnv[0].name is missing"],
    [
      "a variable whose name is none",
      hc({ extraEnv: [{ name: "A B" }] }),
      'spec.gateway.hc.extraEnv[0].name is "A B" and does not match ^[-._a-zA-Z][-._a-zA-Z0-9]*$',
    ],
    [
      "a secret that is a name only",
      hc({ imagePullSecrets: ["regcred"] }),
      'spec.gateway.hc.imagePullSecrets[0] must be object, but is "regcred"',
    ],
    [
      "a list that is none",
      hc({ imagePullSecrets: "regcred" }),
      'spec.gateway.hc.imagePullSecrets must be array, but is "regcred"',
    ],
    [
      "labels of numbers",
      selector({ matchLabels: { tier: 1 } }),
      "spec.selector.matchLabels.tier must be string, but is 1",
    ],
    [
      "a label with a slash in its name",
      selector({ matchLabels: { "app.kubernetes.io/name": 1 } }),
      "spec.selector.matchLabels.app.kubernetes.io/name must be string, but is 1",
    ],
    [
      "a label whose name is none",
      selector({ matchLabels: { "a b": "c" } }),
      'spec.selector.matchLabels has a key that is no name of a label: "a b"',
    ],
    [
      "a label with a value that none can have",
      selector({ matchLabels: { tier: "a b" } }),
      'spec.selector.matchLabels.tier is "a b" and does not match ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
    ],
    [
      "an unknown operator",
      expression({ key: "a", operator: "Equals" }),
      'spec.selector.matchExpressions[0].operator is "Equals"; write one of In, NotIn, Exists, DoesNotExist',
    ],
    [
      "a condition without a key",
      expression({ operator: "Exists" }),
      "spec.selector.matchExpressions[0].key is missing",
    ],
    [
      "the second condition without values",
      selector({
        matchExpressions: [
          { key: "a", operator: "Exists" },
          { key: "b", operator: "NotIn" },
        ],
      }),
      "spec.selector.matchExpressions[1].values is empty; NotIn needs at least one value",
    ],
    [
      "DoesNotExist with values",
      expression({ key: "a", operator: "DoesNotExist", values: ["x"] }),
      "spec.selector.matchExpressions[0].values must be empty for DoesNotExist",
    ],
    [
      "In without values",
      expression({ key: "a", operator: "In" }),
      "spec.selector.matchExpressions[0].values is empty; In needs at least one value",
    ],
    [
      "Exists with values",
      expression({ key: "a", operator: "Exists", values: ["b"] }),
      "spec.selector.matchExpressions[0].values must be empty for Exists",
    ],
    [
      "a long value is cut",
      whole({ mode: "x".repeat(200) }),
      `spec.mode is "${"x".repeat(59)}…; write one of Enforce, Observe, Disabled`,
    ],
  ];
  for (const [name, object, sentence] of cases) {
    it(name, () => assert.deepEqual(refusals(object), [sentence]));
  }

  it("all that is wrong is told at once", () => {
    const wrong = refusals(whole({ mode: "x", gateway: { margin: "y", hc: { port: 0 } } }));
    assert.deepEqual(
      wrong.map((sentence) => sentence.split(" ")[0]),
      ["spec.mode", "spec.gateway.margin", "spec.gateway.hc.port"],
    );
  });
});

describe("a valid policy", () => {
  function spec(object: JsonObject) {
    const validated = validatePolicy(object);
    assert.ok(validated.ok, JSON.stringify(validated));
    return validated.policy.spec;
  }

  it("comes out with its name, and its version where the API server gave one", () => {
    const validated = validatePolicy(whole({}, { name: "default", namespace: "shop", resourceVersion: "12" }));
    assert.ok(validated.ok);
    assert.deepEqual(validated.policy, { name: "default", namespace: "shop", resourceVersion: "12", spec: {} });
    assert.equal(originOf(validated.policy), "GracePolicy shop/default");
  });

  it("without a spec says nothing", () => {
    const { spec: _, ...object } = whole({});
    assert.deepEqual(spec(object), {});
  });

  it("has durations in milliseconds, however they are written", () => {
    assert.deepEqual(spec(gateway({ requestP99: "1m30s", drainTimeout: 40, margin: "40" })).gateway, {
      requestP99: 90_000,
      drainTimeout: 40_000,
      margin: 40_000,
    });
  });

  it("has quantities as texts, however they are written", () => {
    const { hc: read } = spec(hc({ resources: { requests: { cpu: 1, memory: "64Mi" } } })).gateway ?? {};
    assert.deepEqual(read?.resources, { requests: { cpu: "1", memory: "64Mi" } });
  });

  it("passes objects of Kubernetes on as they are", () => {
    const securityContext = { runAsUser: 1000, seLinuxOptions: { level: "s0" } };
    const extraEnv = [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }];
    const { hc: read } = spec(hc({ securityContext, extraEnv })).gateway ?? {};
    assert.deepEqual([read?.securityContext, read?.extraEnv], [securityContext, extraEnv]);
  });

  it("loses fields of null, as in the API server: a section whose fields are all commented out", () => {
    assert.deepEqual(spec(whole({ selector: null, sidecar: null, gateway: { hc: null, margin: null } })), {
      gateway: {},
    });
  });
});
