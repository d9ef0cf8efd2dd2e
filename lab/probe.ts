/**
 * Runs `gracegate probe` as a process of its own, as a person would, and reads its JSON.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { endsWithUs } from "./children.ts";

/** What the lab reads of a report; docs/probe.md has all fields. */
export interface ProbeReport {
  readonly started: number;
  readonly lost: number;
  readonly connectionErrors: number;
  readonly lostBeforeTrigger: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly details: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly latencyMs: { readonly max: number; readonly p99: number };
  readonly generator: { readonly lagMs: { readonly max: number } };
  readonly trigger?: { readonly state: string; readonly atMs?: number };
  readonly losses: readonly {
    readonly kind: string;
    readonly atMs: number;
    readonly startedMs: number;
    readonly text: string;
  }[];
  readonly isVoid: readonly string[];
}

/** A process of `gracegate probe` that has ended. */
export async function probe(args: readonly string[], svg?: string): Promise<ProbeReport> {
  const words = ["src/main.ts", "probe", ...args, "-o", "json", ...(svg === undefined ? [] : ["--svg", svg])];
  const child = endsWithUs(spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] }));
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("exit", resolve)),
  ]);
  try {
    return JSON.parse(out) as ProbeReport;
  } catch {
    throw new Error(`gracegate probe ${args.join(" ")} ended with ${code}: ${err}`);
  }
}
