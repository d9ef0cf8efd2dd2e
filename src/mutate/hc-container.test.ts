import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  codesOf,
  containerOf,
  environment,
  gatewayPod,
  nativePod,
  type Parts,
  run,
  sidecarPod,
  statusOf,
  type WrittenSpec,
} from "../../test/unit/pods.ts";
import { type JsonObject, objectAt, objectsAt, withKey } from "../pod/json.ts";
import { podProblems } from "../pod/pod-rules.ts";

const hcOf = (pod: JsonObject) => containerOf(pod, "hc");
const names = (pod: JsonObject) => objectsAt(objectAt(pod, "spec"), "containers").map(({ name }) => name);
const hc = (fields: object): WrittenSpec => ({ gateway: { hc: fields } });
const theirs = (fields: JsonObject = {}) => gatewayPod({ others: [{ name: "hc", image: "their/hc:1", ...fields }] });
const spec = (fields: JsonObject): Parts => ({
  spec: { containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }], ...fields },
});

/** The pod with its hc changed, as by the API server or another webhook. */
function withHc(pod: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  const containers = objectsAt(objectAt(pod, "spec"), "containers").map((one) =>
    one.name === "hc" ? change(one) : one,
  );
  return withKey(pod, "spec", withKey(objectAt(pod, "spec"), "containers", containers));
}

