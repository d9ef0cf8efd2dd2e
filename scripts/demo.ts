/**
 * `make run`: starts the webhook on examples/policies/, sends it a gateway pod and a sidecar pod over HTTPS, and shows
 * what changed in each and why. Stays up until Ctrl-C; with CI set, or without a terminal, it ends by itself.
 *
 *   make run PODS="mine.yaml other.yaml" POLICIES=my-policies/
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { styleText } from "node:util";
import { parse } from "yaml";
import { applyPatch, type PatchOperation } from "../src/mutate/patch.ts";
import { runPipeline } from "../src/mutate/pipeline.ts";
import { type JsonObject, objectAt, sameJson, textAt, textsAt } from "../src/pod/json.ts";
import { reasonsOf } from "../src/report/because.ts";
import { diffText } from "../src/report/diff-text.ts";
import type { Paint } from "../src/report/paint.ts";
import { podDiff } from "../src/report/pod-diff.ts";
import { loadPolicies } from "../src/sources/policy-files.ts";
import { version } from "../src/version.ts";
import { reviewOf } from "./review-of.ts";

const POLICIES = process.env.POLICIES || "examples/policies";
const PODS = process.env.PODS ? process.env.PODS.split(/[\s,]+/) : globSync("examples/pods/*.yaml").sort();

/** As an API server would make one: hc knows the hook by it. Always the same, so that the output is. */
const UID = "705ab4f5-6393-11e8-b7cc-42010a800002";
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

// `make run | head` is no error.
process.stdout.on("error", () => process.exit(0));
if (!existsSync("certs/tls.crt"))
  await finished(spawn(process.execPath, ["src/main.ts", "certs"], { stdio: "inherit" }));
const { child, port } = await startWebhook();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill("SIGTERM"));
try {
  for (const file of PODS) await show(file);
  next();
} catch (error) {
  child.kill("SIGTERM");
  throw error;
}
if (process.env.CI || !process.stdout.isTTY) child.kill("SIGTERM");
else print("\nThe webhook stays up until Ctrl-C.");
process.exitCode = await finished(child);

/** Starts the webhook on port 8443, or on any free one where that is taken. */
async function startWebhook(): Promise<{ child: ChildProcess; port: number }> {
  for (const wanted of ["8443", "0"]) {
    const args = ["--policy", POLICIES, "--tls-cert", "certs/tls.crt", "--tls-key", "certs/tls.key"];
    const child = spawn(
      process.execPath,
      [
        "src/main.ts",
        "webhook",
        ...args,
        "--port",
        wanted,
        "--metrics-port",
        "0",
        "--bind",
        "127.0.0.1",
        "--shutdown-delay",
        "0",
        "--log-level",
        "warn",
      ],
      { stdio: ["ignore", "inherit", "pipe"] },
    );
    const started = await new Promise<string>((resolve) => {
      let said = "";
      child.stderr?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("\n")) resolve(said.trim());
      });
      child.once("exit", () => resolve(said.trim()));
    });
    const port = /:([0-9]+)\/mutate/.exec(started)?.[1];
    if (port !== undefined) {
      print(paint("bold", started));
      return { child, port: Number(port) };
    }
    if (!started.includes("EADDRINUSE")) throw new Error(started);
  }
  throw new Error("the webhook did not start");
}

async function show(file: string): Promise<void> {
  const pod = parse(readFileSync(file, "utf8")) as JsonObject;
  const answer = objectAt(await post(reviewOf(pod, { uid: UID })), "response");
  const operations = JSON.parse(
    Buffer.from(textAt(answer, "patch") ?? "W10=", "base64").toString(),
  ) as PatchOperation[];
  const after = applyPatch(pod, operations);

  // The webhook answers with a patch; the reasons come from the same pipeline, run here on the same policies.
  const namespace = textAt(objectAt(pod, "metadata"), "namespace") ?? "";
  const loaded = loadPolicies({ policy: POLICIES, meshConfig: undefined, rootNamespace: "gracegate" });
  if (!loaded.ok) throw new Error(`${POLICIES} cannot be used`);
  const outcome = runPipeline(pod, namespace, {
    snapshot: loaded.snapshot,
    hcImage: `gracegate:${version}`,
    gatewayTemplates: ["gateway"],
    uid: UID,
  });
  if (!sameJson(outcome.pod, after)) throw new Error(`${file}: the webhook answered otherwise`);
  if (outcome.plan === undefined) {
    print(`\n${paint("bold", `== ${file}: left alone`)} (${outcome.refusal ?? outcome.facts.rule})`);
    return;
  }
  const names = outcome.policies.map(({ namespace, name }) => `${namespace}/${name}`);
  const policies = names.length === 0 ? "the built-in settings" : names.join(", ");
  print(`\n${paint("bold", `== ${file}: a ${outcome.facts.role}, with ${policies}`)}`);
  print(diffText(podDiff(pod, after, reasonsOf(outcome.whys())), paint, Math.max(process.stdout.columns || 80, 60)));
  for (const warning of textsAt(answer, "warnings")) print(`warning: ${warning}`);
}

function post(review: JsonObject): Promise<JsonObject> {
  const body = JSON.stringify(review);
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const ca = readFileSync("certs/ca.crt");
    const sent = request(
      `https://localhost:${port}/mutate`,
      { method: "POST", headers, ca, agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("end", () => {
          if (response.statusCode === 200) resolve(JSON.parse(text) as JsonObject);
          else reject(new Error(`HTTP ${response.statusCode}: ${text}`));
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function next(): void {
  print(`
${paint("bold", "Try next")}
  make run PODS=my-pod.yaml POLICIES=my-policies/
      pods and policies of your own; examples/ has some to start from
  examples/webhook-configuration.yaml
      tells an API server of the webhook
  docs/policy.md, docs/overrides.md
      every setting, and the annotation that overrides it for one pod
  make test, make e2e
      what is proved, and on what`);
}

async function finished(process: ChildProcess): Promise<number> {
  if (process.exitCode !== null) return process.exitCode;
  const [code] = (await once(process, "exit")) as [number | null];
  return code ?? 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
