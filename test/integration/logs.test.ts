/**
 * What both processes really log: events and fields of docs/logs.md only, nothing of a pod's secrets, and transitions that
 * the runbook's grep finds in both formats.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JsonObject, objectAt, objectsAt } from "../../src/pod/json.ts";
import { COMMON, documentedEvents } from "../unit/log-events.ts";
import { fakeGateway } from "./hc-fake-gateway.ts";
import { gatewayPod, reviewText } from "./pods.ts";
import { eventually, makeFolder, startWebhook } from "./webhook-process.ts";

const SECRET = "hunter2-do-not-log";

describe("the log of hc", () => {
  for (const format of ["text", "json"] as const) {
    it(`in ${format}: grep event=transition finds one termination, and every field is documented`, async (context) => {
      const { proxy, hc } = await fakeGateway(context, { LOG_FORMAT: format, LOG_LEVEL: "debug", LB_BUFFER: "what" });
      await hc.reaches("OPEN");
      hc.child.kill("SIGTERM");
      await hc.reaches("CLOSED");
      await proxy.stop();
      await hc.exited;
      const found = hc.log.split("\n").filter((line) => line.includes("event=transition"));
      const pattern = /event=transition from=(\w+) to=(\w+) cause=([a-z-]+) inFlight=\S+ elapsed=[0-9.]+s/;
      assert.deepEqual(
        found.map((line) => pattern.exec(line)?.slice(1, 4).join(" ")),
        ["CLOSED OPEN proxy-ready", "OPEN DRAINING sigterm", "DRAINING CLOSING quiet", "CLOSING CLOSED buffer-passed"],
      );
      const lines = hc.log.trim().split("\n");
      documented("hc", format === "json" ? lines.map((line) => JSON.parse(line)) : lines.map(fieldsOf));
      assert.match(hc.log, /event=finding code=GG704/);
    });
  }
});

describe("the log of the webhook", () => {
  it("has documented fields only, and nothing of what a pod holds", async () => {
    const folder = await makeFolder();
    const webhook = await startWebhook(folder, ["--log-level", "debug"]);
    try {
      const pod = gatewayPod({ "gracegate.dev/margin": "soon", note: SECRET });
      const [proxy = {}] = objectsAt(objectAt(pod, "spec"), "containers");
      const env = [{ name: "PASSWORD", value: SECRET }];
      const spec = { ...objectAt(pod, "spec"), containers: [{ ...proxy, env, command: ["sh", "-c", SECRET] }] };
      await webhook.post(reviewText({ ...pod, spec }));
      await webhook.post(reviewText({ ...pod, spec: { ...spec, hostNetwork: true } }));
      await webhook.post(`{"kind":"AdmissionReview","note":"${SECRET}`);
      await webhook.post(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${SECRET}"`);
      await webhook.stop();
      await eventually(() => webhook.log().includes('"event":"stopped"'));
      const lines = webhook.log().trim().split("\n");
      documented(
        "webhook",
        lines.map((line) => JSON.parse(line)),
      );
      assert.ok(lines.filter((line) => line.includes('"event":"admission"')).length >= 2);
      assert.ok(!webhook.log().includes(SECRET));
      assert.ok(!/PRIVATE KEY|BEGIN CERTIFICATE/.test(webhook.log()));
    } finally {
      webhook.child.kill("SIGKILL");
      folder.remove();
    }
  });
});

/** Every line is an event of docs/logs.md with no more fields than are listed there. */
function documented(process: "hc" | "webhook", lines: readonly JsonObject[]): void {
  const events = documentedEvents(process);
  for (const line of lines) {
    const fields = events.get(String(line.event));
    assert.ok(fields !== undefined, `the event of ${JSON.stringify(line)} is not in docs/logs.md`);
    const others = Object.keys(line).filter((name) => !COMMON.includes(name) && !fields.includes(name));
    assert.deepEqual(others, [], `fields of ${String(line.event)} that are not in docs/logs.md`);
  }
}

/** `key=value` or `key="a value"`. */
function fieldsOf(line: string): JsonObject {
  return Object.fromEntries([...line.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g)].map(([, key, value]) => [key, value]));
}
