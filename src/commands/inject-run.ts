/**
 * What `gracegate inject` does: reads manifests one document at a time, writes them with the changes to stdout or back,
 * and says on stderr what a person should know.
 */
import { writeFileSync } from "node:fs";
import { lineOf } from "../codes/registry.ts";
import { type Injected, type InjectedWorkload, type InjectOptions, injectDocument } from "../manifests/inject.ts";
import { chunksOf } from "../manifests/stream.ts";
import { keepSmall } from "../probe/memory.ts";
import { reasonsOf } from "../report/because.ts";
import { diffText } from "../report/diff-text.ts";
import { podDiff } from "../report/pod-diff.ts";
import { wrapText } from "../report/wrap-text.ts";
import { readManifest, STDIN } from "../sources/manifest-files.ts";
import { columnsOf } from "./kit/columns.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { progress } from "./kit/progress.ts";
import { type Refusal, refused } from "./kit/read.ts";
import { paint, say, write } from "./kit/say.ts";
import { filesOf, injectOptions } from "./manifest-input.ts";
import { defaults, type InjectValues } from "./manifests.ts";

/** Runs the command. */
export async function run(values: InjectValues): Promise<ExitCode | Refusal> {
  keepSmall();
  const files = filesOf(values);
  if (!files.ok) return files;
  if (values.write && values.diff) return refused("--write and --diff exclude each other.");
  if (values.write && files.value.includes(STDIN)) return refused("--write cannot change stdin.");
  const pipeline = injectOptions(values, values.role);
  if (!pipeline.ok) return pipeline;
  const run = new InjectRun(pipeline.value, values.diff, values.write);
  for (const file of files.value) run.file(file);
  run.finish();
  return run.failed ? exitCode.failed : exitCode.ok;
}

/** One run over some files. */
class InjectRun {
  failed = false;
  readonly #options: InjectOptions;
  readonly #diff: boolean;
  readonly #write: boolean;
  readonly #stubs: string[] = [];
  #changed = 0;
  #workloads = 0;
  #last = "";
  /** hc was written with an image that only this program knows. */
  #unnamed = false;

  constructor(options: InjectOptions, diff: boolean, write: boolean) {
    this.#options = options;
    this.#diff = diff;
    this.#write = write;
  }

  file(name: string): void {
    const read = readManifest(name);
    if (!read.ok) {
      this.#problem(`${read.name} ${read.reason}.`);
      return;
    }
    // What a command before the pipe leaves when it failed: going on would apply nothing and look well.
    if (name === STDIN && read.text.trim() === "") {
      this.#problem("stdin is empty.");
      return;
    }
    const parts: string[] = [];
    for (const chunk of chunksOf(read.text)) {
      const injected = injectDocument(chunk, this.#options);
      parts.push(injected.text);
      progress(() => `${read.name}: ${parts.length} documents, ${this.#changed} workloads changed`);
      this.#tell(read.name, injected);
    }
    const text = parts.join("");
    if (this.#diff) return;
    if (!this.#write) this.#output(text);
    else if (text !== read.text) writeFileSync(name, text);
  }

  /** Says what holds for the run as a whole. */
  finish(): void {
    const [first, second, ...more] = this.#stubs;
    if (first !== undefined) {
      const names = [first, ...(second === undefined ? [] : [second]), ...(more.length ? [`${more.length} more`] : [])];
      say(
        `${names.join(", ")}: istio-proxy is not rendered yet, so only annotations were written; the rest comes after istioctl kube-inject, or in the cluster.`,
      );
    }
    if (this.#unnamed) {
      say(
        `hc's image is ${defaults.hcImage}, which names no registry, so nodes look for it at Docker Hub; --hc-image or gateway.hc.image of a policy says yours.`,
      );
    }
    say(`${this.#changed} of ${this.#workloads} workloads ${this.#diff ? "would change" : "changed"}.`);
  }

  /** Files after one another are one stream: each begins with a marker. */
  #output(text: string): void {
    let separator = "";
    if (this.#last !== "") {
      separator = this.#last.endsWith("\n") ? "" : "\n";
      if (!/^---(?:\s|$)/.test(text)) separator += "---\n";
    }
    write(separator + text);
    if (text !== "") this.#last = text.slice(-1);
  }

  #tell(name: string, { broken, workloads, whole }: Injected): void {
    if (broken !== undefined) {
      this.#problem(`${name}:${broken.line}:${broken.column}: ${broken.reason}; the document is left as it is.`);
    }
    for (const injected of workloads) this.#workload(name, injected);
    if (whole)
      say(`${name}:${workloads[0]?.line ?? 1}: could not be changed in place; comments in the document are lost.`);
  }

  #workload(name: string, injected: InjectedWorkload): void {
    const { workload, namespace, skipped, outcome } = injected;
    const title = `${workload.kind} ${namespace}/${workload.name}`;
    // A line has to be looked up, so only for those about whom there is something to say.
    const where = () => `${name}:${injected.line}: ${title}`;
    this.#workloads++;
    if (skipped !== undefined) say(`${where()} is left alone: ${skipped}.`);
    if (outcome === undefined) return;
    if (outcome.refusal !== undefined) this.#problem(`${where()} would be refused: ${outcome.refusal}`);
    for (const notice of outcome.notices) {
      if (notice.severity === "info" || (outcome.refusal !== undefined && notice.code === "GG101")) continue;
      say(`${where()}: ${lineOf(notice)}`);
    }
    if (outcome.pod === workload.pod) return;
    this.#changed++;
    if (!outcome.facts.isRendered) this.#stubs.push(title);
    const role = outcome.plan?.context.role;
    if (outcome.facts.isRendered && role?.kind === "gateway" && role.hc.kind === "ours") {
      this.#unnamed ||= role.hc.image === defaults.hcImage;
    }
    if (!this.#diff || outcome.plan === undefined) return;
    const lines = podDiff(workload.pod, outcome.pod, reasonsOf(outcome.whys()));
    const width = columnsOf(process.stdout);
    const head = wrapText(`== ${where()}, a ${outcome.facts.role}`, width, "", "   ");
    write(`${paint("bold", head)}\n${diffText(lines, paint, width)}\n\n`);
  }

  #problem(sentence: string): void {
    this.failed = true;
    say(sentence);
  }
}
