/**
 * The webhook as a process: certificates, policies, health, and how it starts and leaves.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "node:tls";
import { commands } from "../../src/commands/list.ts";
import { type JsonObject, objectAt, textAt } from "../../src/pod/json.ts";
import { makeCertificates } from "../../src/tls/development-certificates.ts";
import { gatewayPod, gracePeriodOf, patchOf, reviewText, warningsOf } from "./pods.ts";
import {
  type Answer,
  eventually,
  type Folder,
  makeFolder,
  startWebhook,
  type WebhookProcess,
} from "./webhook-process.ts";

/** Runs a test with a webhook, and takes both away afterwards. */
async function withWebhook(
  policies: string,
  flags: readonly string[],
  use: (webhook: WebhookProcess, folder: Folder) => Promise<void>,
): Promise<void> {
  const folder = await makeFolder(policies);
  try {
    const webhook = await startWebhook(folder, flags);
    try {
      await use(webhook, folder);
    } finally {
      await webhook.stop();
    }
  } finally {
    folder.remove();
  }
}

function policy(spec: JsonObject, namespace = "edge"): string {
  return `${JSON.stringify({ apiVersion: "gracegate.dev/v1alpha1", kind: "GracePolicy", metadata: { name: "default", namespace }, spec })}\n`;
}

describe("an admission over HTTPS", () => {
  it("is answered with a patch, audit annotations, a log line and metrics", async () => {
    await withWebhook(policy({ gateway: { requestP99: "60s" } }), [], async (webhook) => {
      const answer = await webhook.post(reviewText(gatewayPod({ "gracegate.dev/margin": "soon" })));
      assert.equal(gracePeriodOf(answer), 111);
      const response = objectAt(answer.json, "response");
      assert.deepEqual(response.auditAnnotations, {
        role: "gateway",
        rule: "proxy-router",
        changed: "proxy-config,proxy-environment,hc,proxy-lifecycle,grace-period",
        policies: "edge/default",
        codes: "GG101",
      });
      assert.match(
        warningsOf(answer).join(),
        /gracegate.dev\/margin: "soon" is not a duration.*Using 30s from built-in/,
      );

      const second = applied(answer);
      assert.deepEqual(patchOf(await webhook.post(reviewText(second))), []);
      await webhook.post(reviewText(gatewayPod(), { dryRun: true }));
      const metrics = await webhook.metrics();
      assert.match(metrics, /gracegate_webhook_calls_total\{outcome="patched",role="gateway"\} 2/);
      assert.match(metrics, /gracegate_webhook_calls_total\{outcome="unchanged",role="gateway"\} 1/);
      assert.match(metrics, /gracegate_webhook_pods_total\{outcome="patched",role="gateway"\} 1/, "one pod is one");
      assert.match(metrics, /gracegate_webhook_pods_total\{outcome="unchanged",role="gateway"\} 0/);
      assert.match(metrics, /gracegate_webhook_notices_total\{code="GG101",severity="warning"\} 2/);
      assert.match(metrics, /gracegate_webhook_duration_seconds_count 3/);
      await eventually(() => webhook.log().includes('"event":"admission"'));
      const line =
        webhook
          .log()
          .split("\n")
          .find((text) => text.includes('"event":"admission"')) ?? "";
      const logged = JSON.parse(line) as JsonObject;
      assert.equal(logged.outcome, "patched");
      assert.equal(logged.namespace, "edge");
      assert.equal(logged.name, "gateway-");
      assert.ok(!line.includes("registry.example/istio"), "a whole pod is in the log");
    });
  });

  it("refuses a pod with an override that does not parse where the policy says Deny", async () => {
    await withWebhook(policy({ invalid: "Deny" }), [], async (webhook) => {
      const answer = await webhook.post(reviewText(gatewayPod({ "gracegate.dev/drain-timeout": "soon" })));
      const response = objectAt(answer.json, "response");
      assert.equal(response.allowed, false);
      assert.equal(response.patch, undefined);
      assert.match(
        textAt(objectAt(response, "status"), "message") ?? "",
        /gracegate.dev\/drain-timeout: "soon" is not a duration/,
      );
    });
  });
});

/** The pod of an answer, after its patch. */
function applied(answer: Answer): JsonObject {
  const pod = structuredClone(gatewayPod({ "gracegate.dev/margin": "soon" })) as Record<string, unknown>;
  for (const operation of patchOf(answer)) {
    const path = operation.path
      .slice(1)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const key = path.pop() ?? "";
    const parent = path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], pod) as Record<
      string,
      unknown
    >;
    if (Array.isArray(parent)) parent.splice(Number(key), 0, (operation as { value?: unknown }).value);
    else parent[key] = (operation as { value?: unknown }).value;
  }
  return pod as JsonObject;
}

