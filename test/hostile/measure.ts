/**
 * What an answer to a hostile review costs, against what it costs to parse it at all.
 */
import { admit } from "../../src/admission/admit.ts";
import { parseReview } from "../../src/admission/review.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import { optionsFor } from "../unit/pods.ts";

/** Policies under which as much as possible is done. */
const options = optionsFor({
  gateway: { hc: { extraEnv: [{ name: "X", value: "y" }], imagePullSecrets: [{ name: "mirror" }] } },
  sidecar: { applicationPreStopSleep: 5 },
});

/** The answer to a review as text, as the webhook gives it. */
export function answerTo(body: Buffer): { readonly text: string; readonly outcome: string; readonly error: unknown } {
  const parsed = parseReview(body);
  if (!parsed.ok) return { text: parsed.problem, outcome: "bad request", error: undefined };
  const { response, outcome, error } = admit(parsed.request, options);
  return { text: JSON.stringify(response), outcome, error };
}

/** Milliseconds of both, the best of some runs. */
export interface Cost {
  readonly parse: number;
  readonly answer: number;
}

/** Measures one body. */
export function costOf(body: string, repeats: number): Cost {
  const buffer = Buffer.from(body);
  let parse = Number.POSITIVE_INFINITY;
  let answer = Number.POSITIVE_INFINITY;
  for (let run = 0; run < repeats; run++) {
    parse = Math.min(
      parse,
      timed(() => JSON.parse(buffer.toString()) as JsonObject),
    );
    answer = Math.min(
      answer,
      timed(() => answerTo(buffer)),
    );
  }
  return { parse, answer };
}

function timed(run: () => unknown): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}
