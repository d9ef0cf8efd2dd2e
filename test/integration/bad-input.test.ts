/**
 * What a client can do wrong, over a real TLS socket (SPEC 15).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { type JsonObject, objectAt } from "../../src/pod/json.ts";
import { gatewayPod, gracePeriodOf, patchOf, reviewText, warningsOf } from "./pods.ts";
import { eventually, type Folder, makeFolder, startWebhook, type WebhookProcess } from "./webhook-process.ts";

let folder: Folder;
let webhook: WebhookProcess;

before(async () => {
  folder = await makeFolder();
  webhook = await startWebhook(folder);
});

after(async () => {
  assert.equal(await webhook.stop(), 0);
  folder.remove();
});

/** A raw TLS connection, for what an HTTP client would not do. */
async function connection(): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port: webhook.port, servername: "localhost", ca: folder.ca });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

describe("a call that is no admission is refused with one sentence", () => {
  const refused: readonly [string, string | Buffer, Record<string, string>, number, RegExp][] = [
    ["not JSON", "{not json", {}, 400, /not JSON/],
    ["no body", "", {}, 400, /body is empty/],
    ["a JSON list", "[]", {}, 400, /no AdmissionReview/],
    ["another kind", JSON.stringify({ apiVersion: "v1", kind: "Pod" }), {}, 400, /no AdmissionReview/],
    [
      "v1beta1",
      JSON.stringify({ apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview", request: { uid: "u" } }),
      {},
      400,
      /v1beta1.*only admission.k8s.io\/v1 is spoken/,
    ],
    [
      "no request",
      JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" }),
      {},
      400,
      /no request with a uid/,
    ],
    ["another content type", "a: b", { "Content-Type": "text/yaml" }, 415, /must be application\/json/],
    ["a compressed body", gzipSync("{}"), { "Content-Encoding": "gzip" }, 415, /Content-Encoding/],
    ["a body over 7 MiB", Buffer.alloc(7 * 1024 * 1024 + 1, 32), {}, 413, /larger than 7340032 bytes/],
    ["a body of empty objects", `[${"{},".repeat(2_000_000)}0]`, {}, 413, /take more than 50331648 bytes of memory/],
  ];
  for (const [name, body, headers, status, sentence] of refused) {
    it(name, async () => {
      const answer = await webhook.post(body, headers);
      assert.equal(answer.status, status);
      assert.match(answer.text, sentence);
      assert.equal(answer.text.trim().split("\n").length, 1);
    });
  }

  it("a GET of /mutate, and an address that is not there", async () => {
    const get = await webhook.get("/mutate");
    assert.equal(get.status, 405);
    assert.equal(get.headers.allow, "POST");
    assert.equal((await webhook.get("/elsewhere")).status, 404);
  });

  it("each is counted by its reason", async () => {
    const text = await webhook.metrics();
    assert.match(text, /gracegate_webhook_bad_requests_total\{reason="not-a-review"\} 6/);
    assert.match(text, /gracegate_webhook_bad_requests_total\{reason="too-large"\} 2/);
    assert.match(text, /gracegate_webhook_bad_requests_total\{reason="content-type"\} 2/);
  });
});

describe("what is not the creation of a pod is admitted unchanged", () => {
  const others: readonly [string, JsonObject][] = [
    ["no object", { object: null }],
    ["another kind", { kind: { group: "", version: "v1", kind: "ConfigMap" } }],
    ["a Pod of another group", { kind: { group: "metrics.k8s.io", version: "v1", kind: "Pod" } }],
    ["an update", { operation: "UPDATE" }],
    ["a subresource", { subResource: "ephemeralcontainers" }],
  ];
  for (const [name, changes] of others) {
    it(name, async () => {
      const answer = await webhook.post(reviewText(gatewayPod(), changes));
      assert.equal(answer.status, 200);
      assert.deepEqual(patchOf(answer), []);
      assert.equal(objectAt(answer.json, "response").allowed, true);
    });
  }
});

describe("an odd pod is handled in bounded time and comes out right", () => {
  it("a pod of 1 MiB", async () => {
    const pod = gatewayPod({ "example.io/large": "x".repeat(200_000) });
    const env = Array.from({ length: 9000 }, (_, index) => ({ name: `SETTING_${index}`, value: "y".repeat(80) }));
    const [container] = (pod.spec as JsonObject).containers as JsonObject[];
    const large = { ...pod, spec: { ...(pod.spec as JsonObject), containers: [{ ...container, env }] } };
    assert.ok(JSON.stringify(large).length > 1_000_000);
    assert.equal(gracePeriodOf(await webhook.post(reviewText(large))), 75);
  });

  it("a pod with 100 containers", async () => {
    const pod = gatewayPod();
    const apps = Array.from({ length: 100 }, (_, index) => ({ name: `app-${index}`, image: "registry.example/app:1" }));
    const many = {
      ...pod,
      spec: {
        ...(pod.spec as JsonObject),
        containers: [...apps, ...((pod.spec as JsonObject).containers as JsonObject[])],
      },
    };
    const answer = await webhook.post(reviewText(many));
    assert.equal(gracePeriodOf(answer), 75);
    assert.ok(patchOf(answer).some(({ op, path }) => op === "add" && path === "/spec/containers/101"));
  });

  it("an annotation in which YAML aliases explode, in 200 KiB and alone", async () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (let i = 1; i < 20; i++) {
      const [to, from] = [String.fromCharCode(97 + i), String.fromCharCode(96 + i)];
      bomb.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(",")}]`);
    }
    const padded = `${bomb.join("\n")}\n# ${"z".repeat(180_000)}\n`;
    const cases: readonly [text: string, warning: RegExp][] = [
      [padded, /at most 16384 are read/],
      [bomb.join("\n"), /too many YAML aliases/],
    ];
    for (const [text, warning] of cases) {
      const answer = await webhook.post(reviewText(gatewayPod({ "proxy.istio.io/config": text })));
      assert.match(warningsOf(answer).join(), warning);
      assert.equal(gracePeriodOf(answer), 75);
    }
  });

  it("annotations that leave no room lose the change that does not fit, with a warning", async () => {
    const answer = await webhook.post(reviewText(gatewayPod({ "example.io/large": "x".repeat(262_000) })));
    assert.match(warningsOf(answer).join(), /GG405/);
    assert.equal(objectAt(answer.json, "response").allowed, true);
  });

  it("deep nesting", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const body = reviewText(gatewayPod()).replace('"restartPolicy"', `"fieldOfTheFuture":${deep},"restartPolicy"`);
    assert.equal(gracePeriodOf(await webhook.post(body)), 75);
  });
});

describe("a client that misbehaves does not disturb the others", () => {
  const review = reviewText(gatewayPod());

  it("a body that is cut in the middle", async () => {
    const socket = await connection();
    socket.write(
      `POST /mutate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"kind"`,
    );
    socket.destroy();
    await eventually(async () => /reason="aborted"\} 1/.test(await webhook.metrics()));
    assert.equal((await webhook.post(review)).status, 200);
  });

  it("1,000 connections that send nothing", async () => {
    const silent: TLSSocket[] = [];
    for (let batch = 0; batch < 10; batch++) {
      silent.push(...(await Promise.all(Array.from({ length: 100 }, () => connection()))));
    }
    try {
      assert.equal(gracePeriodOf(await webhook.post(review)), 75);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  it("headers without an end, and a body that stalls, are dropped", { timeout: 60_000 }, async () => {
    const headers = await connection();
    headers.write("POST /mutate HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    const body = await connection();
    body.write(
      `POST /mutate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`,
    );
    headers.resume();
    body.resume();
    await Promise.all([once(headers, "close"), once(body, "close")]);
    assert.equal((await webhook.post(review)).status, 200);
  });
});
