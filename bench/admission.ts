/**
 * `make bench`: how many mutations a second one core does, next to what express and node:https can do in the same run.
 *
 *   node bench/admission.ts [--seconds 8]
 *
 * Bars (SPEC 16): ≥ 2,500 mutations/s and p99 < 10 ms at 10 connections, ≥ 0.15 × the express constant.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { makeCertificates } from "../src/tls/development-certificates.ts";
import { run } from "./load.ts";
import { differentReviews, ORDINARY, sidecarReview } from "./pods.ts";
import { pinLoad, type ServerProcess, startProcess } from "./server-process.ts";
import { printStages } from "./stages.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "8" } } });
const seconds = Number(values.seconds);
const CONNECTIONS = 10;

const folder = mkdtempSync(join(tmpdir(), "gracegate-bench-"));
const certFile = join(folder, "tls.crt");
const keyFile = join(folder, "tls.key");

try {
  const made = await makeCertificates(["localhost", "127.0.0.1"], 2);
  writeFileSync(certFile, made.cert);
  writeFileSync(keyFile, made.key);
  print(
    `Node ${process.version}, ${pinLoad() ? "server on one core, load on another" : "not pinned"}, ${seconds} s each`,
  );
  await throughput();
  await growthWithSize();
  await growthWithPolicies();
  printStages();
} finally {
  rmSync(folder, { recursive: true });
}

function webhook(policies: number): Promise<ServerProcess> {
  const file = join(folder, `policies-${policies}.yaml`);
  const documents = Array.from({ length: policies }, (_, index) =>
    stringify({
      apiVersion: "gracegate.dev/v1alpha1",
      kind: "GracePolicy",
      metadata: { name: "default", namespace: index === 0 ? "shop" : `team-${index}` },
      spec: { sidecar: { requestP99: "20s" } },
    }),
  );
  writeFileSync(file, documents.join("---\n"));
  const args = ["--policy", file, "--tls-cert", certFile, "--tls-key", keyFile];
  return startProcess([
    "dist/main.js",
    "webhook",
    ...args,
    "--port",
    "0",
    "--metrics-port",
    "0",
    "--bind",
    "127.0.0.1",
    "--shutdown-delay",
    "0",
  ]);
}

async function throughput(): Promise<void> {
  print("\n                           requests/s   p50 ms   p99 ms   CPU µs/request   RSS MiB");
  const body = [sidecarReview(ORDINARY)];
  const express = await measure(
    "express, a constant",
    await startProcess(["bench/references.ts", "express", certFile, keyFile]),
    body,
  );
  await measure(
    "node:https, parse and echo",
    await startProcess(["bench/references.ts", "https", certFile, keyFile]),
    body,
  );
  const server = await webhook(1);
  const firstAnswerMs = server.startMs + (await timeOf(() => run({ ...once(server), bodies: body })));
  const own = await measure("gracegate webhook", server, body, (answer) => {
    if (!answer.includes('"patchType":"JSONPatch"')) throw new Error(`no patch: ${answer.slice(0, 200)}`);
  });
  await measure("  every annotation new", await webhook(1), differentReviews(2000));
  print(`\ngracegate / express constant: ${(own / express).toFixed(2)} (bar 0.15)`);
  print(`start of the process to its first answer: ${firstAnswerMs.toFixed(0)} ms (bar 500 ms)`);
}

/** One request on one connection. */
function once(server: ServerProcess) {
  return { port: server.port, path: "/mutate", connections: 1, seconds: 0 };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function measure(
  name: string,
  server: ServerProcess,
  bodies: readonly string[],
  check?: (answer: string) => void,
): Promise<number> {
  const load = { port: server.port, path: "/mutate", bodies, connections: CONNECTIONS, ...(check ? { check } : {}) };
  await run({ ...load, seconds: 1 });
  const cpuBefore = server.cpuSeconds();
  const result = await run({ ...load, seconds });
  // The warm-up of run() is in the CPU time as well, at about the same rate.
  const cpu = ((server.cpuSeconds() - cpuBefore) / (result.requests * ((seconds + 2) / seconds))) * 1e6;
  print(
    `${name.padEnd(26)} ${result.perSecond.toFixed(0).padStart(10)} ${result.p50Ms.toFixed(2).padStart(8)} ${result.p99Ms.toFixed(2).padStart(8)} ${cpu.toFixed(0).padStart(16)} ${(server.rss() / 2 ** 20).toFixed(0).padStart(9)}`,
  );
  await server.stop();
  return result.perSecond;
}

async function growthWithSize(): Promise<void> {
  print("\nsize of the review   ms a request   µs a kB   (one connection)");
  const server = await webhook(1);
  for (const bytes of [5_000, 10_000, 100_000, 1_000_000]) {
    const body = sidecarReview(bytes);
    const result = await run({
      port: server.port,
      path: "/mutate",
      bodies: [body],
      connections: 1,
      seconds: Math.min(3, seconds),
    });
    const ms = 1000 / result.perSecond;
    print(
      `${String(body.length).padStart(16)} B ${ms.toFixed(2).padStart(14)} ${((ms * 1000) / (body.length / 1000)).toFixed(1).padStart(9)}`,
    );
  }
  await server.stop();
}

async function growthWithPolicies(): Promise<void> {
  print("\npolicies   requests/s   start ms   RSS MiB");
  for (const policies of [1, 100, 10_000]) {
    const server = await webhook(policies);
    const body = sidecarReview(ORDINARY);
    const result = await run({
      port: server.port,
      path: "/mutate",
      bodies: [body],
      connections: CONNECTIONS,
      seconds: Math.min(4, seconds),
    });
    print(
      `${String(policies).padStart(8)} ${result.perSecond.toFixed(0).padStart(12)} ${server.startMs.toFixed(0).padStart(10)} ${(server.rss() / 2 ** 20).toFixed(0).padStart(9)}`,
    );
    await server.stop();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