describe("policies", () => {
  it("are read again when they change, and an invalid edit keeps the last good set", async () => {
    await withWebhook(policy({ gateway: { drainTimeout: "50s" } }), [], async (webhook, folder) => {
      const grace = async () => gracePeriodOf(await webhook.post(reviewText(gatewayPod())));
      assert.equal(await grace(), 89);
      folder.file("policy.yaml", policy({ gateway: { drainTimeout: "60s" } }));
      await eventually(async () => (await grace()) === 99);
      folder.file("policy.yaml", policy({ gateway: { drainTimout: "70s" } }));
      await eventually(() => webhook.log().includes("policies-refused"));
      assert.equal(await grace(), 99);
      assert.match(webhook.log(), /spec\.gateway\.drainTimout is not a field; did you mean drainTimeout\?/);
      assert.match(await webhook.metrics(), /gracegate_policy_loads_total\{result="refused"\} 1/);
      folder.file("policy.yaml", policy({ gateway: { drainTimeout: "80s" } }));
      await eventually(async () => (await grace()) === 119);
    });
  });

  it("of Gracegate's own namespace hold everywhere, and a mesh config counts as the user's", async () => {
    const folder = await makeFolder(policy({ gateway: { requestP99: "10s" } }, "platform"));
    const mesh = folder.file(
      "mesh.yaml",
      "defaultConfig:\n  terminationDrainDuration: 100s\n  proxyStatsMatcher: {inclusionSuffixes: [upstream_rq_timeout]}\n",
    );
    const webhook = await startWebhook(folder, ["--root-namespace", "platform", "--mesh-config", mesh]);
    try {
      const answer = await webhook.post(reviewText(gatewayPod()));
      assert.equal(gracePeriodOf(answer), 130);
      assert.match(JSON.stringify(patchOf(answer)), /upstream_rq_timeout/);
    } finally {
      await webhook.stop();
      folder.remove();
    }
  });

  it("that are invalid at the start end the process with 2 and a sentence", async () => {
    const folder = await makeFolder(
      `${policy({ gateway: { drainTimeout: "-5s" } })}---\n${policy({ mode: "Off" }, "shop")}`,
    );
    try {
      const args = [
        "src/main.ts",
        "webhook",
        "--policy",
        folder.policy,
        "--tls-cert",
        folder.tlsCert,
        "--tls-key",
        folder.tlsKey,
      ];
      const result = spawnSync(process.execPath, args, { encoding: "utf8" });
      assert.equal(result.status, 2);
      assert.match(result.stderr, /document 1 \(edge\/default\): spec\.gateway\.drainTimeout is "-5s", not a duration/);
      assert.match(
        result.stderr,
        /document 2 \(shop\/default\): spec\.mode is "Off"; write one of Enforce, Observe, Disabled/,
      );
      assert.doesNotMatch(result.stderr, /at .*\.ts:/, "a stack is shown");
    } finally {
      folder.remove();
    }
  });
});

describe("certificates", () => {
  it("are swapped under load without one failed request, and a pair that does not match is refused", async () => {
    await withWebhook("", [], async (webhook, folder) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 4 });
      const review = reviewText(gatewayPod());
      const statuses: number[] = [];
      let isLoaded = true;
      const load = Array.from({ length: 4 }, async () => {
        while (isLoaded) statuses.push((await webhook.post(review, {}, agent)).status);
      });
      const first = await servedSerial(webhook);
      const next = await makeCertificates(["localhost", "127.0.0.1"], 3);
      // One file after the other, as tools do: in between they do not match.
      folder.file("tls.crt", next.cert);
      await eventually(() => webhook.log().includes("certificate-refused"));
      assert.equal(await servedSerial(webhook), first);
      folder.file("tls.key", next.key);
      await eventually(async () => (await servedSerial(webhook)) !== first);
      await wait(200);
      isLoaded = false;
      await Promise.all(load);
      agent.destroy();
      assert.ok(statuses.length > 100, `only ${statuses.length} requests`);
      assert.ok(statuses.every((status) => status === 200));
      assert.match(await webhook.metrics(), /gracegate_certificate_loads_total\{result="loaded"\} 2/);
      const expiry = Number(
        /gracegate_certificate_expiry_timestamp_seconds ([0-9.e+]+)/.exec(await webhook.metrics())?.[1],
      );
      assert.ok(Math.abs(expiry - Date.now() / 1000 - 3 * 86_400) < 120);
    });
  });

  it("older than TLS 1.2 is not spoken", async () => {
    await withWebhook("", [], async (webhook) => {
      const socket = connect({
        host: "127.0.0.1",
        port: webhook.port,
        rejectUnauthorized: false,
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        ciphers: "DEFAULT@SECLEVEL=0",
      });
      const [error] = (await once(socket, "error")) as [Error];
      assert.match(error.message, /protocol|alert|disconnected/i);
    });
  });
});

