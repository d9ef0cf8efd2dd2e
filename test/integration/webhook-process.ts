/**
 * A real webhook process for tests, on ports of its own on 127.0.0.1, and a client that speaks TLS to it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { type Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/pod/json.ts";
import { makeCertificates } from "../../src/tls/development-certificates.ts";

/** A folder that is removed with the test, with certificates for localhost in it. */
export interface Folder {
  readonly path: string;
  readonly policy: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly ca: string;
  file(name: string, text: string): string;
  remove(): void;
}

/** Makes the folder; `policies` becomes policy.yaml in it. */
export async function makeFolder(policies = ""): Promise<Folder> {
  const path = mkdtempSync(join(tmpdir(), "gracegate-test-"));
  const file = (name: string, text: string) => {
    writeFileSync(join(path, name), text);
    return join(path, name);
  };
  const made = await makeCertificates(["localhost", "127.0.0.1"], 2);
  return {
    path,
    policy: file("policy.yaml", policies === "" ? "# none\n" : policies),
    tlsCert: file("tls.crt", made.cert),
    tlsKey: file("tls.key", made.key),
    ca: made.caCert,
    file,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** An HTTP answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: JsonObject | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A running webhook. */
export interface WebhookProcess {
  readonly child: ChildProcess;
  readonly port: number;
  readonly metricsPort: number;
  /** All that it logged so far. */
  log(): string;
  post(body: string | Buffer, headers?: Record<string, string>, agent?: Agent): Promise<Answer>;
  get(path: string): Promise<Answer>;
  metrics(): Promise<string>;
  /** Resolves with its exit code when it ends; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<number | null>;
}

/**
 * Starts `gracegate webhook` and waits until it listens.
 *
 * @param flags added to those for the folder; the last of two that say different things counts
 * @param main what is run: the source, or what was built of it
 */
export async function startWebhook(
  folder: Folder,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  main = "src/main.ts",
): Promise<WebhookProcess> {
  const files = ["--tls-cert", folder.tlsCert, "--tls-key", folder.tlsKey];
  const args = [main, "webhook", "--policy", folder.policy];
  if (!flags.includes("--tls-secret")) args.push(...files);
  const fixed = ["--port", "0", "--metrics-port", "0", "--bind", "127.0.0.1", "--shutdown-delay", "0"];
  const child = spawn(process.execPath, [...args, ...fixed, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let log = "";
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const started = new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("metrics on port")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the webhook ended with ${code}: ${said}`)));
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  await started;
  const port = Number(/:([0-9]+)\/mutate/.exec(said)?.[1]);
  const metricsPort = Number(/metrics on port ([0-9]+)/.exec(said)?.[1]);
  const send = (
    method: string,
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
    agent?: Agent,
  ) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          servername: "localhost",
          port,
          path,
          method,
          ca: folder.ca,
          headers,
          agent: agent ?? false,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, text, json: jsonOf(text), headers: response.headers });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    child,
    port,
    metricsPort,
    ended,
    log: () => log,
    post: (body, headers = {}, agent) =>
      send(
        "POST",
        "/mutate",
        body,
        { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)), ...headers },
        agent,
      ),
    get: (path) => send("GET", path, undefined, {}),
    metrics: () => plainGet(`http://127.0.0.1:${metricsPort}/metrics`),
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

function plainGet(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}

/** Waits until a claim holds; the test fails after the patience. */
export async function eventually(claim: () => Promise<boolean> | boolean, patienceMs = 10_000): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await claim())) {
    if (performance.now() > end) throw new Error(`did not come to hold in ${patienceMs} ms: ${String(claim)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The text of a file of the repository. */
export function fileText(path: string): string {
  return readFileSync(path, "utf8");
}
