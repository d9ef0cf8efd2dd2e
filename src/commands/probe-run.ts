/**
 * What `gracegate probe` does: plays the run, shows how it goes, and says how it ended.
 */
import { writeFileSync } from "node:fs";
import { toJson } from "../probe/json.ts";
import { keepSmall } from "../probe/memory.ts";
import { plot } from "../probe/plot.ts";
import { run as play, type Report } from "../probe/run.ts";
import { table } from "../probe/table.ts";
import { verdictOf } from "../probe/verdict.ts";
import { progressText } from "../probe/words.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { interruption } from "./kit/interruption.ts";
import { clearProgress, showProgress } from "./kit/progress.ts";
import type { Refusal } from "./kit/read.ts";
import { jsonText, paint, print, say } from "./kit/say.ts";
import type { ProbeValues } from "./probe.ts";
import { specOf } from "./probe-spec.ts";

/** How often the line of a run is written, milliseconds. */
const EVERY_MS = 250;

/** Runs the command. */
export async function run(values: ProbeValues, args: readonly string[]): Promise<ExitCode | Refusal> {
  const read = specOf(values, args);
  if (!read.ok) return read;
  const spec = read.value;
  keepSmall();
  using interrupted = interruption();
  let timer: NodeJS.Timeout | undefined;
  let report: Report;
  try {
    report = await play(
      spec,
      {
        say,
        began: (recorder) => {
          timer = setInterval(() => showProgress(progressText(recorder)), EVERY_MS).unref();
          if (spec.trigger === undefined || spec.trigger.command !== undefined) return;
          say(`Disable one backend at the balancer ${spec.trigger.atMs / 1000} s from now, and leave it running.`);
        },
      },
      interrupted.signal,
    );
  } finally {
    clearInterval(timer);
    clearProgress();
  }
  const { maxLost, max5xx, maxConnectionErrors } = values;
  const verdict = verdictOf(report, { maxLost, max5xx, maxConnectionErrors });
  print(values.output === "json" ? jsonText(toJson(report, verdict)) : table(report, verdict, paint));
  if (values.svg !== undefined) writeFileSync(values.svg, plot(report));
  if (verdict.isVoid.length + verdict.broken.length === 0) return exitCode.ok;
  // With JSON on stdout, a person still gets the reasons.
  if (values.output === "json") {
    for (const reason of verdict.isVoid) say(`void: ${reason}`);
    for (const reason of verdict.broken) say(`failed: ${reason}`);
  }
  return exitCode.failed;
}
