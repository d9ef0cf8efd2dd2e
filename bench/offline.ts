/**
 * What the offline commands cost on 1,000 manifests of 10 kB, as processes: seconds and the most memory that they held.
 *
 * Every manifest is a Deployment after Istio's injector that has to be changed, the dearest kind. The time of `cat` over
 * the same file and of an empty process stand beside it, so that another machine can be compared.
 *
 *   node bench/offline.ts
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { ORDINARY, sidecarReview } from "./pods.ts";

const COUNT = 1000;

const folder = mkdtempSync(join(tmpdir(), "gracegate-bench-"));
try {
  const file = join(folder, "manifests.yaml");
  const bytes = writeManifests(file);
  process.stdout.write(`${COUNT} manifests, ${(bytes / 1e6).toFixed(1)} MB\n\n`);
  process.stdout.write("command                              seconds    MiB\n");
  measure("an empty process", ["-e", ""]);
  measure("gracegate inject --help", ["src/main.ts", "inject", "--help"]);
  for (const command of ["plan", "explain", "check"])
    measure(`gracegate ${command} --help`, ["src/main.ts", command, "--help"]);
  measure("gracegate inject", ["src/main.ts", "inject", "-f", file]);
  measure("gracegate check", ["src/main.ts", "check", "-f", file]);
} finally {
  rmSync(folder, { recursive: true });
}

function writeManifests(file: string): number {
  const { object: pod } = JSON.parse(sidecarReview(ORDINARY)).request;
  const documents = Array.from({ length: COUNT }, (_, index) =>
    stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: `web-${index}`, namespace: "shop" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: `web-${index}` } },
        template: {
          metadata: { labels: { app: `web-${index}` }, annotations: pod.metadata.annotations },
          spec: pod.spec,
        },
      },
    }),
  );
  const text = documents.join("---\n");
  writeFileSync(file, text);
  return Buffer.byteLength(text);
}

function measure(name: string, args: readonly string[]): void {
  const started = performance.now();
  // The process tells its own peak; the data goes nowhere, as into a file.
  const script = `process.on("exit",()=>process.stderr.write("\\nrss "+process.resourceUsage().maxRSS+"\\n"))`;
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const result = spawnSync(process.execPath, ["--import", preload, ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
  });
  const seconds = (performance.now() - started) / 1000;
  if (result.status !== 0) throw new Error(result.stderr);
  const rss = Number(/rss ([0-9]+)/.exec(result.stderr)?.[1]) / 1024;
  process.stdout.write(`${name.padEnd(36)} ${seconds.toFixed(2).padStart(7)} ${rss.toFixed(0).padStart(6)}\n`);
}
