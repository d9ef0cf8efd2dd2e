/**
 * One review costs linear time, whatever the pod. bench/hostile.ts does the same at length.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { growths, together } from "../hostile/growth.ts";
import { answerTo, costOf } from "../hostile/measure.ts";
import { Random } from "../hostile/random.ts";

/** Growths that are tried; in CI the same each time. */
const TRIED = 200;

/** Bytes that are added to a pod. */
const BYTES = 100_000;

/** An answer may take this many times what JSON.parse takes for the same body. */
const MOST_TIMES_PARSE = 20;

/** Twice as many bytes may take this much longer. */
const MOST_GROWTH = 2.5;

/** An answer may be this much longer than its request: base64, and what is added to each of very many containers. */
const MOST_ANSWER = 8;

const random = new Random(process.env.CI ? 20_261_130 : Date.now());
const any = () => random.below(1_000_000);
const tried = Array.from({ length: TRIED }, (_, index) =>
  index % 4 === 0 ? together([any(), any()], any()) : random.of(growths),
);

describe("a hostile pod, whatever is large in it", () => {
  it("is answered, and not with an error", () => {
    const wrong = tried.flatMap(({ name, body }) => {
      const { outcome, error } = answerTo(Buffer.from(body(BYTES)));
      return outcome === "error" || outcome === "bad request" ? [`${name}: ${outcome} ${String(error)}`] : [];
    });
    assert.deepEqual(wrong, []);
  });

  it("gets an answer in proportion to its size", () => {
    const wrong = tried.flatMap(({ name, body }) => {
      const text = body(BYTES);
      const share = answerTo(Buffer.from(text)).text.length / text.length;
      return share > MOST_ANSWER ? [`${name}: ${share.toFixed(1)} × its request`] : [];
    });
    assert.deepEqual(wrong, []);
  });

  it("costs no more than so many times what parsing it costs, or grows no faster than it", () => {
    // A busy machine makes a run slow and not another one fast: what looks slow is measured again, and growth decides.
    const wrong = tried.flatMap(({ name, body }) => {
      const [once, twice] = [body(BYTES), body(2 * BYTES)];
      const isWithin = (repeats: number) => {
        const { parse, answer } = costOf(twice, repeats);
        return answer <= MOST_TIMES_PARSE * parse + costOf(body(100), repeats).answer;
      };
      if ([1, 3, 9].some(isWithin)) return [];
      const growth = costOf(twice, 9).answer / costOf(once, 9).answer;
      return growth > MOST_GROWTH ? [`${name}: ${growth.toFixed(1)} × for twice the bytes`] : [];
    });
    assert.deepEqual(wrong, []);
  });
});