/** The connections that can be used again, once there are so many: an answer is read a little before. */
async function freed(agent: Agent, count: number) {
  const free = () => Object.values(agent.freeSockets).flat();
  while (free().length < count) await wait(10);
  return free();
}

/** The serial number of the certificate that a new handshake gets. */
async function servedSerial(webhook: WebhookProcess): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: webhook.port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe("health and the way out", () => {
  it("is ready and alive while it serves, and not ready from SIGTERM on", async () => {
    await withWebhook("", ["--shutdown-delay", "2s"], async (webhook) => {
      assert.equal((await webhook.get("/readyz")).text, "ok\n");
      assert.equal((await webhook.get("/livez")).status, 200);
      webhook.child.kill("SIGTERM");
      await eventually(async () => (await webhook.get("/readyz")).status === 503);
      const late = await webhook.post(reviewText(gatewayPod()));
      assert.equal(gracePeriodOf(late), 75, "it still serves while the endpoints are updated");
      assert.equal(late.headers.connection, "close");
      assert.equal((await webhook.get("/livez")).status, 200);
    });
  });

  it("answers every review that it accepted when SIGTERM arrives among 200", async () => {
    await withWebhook("", [], async (webhook) => {
      const agent = new Agent({ keepAlive: true });
      const review = reviewText(gatewayPod());
      // Connections that are open and known to be accepted.
      await Promise.all(Array.from({ length: 200 }, () => webhook.post(review, {}, agent)));
      await freed(agent, 200);
      const sent = Array.from({ length: 200 }, () => webhook.post(review, {}, agent));
      await Promise.race(sent);
      webhook.child.kill("SIGTERM");
      const answers = await Promise.all(sent);
      assert.ok(answers.every((answer) => gracePeriodOf(answer) === 75));
      // A second SIGTERM could come when the process has stopped listening for it, and end it in another way.
      assert.equal(await webhook.ended, 0);
      agent.destroy();
    });
  });

  it("keeps a connection that was idle for longer than Node's own 5 s", async () => {
    await withWebhook("", [], async (webhook) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const review = reviewText(gatewayPod());
      await webhook.post(review, {}, agent);
      const [socket] = await freed(agent, 1);
      await wait(7000);
      assert.equal(socket?.destroyed, false);
      assert.equal((await webhook.post(review, {}, agent)).status, 200);
      const [again] = await freed(agent, 1);
      assert.equal(again, socket, "another connection was made");
      agent.destroy();
    });
  });
});