describe("mutation 3, hc", () => {
  it("stands right after istio-proxy", () => {
    assert.deepEqual(names(run(gatewayPod({ others: [{ name: "log", image: "l" }] })).pod), [
      "istio-proxy",
      "hc",
      "log",
    ]);
  });

  it("is a container that restricted namespaces with a quota take", () => {
    const { pod } = run(gatewayPod());
    const { env: _, ...container } = hcOf(pod) ?? {};
    const probe = (path: string) => ({ httpGet: { path, port: 18180, scheme: "HTTP" }, successThreshold: 1 });
    assert.deepEqual(container, {
      name: "hc",
      image: "gracegate:test",
      args: ["hc"],
      ports: [
        { name: "hc", containerPort: 18180, protocol: "TCP" },
        { name: "hc-metrics", containerPort: 18182, protocol: "TCP" },
      ],
      resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
      readinessProbe: { ...probe("/health"), periodSeconds: 1, failureThreshold: 2, timeoutSeconds: 1 },
      livenessProbe: { ...probe("/live"), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    assert.deepEqual(podProblems(pod), []);
  });

  it("is told the budget, the balancer and its ports", () => {
    const annotations = { "proxy.istio.io/config": "proxyAdminPort: 15555\nstatusPort: 15999\n" };
    const { pod } = run(gatewayPod({ annotations }), {
      gateway: { loadBalancer: { profile: "haproxy", answers: { draining: { status: 429 } } } },
    });
    assert.deepEqual(environment(pod, "hc"), {
      DRAIN_TIMEOUT: "36",
      LB_BUFFER: "11",
      GRACE_PERIOD: "77",
      MINIMUM_DRAIN_DURATION: "5",
      LB_PROFILE: "haproxy",
      LB_DETECTION: "2",
      LB_ANSWERS: '{"draining":{"status":429}}',
      POLL_INTERVAL: "1",
      HEALTH_PATHS: "/health_check.html",
      HEALTH_PORT: "18180",
      CONTROL_PORT: "18181",
      METRICS_PORT: "18182",
      ENVOY_ADMIN_PORT: "15555",
      AGENT_STATUS_PORT: "15999",
      RETIRE_CONNECTIONS: "true",
      LOG_LEVEL: "info",
    });
  });

  it("a policy's extra variables replace ours of the same name", () => {
    const { pod } = run(
      gatewayPod(),
      hc({
        extraEnv: [
          { name: "ENVOY_ADMIN_PORT", value: "15001" },
          { name: "A", valueFrom: { fieldRef: { fieldPath: "x" } } },
        ],
      }),
    );
    assert.deepEqual([environment(pod, "hc").ENVOY_ADMIN_PORT, environment(pod, "hc").A], ["15001", "<from>"]);
  });

  it("has no ports on the host network, where they would be the node's", () => {
    assert.equal(hcOf(run(gatewayPod(spec({ hostNetwork: true }))).pod)?.ports, undefined);
  });

  it("pull secrets are united with the pod's", () => {
    const { pod } = run(
      gatewayPod(spec({ imagePullSecrets: [{ name: "a" }] })),
      hc({ imagePullSecrets: [{ name: "a" }, { name: "b" }] }),
    );
    assert.deepEqual(objectAt(pod, "spec").imagePullSecrets, [{ name: "a" }, { name: "b" }]);
    assert.deepEqual((statusOf(pod).wrote as JsonObject).imagePullSecrets, ["b"]);
  });

  const resources: readonly [string, JsonObject, WrittenSpec, JsonObject][] = [
    [
      "a missing limit is the request",
      {},
      hc({ resources: { requests: { cpu: "20m" } } }),
      { requests: { cpu: "20m" }, limits: { cpu: "20m" } },
    ],
    [
      "a missing request is the limit",
      {},
      hc({ resources: { limits: { cpu: "1" } } }),
      { requests: { cpu: "1" }, limits: { cpu: "1" } },
    ],
    [
      "within the pod's limits",
      { resources: { limits: { cpu: "100m", memory: "1Gi" } } },
      {},
      { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "100m", memory: "128Mi" } },
    ],
    [
      "within what the pod's requests leave",
      { resources: { requests: { memory: "32Mi" } } },
      {},
      { requests: { cpu: "10m", memory: "32Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
    ],
  ];
  for (const [name, fields, policy, result] of resources) {
    it(`resources: ${name}`, () => {
      const { pod } = run(gatewayPod(spec(fields)), policy);
      assert.deepEqual(hcOf(pod)?.resources, result);
      assert.deepEqual(podProblems(pod), []);
    });
  }

  const without: readonly [string, JsonObject, WrittenSpec, readonly string[]][] = [
    ["a sidecar", sidecarPod(), {}, []],
    ["a native sidecar", nativePod(), {}, []],
    [
      "a stub",
      gatewayPod({ proxy: { image: "auto" }, annotations: { "inject.istio.io/templates": "gateway" } }),
      {},
      [],
    ],
    ["a policy that does not want it", gatewayPod(), hc({ enabled: false }), []],
    [
      "its port taken by another container",
      gatewayPod({ others: [{ name: "x", image: "x", ports: [{ containerPort: 18180 }] }] }),
      {},
      ["GG403"],
    ],
    ["its port one of the proxy's", gatewayPod(), hc({ port: 15021 }), ["GG403"]],
    ["one port twice over two levels", gatewayPod(), hc({ port: 18182 }), ["GG403"]],
    [
      "an init container of its name",
      gatewayPod(spec({ initContainers: [{ name: "hc", image: "x" }] })),
      {},
      ["GG403"],
    ],
  ];
  for (const [name, pod, policy, codes] of without) {
    it(`none: ${name}`, () => {
      const outcome = run(pod, policy);
      assert.ok(!names(outcome.pod).includes("hc"));
      assert.deepEqual(codesOf(outcome.notices), codes);
    });
  }
});

describe("hc of an earlier call", () => {
  it("is brought up to date; the API server's defaults and foreign variables stay", () => {
    const first = run(gatewayPod(), {
      gateway: { drainTimeout: 60, loadBalancer: { answers: { open: { body: "UP" } } } },
    }).pod;
    const stored = withHc(first, (one) => ({
      ...one,
      env: [...objectsAt(one, "env"), { name: "INJECTED", value: "x" }],
      imagePullPolicy: "IfNotPresent",
      terminationMessagePath: "/dev/termination-log",
    }));
    const second = run(stored).pod;
    const { DRAIN_TIMEOUT, INJECTED, LB_ANSWERS } = environment(second, "hc");
    assert.deepEqual([DRAIN_TIMEOUT, INJECTED, LB_ANSWERS], ["36", "x", undefined]);
    assert.equal(hcOf(second)?.imagePullPolicy, "IfNotPresent");
    assert.equal(hcOf(second)?.terminationMessagePath, "/dev/termination-log");
  });

  it("gets the image of a new policy", () => {
    const first = run(gatewayPod(), hc({ image: "mirror/hc:1" })).pod;
    const second = run(first, hc({ image: "mirror/hc:2" })).pod;
    assert.deepEqual([hcOf(second)?.image, names(second)], ["mirror/hc:2", ["istio-proxy", "hc"]]);
  });

  it("of the policy's image is ours without a status, as from `inject`", () => {
    const { pod, notices } = run(gatewayPod({ others: [{ name: "hc", image: "gracegate:test" }] }));
    assert.deepEqual([environment(pod, "hc").DRAIN_TIMEOUT, codesOf(notices)], ["36", []]);
  });

  it("goes where a new policy does not want it", () => {
    const second = run(run(gatewayPod()).pod, hc({ enabled: false })).pod;
    assert.deepEqual(names(second), ["istio-proxy"]);
    assert.ok(!("hc" in (statusOf(second).wrote as object)));
  });

  it("takes its pull secrets along, the pod's own stay", () => {
    const own = gatewayPod(spec({ imagePullSecrets: [{ name: "a" }] }));
    const first = run(own, hc({ imagePullSecrets: [{ name: "a" }, { name: "b" }] })).pod;
    const secrets = (policy: WrittenSpec) => objectAt(run(first, policy).pod, "spec").imagePullSecrets;
    assert.deepEqual(secrets(hc({ imagePullSecrets: [{ name: "c" }] })), [{ name: "a" }, { name: "c" }]);
    assert.deepEqual(secrets(hc({ enabled: false })), [{ name: "a" }]);
    const alone = run(gatewayPod(), hc({ imagePullSecrets: [{ name: "b" }] })).pod;
    assert.equal(objectAt(run(alone).pod, "spec").imagePullSecrets, undefined);
  });

  it("extra variables of an earlier policy go, those of others stay", () => {
    const first = run(gatewayPod(), hc({ extraEnv: [{ name: "A", value: "a" }] })).pod;
    const foreign = withHc(first, (container) => ({
      ...container,
      env: [...objectsAt(container, "env"), { name: "FOREIGN", value: "x" }],
    }));
    const env = objectsAt(hcOf(run(foreign, hc({})).pod), "env").map(({ name }) => name);
    assert.ok(!env.includes("A"));
    assert.ok(env.includes("FOREIGN"));
  });

  it("a variable that was a reference and is a value now is taken by the API server", () => {
    const first = run(gatewayPod(), hc({ extraEnv: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "x" } } }] })).pod;
    const second = run(first, hc({ extraEnv: [{ name: "A", value: "b" }] })).pod;
    assert.deepEqual(
      objectsAt(hcOf(second), "env").find(({ name }) => name === "A"),
      { name: "A", value: "b" },
    );
  });
});

