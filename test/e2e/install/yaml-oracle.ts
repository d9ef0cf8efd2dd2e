/**
 * The oracle of YAML: a program that reads it with Kubernetes' and Istio's own Go modules (yaml-oracle/main.go).
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Component, cacheFolder, had, run } from "./components.ts";

/** Builds the oracle with a version of the Go module istio.io/istio. */
export function yamlOracle(version: string): Component {
  return had("yaml-oracle", () => {
    const folder = join(cacheFolder, `yaml-oracle-${version}`);
    run("bash", [join(import.meta.dirname, "yaml-oracle.sh"), version, folder]);
    return join(folder, "yaml-oracle");
  });
}

/** What the oracle reads a text as: an annotation of Istio, a document or a manifest of several. */
export interface Question {
  readonly as: "proxy" | "yaml" | "stream";
  readonly text: string;
}

/** What it says: a value, or why it refuses the text. */
export type Verdict = { readonly value: unknown } | { readonly error: string };

/** Asks the oracle; the verdicts come in the order of the questions. Numbers that a double cannot hold keep their digits. */
export function ask(path: string, questions: readonly Question[]): readonly Verdict[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join("");
  const { status, stdout, stderr } = spawnSync(path, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`the oracle failed: ${stderr}`);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => ({ value: null, ...(JSON.parse(line, keepDigits) as object) }) as Verdict);
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  if (Object.is(value, -0)) return 0;
  if (!/^-?[0-9]+$/.test(context.source) || Number.isSafeInteger(value)) return value;
  // What does not fit into 64 bits is a float to Go, however it is printed.
  const integer = BigInt(context.source);
  return integer >= -(2n ** 63n) && integer < 2n ** 64n ? JSON.rawJSON(context.source) : value;
}
