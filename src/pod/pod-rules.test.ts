import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "./json.ts";
import { MAX_ANNOTATIONS, podProblems, requestsOf } from "./pod-rules.ts";

const pod = (containers: readonly JsonObject[], spec: JsonObject = {}): JsonObject => ({
  spec: { containers, ...spec },
});
const hook = (preStop: JsonObject): JsonObject => ({ name: "a", lifecycle: { preStop } });
const sized = (name: string, requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});

describe("podProblems", () => {
  const good: readonly [string, JsonObject][] = [
    ["nothing", {}],
    ["an ordinary container", pod([{ name: "a", ports: [{ name: "http", containerPort: 80 }] }])],
    ["one handler a hook", pod([hook({ sleep: { seconds: 30 } })])],
    [
      "a sleep as long as the grace period",
      pod([hook({ sleep: { seconds: 75 } })], { terminationGracePeriodSeconds: 75 }),
    ],
    ["a port name of 15 characters", pod([{ name: "a", ports: [{ name: "a23456789012345" }] }])],
    ["a port without a name", pod([{ name: "a", ports: [{ containerPort: 80 }] }])],
    ["a request as high as its limit", pod([sized("a", { cpu: "500m" }, { cpu: "0.5" })])],
    [
      "a native sidecar with a hook and probes",
      pod([], { initContainers: [{ name: "a", restartPolicy: "Always", lifecycle: {}, readinessProbe: {} }] }),
    ],
    [
      "requests that fill the pod's",
      pod([sized("a", { cpu: "300m" }), sized("b", { cpu: "700m" })], { resources: { requests: { cpu: "1" } } }),
    ],
    ["a user id on Linux", pod([{ name: "a", securityContext: { runAsUser: 5 } }])],
    [
      "a security context that Windows knows",
      pod([{ name: "a", securityContext: { runAsNonRoot: true } }], { os: { name: "windows" } }),
    ],
    ["annotations of 256 KiB", { metadata: { annotations: { abcd: "x".repeat(MAX_ANNOTATIONS - 4) } } }],
  ];
  for (const [name, object] of good) {
    it(`takes ${name}`, () => assert.deepEqual(podProblems(object), []));
  }

  const bad: readonly [string, JsonObject, string][] = [
    ["two containers of one name", pod([{ name: "a" }, { name: "a" }]), "two containers are named a"],
    [
      "an init container of the same name",
      pod([{ name: "a" }], { initContainers: [{ name: "a" }] }),
      "two containers are named a",
    ],
    ["two handlers", pod([hook({ exec: {}, httpGet: {} })]), "a has exec and httpGet in its preStop hook"],
    ["no handler", pod([hook({})]), "a has no handler in its preStop hook"],
    [
      "two handlers after the start",
      pod([{ name: "a", lifecycle: { postStart: { exec: {}, sleep: { seconds: 1 } } } }]),
      "a has exec and sleep in its postStart hook",
    ],
    [
      "a sleep over the grace period",
      pod([hook({ sleep: { seconds: 31 } })]),
      "a sleeps 31s in its preStop hook, longer than the grace period of 30s",
    ],
    [
      "a sleep over a grace period of its own",
      pod([hook({ sleep: { seconds: 11 } })], { terminationGracePeriodSeconds: 10 }),
      "a sleeps 11s in its preStop hook, longer than the grace period of 10s",
    ],
    [
      "a port name of 16 characters",
      pod([{ name: "a", ports: [{ name: "a234567890123456" }] }]),
      "a has a port named a234567890123456",
    ],
    ["a port name without a letter", pod([{ name: "a", ports: [{ name: "80" }] }]), "a has a port named 80"],
    [
      "a port name with two hyphens in a row",
      pod([{ name: "a", ports: [{ name: "a--b" }] }]),
      "a has a port named a--b",
    ],
    ["a port name with a capital", pod([{ name: "a", ports: [{ name: "Http" }] }]), "a has a port named Http"],
    [
      "a request over its limit",
      pod([sized("a", { memory: "65Mi" }, { memory: "64Mi" })]),
      "a requests more memory than its limit",
    ],
    [
      "a limit over the pod's",
      pod([sized("a", {}, { cpu: "2" })], { resources: { limits: { cpu: "1" } } }),
      "a has a higher cpu limit than its pod",
    ],
    [
      "requests over the pod's",
      pod([sized("a", { cpu: "600m" }), sized("b", { cpu: "500m" })], { resources: { requests: { cpu: "1" } } }),
      "containers request more cpu than their pod",
    ],
    [
      "limits that count as requests over the pod's",
      pod([sized("a", {}, { cpu: "2" })], { resources: { requests: { cpu: "1" } } }),
      "containers request more cpu than their pod",
    ],
    [
      "a hook on an ordinary init container",
      pod([], { initContainers: [{ name: "i", lifecycle: {} }] }),
      "the init container i has a lifecycle",
    ],
    [
      "a probe on an ordinary init container",
      pod([], { initContainers: [{ name: "i", startupProbe: {} }] }),
      "the init container i has a startupProbe",
    ],
    [
      "a Linux security context on Windows",
      pod([{ name: "a", securityContext: { capabilities: {} } }], { os: { name: "windows" } }),
      "a sets capabilities on Windows",
    ],
    [
      "annotations over 256 KiB",
      { metadata: { annotations: { abcd: "x".repeat(MAX_ANNOTATIONS - 3) } } },
      "its annotations weigh 262145 bytes, more than 262144",
    ],
    [
      "annotations whose bytes are more than their letters",
      { metadata: { annotations: { a: "ü".repeat(MAX_ANNOTATIONS / 2) } } },
      "its annotations weigh 262145 bytes, more than 262144",
    ],
  ];
  for (const [name, object, problem] of bad) {
    it(`finds ${name}`, () => assert.deepEqual(podProblems(object), [problem]));
  }
});

describe("requestsOf", () => {
  it("adds requests, and limits where there is none", () => {
    const containers = [sized("a", { cpu: "250m" }, { cpu: "2" }), sized("b", {}, { cpu: "500m" }), { name: "c" }];
    assert.equal(requestsOf(containers, "cpu"), 0.75);
  });
  it("what is no quantity counts as nothing", () => assert.equal(requestsOf([sized("a", { cpu: "lots" })], "cpu"), 0));
});
