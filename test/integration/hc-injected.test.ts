/**
 * The webhook and hc together: what the webhook writes into a gateway is what hc understands.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { configurationOf } from "../../src/hc/configuration.ts";
import { variables } from "../../src/hc/variables.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { runSample, samples } from "../golden/samples.ts";
import { FakeProxy } from "./hc-fake-proxy.ts";
import { HcProcess } from "./hc-process.ts";

interface Injected {
  readonly name: string;
  readonly pod: JsonObject;
  readonly hc: JsonObject;
}

const injected: readonly Injected[] = samples().flatMap((sample) => {
  const { pod } = runSample(sample, sample.pod);
  const hc = objectsAt(objectAt(pod, "spec"), "containers").find((container) => container.name === "hc");
  // A user's own hc has no readiness probe of ours, and is not ours to configure.
  return hc === undefined || textAt(hc, "image")?.includes("gracegate") !== true
    ? []
    : [{ name: sample.name, pod, hc }];
});

function environmentOf(hc: JsonObject): Record<string, string> {
  return Object.fromEntries(objectsAt(hc, "env").map((one) => [textAt(one, "name") ?? "", textAt(one, "value") ?? ""]));
}

suite("the webhook's hc", () => {
  test("is in some of the golden pods", () => assert.ok(injected.length >= 3, String(injected.length)));

  for (const { name, pod, hc } of injected) {
    test(`${name}: every variable is one that hc knows and can read`, () => {
      const env = environmentOf(hc);
      const unknown = Object.keys(env).filter((variable) => !Object.hasOwn(variables, variable));
      const { configuration, problems } = configurationOf(env);
      assert.deepEqual([unknown, problems], [[], []]);
      const grace = Number(objectAt(pod, "spec")?.terminationGracePeriodSeconds);
      const { timing } = configuration;
      assert.ok(timing.drainTimeoutMs + timing.lbBufferMs < grace * 1000, "the drain fits into the pod's grace period");
    });
  }

  test("runs with the environment that it was given, and answers the probes and the hook", async (context) => {
    const [first] = injected;
    assert.ok(first !== undefined);
    const proxy = new FakeProxy();
    await proxy.start();
    context.after(() => proxy.stop());
    const { HEALTH_PORT: _h, CONTROL_PORT: _c, METRICS_PORT: _m, ...env } = environmentOf(first.hc);
    const hc = await HcProcess.start(context, { ...env, ...proxy.environment });
    const pathOf = (probe: string) => textAt(objectAt(objectAt(first.hc, probe), "httpGet"), "path") ?? "";
    assert.equal((await hc.get(pathOf("readinessProbe"))).status, 200);
    assert.equal((await hc.get(pathOf("livenessProbe"))).status, 200);
    const proxyContainer = objectsAt(objectAt(first.pod, "spec"), "containers").find(
      (container) => container.name === "istio-proxy",
    );
    const hook = objectAt(objectAt(objectAt(proxyContainer, "lifecycle"), "preStop"), "httpGet");
    assert.equal(textAt(hook, "path"), "/drained");
    assert.equal(Number(hook?.port), Number(environmentOf(first.hc).HEALTH_PORT));
    await hc.post("/close");
    assert.equal((await hc.get("/drained")).status, 200);
  });
});