describe("a user's own hc", () => {
  it("is kept, and only gets what it lacks", () => {
    const { pod, notices } = run(theirs({ env: [{ name: "LB_BUFFER", value: "20" }], args: ["x"] }));
    assert.deepEqual(hcOf(pod), {
      name: "hc",
      image: "their/hc:1",
      args: ["x"],
      env: [
        { name: "LB_BUFFER", value: "20" },
        { name: "DRAIN_TIMEOUT", value: "36" },
        { name: "GRACE_PERIOD", value: "86" },
      ],
    });
    assert.deepEqual(codesOf(notices), ["GG402"]);
  });
  it("its values enter the budget", () => {
    const { plan } = run(
      theirs({
        env: [
          { name: "DRAIN_TIMEOUT", value: "1m" },
          { name: "LB_BUFFER", value: "20" },
        ],
      }),
    );
    assert.deepEqual(
      [plan?.context.budget.drainTimeout.value, plan?.context.budget.lbBuffer.value, plan?.context.budget.hook.value],
      [60_000, 20_000, 80_000],
    );
  });
  it("an override beats them", () => {
    const pod = gatewayPod({
      others: [{ name: "hc", image: "their/hc:1", env: [{ name: "DRAIN_TIMEOUT", value: "60" }] }],
      annotations: { "gracegate.dev/drain-timeout": "9s" },
    });
    assert.equal(run(pod).plan?.context.budget.drainTimeout.value, 9000);
  });
  it("hc is told milliseconds where a setting has them", () => {
    const loadBalancer = { checkInterval: 0.5, checkFall: 3 };
    const env = environment(run(gatewayPod(), { gateway: { loadBalancer, hc: { pollInterval: 0.5 } } }).pod, "hc");
    assert.deepEqual([env.POLL_INTERVAL, env.LB_BUFFER, env.DRAIN_TIMEOUT], ["500ms", "6.5s", "36"]);
  });
  it("what an earlier call added is computed again", () => {
    const first = run(theirs(), { gateway: { drainTimeout: 60 } }).pod;
    assert.deepEqual(
      [environment(first, "hc").DRAIN_TIMEOUT, environment(run(first).pod, "hc").DRAIN_TIMEOUT],
      ["60", "36"],
    );
  });
});
