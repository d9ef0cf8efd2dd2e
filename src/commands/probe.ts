/**
 * `gracegate probe`: counts lost requests through whatever it is told to survive.
 */
import { writeFileSync } from "node:fs";
import { toJson } from "../probe/json.ts";
import { keepSmall } from "../probe/memory.ts";
import { plot } from "../probe/plot.ts";
import { type ProgressLine, progressLine } from "../probe/progress.ts";
import { type Report, run } from "../probe/run.ts";
import { table } from "../probe/table.ts";
import { verdictOf } from "../probe/verdict.ts";
import { type CommandDefinition, colour, type ExitCode, exitCode, print, say, WrongUse } from "./command.ts";
import { interruption } from "./interruption.ts";
import { specOf, thresholdsOf, writableFile } from "./probe-options.ts";

/** The command. */
export const probe: CommandDefinition = {
  name: "probe",
  summary: "count lost requests while pods or balancers change",
  examples: [
    "# S1: does one request of 20 s survive the deletion of its pod?",
    "gracegate probe long http://shop.example --seconds 20s \\",
    '  --trigger "kubectl delete pod gw-0 --wait=false"',
    "# S3: a rollout under load, for CI, with a plot",
    "gracegate probe load http://shop.example --rate 200 --duration 90s \\",
    '  --trigger "kubectl rollout restart deploy/gw" --max-lost 0 --svg s3.svg',
    "# S4: 60 chunks, one a second",
    "gracegate probe stream https://shop.example --chunks 60",
    "gracegate probe tcp tcp://db.example:5432 --connections 100 --no-echo",
    "gracegate probe tcp wss://chat.example/ws --connections 100 --duration 2m",
    "# what does the balancer do with sessions when a backend goes DOWN?",
    "gracegate probe long http://lb.example --watch-resets --count 4 --seconds 60s",
  ],
  configure(cli) {
    cli
      .argument("<scenario>", "long, load, stream or tcp")
      .argument("<target...>", "http://host:port[/path], https://…, tcp://host:port or ws://…")
      .option("--trigger <command>", "shell command that does what is to be survived")
      .option("--trigger-at <time>", "when it runs; a loss before it voids the run", "5s")
      .option("--watch-resets", "long: say what the balancer does when a backend goes DOWN")
      .option("--seconds <time>", "length of a long request", "20s")
      .option("--chunks <number>", "stream: chunks, one a second", "60")
      .option("--count <number>", "long, stream: requests at once per target", "1")
      .option("--rate <number>", "load: requests started per second; tcp: connections", "100")
      .option("--duration <time>", "load, tcp: how long", "30s")
      .option("--connections <number>", "load: kept per target; tcp: held over all targets", "8")
      .option("--one-shot <share>", "load: share of requests on a new connection", "0.5")
      .option("--long-share <share>", "load: share of long requests (0.02, or 0 with a path)")
      .option("--long-path <path>", "load: their path (/sleep?seconds=SECONDS)")
      .option("--most-in-flight <number>", "load: send no more while so many are in flight", "10000")
      .option("--interval <time>", "tcp, --watch-resets: between lines or short requests", "1s")
      .option("--no-echo", "tcp: the target does not send back what it gets")
      .option("--http2", "HTTP/2, without TLS by prior knowledge")
      .option("--header <line>", 'request header "name: value", repeatable', collect, [])
      .option("--backend-header <name>", "answer header that names the backend", "x-probe-target")
      .option("--ca <file>", "PEM of the authority to trust")
      .option("--insecure", "take any certificate")
      .option("--timeout <time>", "longest time of one request (length + 30s; tcp: 3 intervals)")
      .option("--haproxy-stats <where>", "URL that ends in ;csv, or socket, to read retries from")
      .option("--max-lost <number>", "most lost requests to pass (0 of what no --max covers)")
      .option("--max-5xx <number>", "most 5xx to pass")
      .option("--max-connection-errors <number>", "most losses below HTTP to pass")
      .option("--svg <file>", "write a plot of outcomes over time")
      .option("-o, --output <format>", "table or json", "table");
  },
  async run(options, args) {
    const thresholds = thresholdsOf(options);
    const spec = specOf(options, args);
    if (options.output !== "table" && options.output !== "json") {
      throw new WrongUse(`-o ${options.output} is not a format; there are table and json.`);
    }
    const svg = options.svg === undefined ? undefined : writableFile("--svg", String(options.svg));
    keepSmall();
    using interrupted = interruption();
    let line: ProgressLine | undefined;
    const listener = {
      say: (text: string) => (line ? line.say(text) : say(text)),
      began: (recorder: Parameters<typeof progressLine>[1]) => {
        line = progressLine(process.stderr, recorder);
        if (spec.trigger !== undefined && spec.trigger.command === undefined) {
          line.say(`Disable one backend at the balancer ${spec.trigger.atMs / 1000} s from now, and leave it running.`);
        }
      },
    };
    let report: Report;
    try {
      report = await run(spec, listener, interrupted.signal);
    } finally {
      line?.stop();
    }
    const verdict = verdictOf(report, thresholds);
    print(
      options.output === "json"
        ? JSON.stringify(toJson(report, verdict), undefined, 2)
        : table(report, verdict, (style, text) => colour(style, text, process.stdout)),
    );
    if (svg !== undefined) writeFileSync(svg, plot(report));
    return verdict.isVoid.length + verdict.broken.length === 0 ? exitCode.ok : failed(options, verdict);
  },
};

/** With JSON on stdout, a person still gets the reasons. */
function failed(options: Readonly<Record<string, unknown>>, verdict: ReturnType<typeof verdictOf>): ExitCode {
  if (options.output === "json") {
    for (const reason of verdict.isVoid) say(`void: ${reason}`);
    for (const reason of verdict.broken) say(`failed: ${reason}`);
  }
  return exitCode.failed;
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