describe("the command line", () => {
  const gracegate = (...args: string[]) =>
    spawnSync(process.execPath, ["src/main.ts", ...args], { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });

  it("lists the commands, and each shows its options with an example", () => {
    const overview = gracegate("--help");
    assert.equal(overview.status, 0);
    for (const { name } of commands) {
      assert.match(overview.stdout, new RegExp(`^ {2}${name} `, "m"));
      const help = gracegate(name, "--help");
      assert.equal(help.status, 0);
      assert.match(help.stdout, new RegExp(`Examples:\\n(?:  .*\\n)*  .*gracegate ${name}`));
      assert.equal(help.stderr, "");
      assert.ok(
        help.stdout.split("\n").every((line) => line.length <= 80),
        `${name} --help is wider than 80 columns`,
      );
    }
    assert.match(gracegate("--version").stdout, /^[0-9]+\.[0-9]+\.[0-9]+\n$/);
    assert.equal(gracegate().status, 2);
  });

  const wrong: readonly [string, readonly string[], RegExp][] = [
    ["an unknown command", ["webhok"], /"webhok" is not a command/],
    [
      "an unknown option",
      ["webhook", "--policy", "a", "--tls-cert", "b", "--tls-key", "c", "--prt", "1"],
      /^gracegate webhook: unknown option '--prt' \(Did you mean --port\?\)\.$/m,
    ],
    ["a missing option", ["webhook"], /required option '--policy <path>' not specified/],
    [
      "a port that is none",
      ["webhook", "--policy", "a", "--tls-cert", "b", "--tls-key", "c", "--port", "99999"],
      /--port: "99999" is not a port number/,
    ],
    [
      "a duration that is none",
      ["webhook", "--policy", "a", "--tls-cert", "b", "--tls-key", "c", "--shutdown-delay", "x"],
      /--shutdown-delay: x is not a duration/,
    ],
    [
      "a log level that is none",
      ["webhook", "--policy", "a", "--tls-cert", "b", "--tls-key", "c", "--log-level", "loud"],
      /Allowed choices are debug, info, warn, error/,
    ],
    [
      "policies that are not there",
      ["webhook", "--policy", "nowhere", "--tls-cert", "b", "--tls-key", "c"],
      /nowhere: cannot be read/,
    ],
    [
      "certificates that are not there",
      ["webhook", "--policy", "examples/policies", "--tls-cert", "nowhere.crt", "--tls-key", "c"],
      /nowhere.crt.*cannot be used.*gracegate certs/,
    ],
    [
      "two kinds of certificates",
      ["webhook", "--policy", "a", "--tls-cert", "b", "--tls-key", "c", "--tls-secret", "d/e", "--service", "s"],
      /--tls-secret keeps a certificate, and --tls-cert and --tls-key bring one; choose/,
    ],
    ["no certificates", ["webhook", "--policy", "a"], /a certificate is needed: --tls-cert and --tls-key/],
    ["a Secret for nobody", ["webhook", "--policy", "a", "--tls-secret", "d/e"], /--tls-secret needs --service/],
    [
      "a Secret without a namespace",
      ["webhook", "--policy", "a", "--tls-secret", "e", "--service", "s"],
      /--tls-secret: e is not NAMESPACE\/NAME/,
    ],
    [
      "an authority for no days",
      ["webhook", "--policy", "a", "--tls-secret", "d/e", "--service", "s", "--ca-days", "0"],
      /--ca-days: 0 is not a number of days/,
    ],
    ["certificates for no days", ["certs", "--days", "0"], /--days: 0 is not a number of days/],
    ["certificates for nobody", ["certs", "--names", ","], /--names: name at least one/],
  ];
  for (const [name, args, sentence] of wrong) {
    it(`says what is wrong with ${name}, and ends with 2`, () => {
      const result = gracegate(...args);
      assert.equal(result.status, 2, result.stderr);
      assert.match(result.stderr, sentence);
      assert.equal(result.stdout, "");
      assert.doesNotMatch(result.stderr, /\n\s+at /);
    });
  }

  it("fails with 1, and does not stay, where one of its ports is taken", async () => {
    await withWebhook("", [], async (webhook, folder) => {
      const args = ["webhook", "--policy", folder.policy, "--tls-cert", folder.tlsCert, "--tls-key", folder.tlsKey];
      for (const ports of [
        ["--port", String(webhook.port), "--metrics-port", "0"],
        ["--port", "0", "--metrics-port", String(webhook.metricsPort)],
      ]) {
        const result = gracegate(...args, "--bind", "127.0.0.1", ...ports);
        assert.equal(result.status, 1);
        assert.match(result.stderr, /address already in use/);
      }
    });
  });

  it("makes certificates that a client trusts, and keeps the ones that are there", async () => {
    const folder = await makeFolder();
    try {
      const dir = join(folder.path, "made");
      mkdirSync(dir);
      assert.equal(gracegate("certs", "--dir", dir, "--names", "localhost,127.0.0.1", "--days", "2").status, 0);
      const again = gracegate("certs", "--dir", dir);
      assert.equal(again.status, 0);
      assert.match(again.stderr, /has certificates already; --force replaces them/);
      assert.match(gracegate("certs", "--dir", dir, "--force").stderr, /^Made ca\.crt/);
      const below = join(folder.path, "one", "two");
      assert.match(gracegate("certs", "--dir", below).stderr, /^Made ca\.crt/);
      const nowhere = gracegate("certs", "--dir", "/proc/nowhere/at/all");
      assert.equal(nowhere.status, 1);
      assert.match(nowhere.stderr, /^gracegate certs: \/proc\/nowhere cannot be used: no such file or directory\.$/m);
    } finally {
      folder.remove();
    }
  });
});
