/**
 * Hostile pods through the whole admission, in this process: how long the event loop stops at most, and whether memory
 * grows. Seeds and shapes are those of test/hostile.
 *
 *   node bench/hostile.ts [PODS] [SEED]     100,000 pods and seed 1 unless said otherwise
 */
import { growths, together } from "../test/hostile/growth.ts";
import { answerTo, costOf } from "../test/hostile/measure.ts";
import { Random } from "../test/hostile/random.ts";

/** An answer that takes more times what JSON.parse takes is measured again, and reported if it stays so. */
const MOST_TIMES_PARSE = 20;

/** Bytes that are added to a pod: small ones are most of them, as in a cluster. */
const LEAST = 500;
const MOST = 1_000_000;

/** What an answer may cost besides, as a multiple of one to an ordinary configuration of 15 KiB, which is read and written. */
const MOST_TIMES_YAML = 3;

const pods = Number(process.argv[2] ?? 100_000);
const random = new Random(Number(process.argv[3] ?? 1));
const outcomes = new Map<string, number>();
const errors: string[] = [];
const slow: string[] = [];
let longest = { ms: 0, name: "", bytes: 0 };
let largest = { share: 0, name: "" };
let bytes = 0;
const heap: number[] = [];

const ordinary = growths.find(({ name }) => name.includes("proxy.istio.io/config: variables"));
if (ordinary === undefined) throw new Error("no growth of proxy.istio.io/config is called variables");
const fixed = MOST_TIMES_YAML * costOf(ordinary.body(15_000), 20).answer;

const started = performance.now();
for (let pod = 1; pod <= pods; pod++) {
  const growth = random.next() < 0.7 ? random.of(growths) : together(numbers(2 + random.below(2)), random.below(1000));
  const body = Buffer.from(growth.body(Math.round(LEAST * (MOST / LEAST) ** (random.next() ** 2))));
  bytes += body.length;
  const before = performance.now();
  const { text, outcome, error } = answerTo(body);
  const ms = performance.now() - before;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (outcome === "error") errors.push(`${growth.name}: ${String(error)}`);
  if (ms > longest.ms) longest = { ms, name: growth.name, bytes: body.length };
  const share = text.length / body.length;
  if (share > largest.share) largest = { share, name: growth.name };
  if (ms > fixed) again(growth.name, body.toString());
  if (pod % Math.ceil(pods / 10) === 0) heap.push(heapMiB());
}

process.stdout.write(`pods                 ${pods}, ${(bytes / 2 ** 20).toFixed(0)} MiB, ${seconds(started)} s
outcomes             ${[...outcomes].map(([name, count]) => `${name} ${count}`).join(", ")}
longest stop         ${longest.ms.toFixed(0)} ms (${longest.bytes} bytes; ${longest.name.slice(0, 100)})
largest answer       ${largest.share.toFixed(1)} × its request (${largest.name.slice(0, 100)})
heap after each 10%  ${heap.map((mib) => mib.toFixed(0)).join(" ")} MiB
errors               ${errors.length}
slow                 ${slow.length} took more than ${MOST_TIMES_PARSE} × JSON.parse + ${fixed.toFixed(0)} ms (${MOST_TIMES_YAML} ordinary configurations), best of 5
`);
for (const line of [...errors.slice(0, 10), ...slow.slice(0, 20)]) process.stdout.write(`  ${line}\n`);
process.exitCode = errors.length + slow.length > 0 ? 1 : 0;

/** Measures a slow one again: the machine may have been busy. */
function again(name: string, body: string): void {
  const { parse, answer } = costOf(body, 5);
  if (answer <= MOST_TIMES_PARSE * parse + fixed) return;
  slow.push(`${(answer / parse).toFixed(0)} × JSON.parse, ${answer.toFixed(0)} ms: ${name.slice(0, 160)}`);
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, () => random.below(1_000_000));
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
