/**
 * `gracegate probe` counts lost requests through whatever it is told to survive; `gracegate probe-target` is a tiny
 * application to probe, where there is none.
 */
import { Argument } from "commander";
import { command } from "./kit/command.ts";
import { flag, repeated, toggle, type Values } from "./kit/flag.ts";
import { certificateText, format, matching, share, text, time, whole, writableFile } from "./kit/read.ts";

/** The flags of `gracegate probe`. */
export const probeFlags = {
  trigger: flag("--trigger <command>", "shell command that does what is to be survived", text),
  triggerAt: flag("--trigger-at <time>", "when it runs; a loss before it voids the run", time, "5s"),
  watchResets: toggle("--watch-resets", "long: say what the balancer does when a backend goes DOWN"),
  seconds: flag("--seconds <time>", "length of a long request", time, "20s"),
  chunks: flag("--chunks <number>", "stream: chunks, one a second", whole(1), "60"),
  count: flag("--count <number>", "long, stream: requests at once per target", whole(1), "1"),
  rate: flag("--rate <number>", "load: requests started per second; tcp: connections", whole(1), "100"),
  duration: flag("--duration <time>", "load, tcp: how long", time, "30s"),
  connections: flag("--connections <number>", "load: kept per target; tcp: held over all targets", whole(1), "8"),
  oneShot: flag("--one-shot <share>", "load: share of requests on a new connection", share, "0.5"),
  longShare: flag("--long-share <share>", "load: share of long requests (0.02, or 0 with a path)", share),
  longPath: flag(
    "--long-path <path>",
    "load: their path (/sleep?seconds=SECONDS)",
    matching(
      /^\/[!-~]*$/,
      (typed, name) => `${name} ${JSON.stringify(typed)} is not a path; it begins with / and has no spaces.`,
    ),
  ),
  mostInFlight: flag("--most-in-flight <number>", "load: send no more while so many are in flight", whole(1), "10000"),
  interval: flag("--interval <time>", "tcp, --watch-resets: between lines or short requests", time, "1s"),
  echo: toggle("--no-echo", "tcp: the target does not send back what it gets"),
  http2: toggle("--http2", "HTTP/2, without TLS by prior knowledge"),
  header: repeated("--header <line>", 'request header "name: value", repeatable'),
  backendHeader: flag("--backend-header <name>", "answer header that names the backend", text, "x-probe-target"),
  ca: flag("--ca <file>", "PEM of the authority to trust", certificateText),
  insecure: toggle("--insecure", "take any certificate"),
  timeout: flag("--timeout <time>", "longest time of one request (length + 30s; tcp: 3 intervals)", time),
  haproxyStats: flag("--haproxy-stats <where>", "URL that ends in ;csv, or socket, to read retries from", text),
  maxLost: flag("--max-lost <number>", "most lost requests to pass (0 of what no --max covers)", whole(0)),
  max5xx: flag("--max-5xx <number>", "most 5xx to pass", whole(0)),
  maxConnectionErrors: flag("--max-connection-errors <number>", "most losses below HTTP to pass", whole(0)),
  svg: flag("--svg <file>", "write a plot of outcomes over time", writableFile),
  output: flag("-o, --output <format>", "table or json", format("table", "json"), "table"),
};

/** What they say. */
export type ProbeValues = Values<typeof probeFlags>;

/** `gracegate probe`. */
export const probe = command({
  name: "probe",
  summary: "counts lost requests while pods or balancers change",
  description: "count lost requests while pods or balancers change",
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
  args: [
    new Argument("<scenario>", "long, load, stream or tcp"),
    new Argument("<target...>", "http://host:port[/path], https://…, tcp://host:port or ws://…"),
  ],
  flags: probeFlags,
  load: () => import("./probe-run.ts"),
});

/** The flags of `gracegate probe-target`. */
export const probeTargetFlags = {
  host: flag("--host <address>", "address to listen on", text, "0.0.0.0"),
  port: flag("--port <number>", "port of HTTP; 0 takes a free one", whole(0, 65_535), "8080"),
  tcpPort: flag("--tcp-port <number>", "port of the TCP echo; 0 takes a free one (none)", whole(0, 65_535)),
  name: flag("--name <name>", "name in x-probe-target (the host name)", text),
  http2: toggle("--http2", "HTTP/2 without TLS, by prior knowledge"),
  cert: flag("--cert <file>", "PEM certificate: HTTPS, HTTP/2 and HTTP/1.1", text),
  key: flag("--key <file>", "PEM key of the certificate", text),
  grace: flag("--grace <time>", "time in-flight requests have after SIGTERM", time, "10s"),
};

/** What they say. */
export type ProbeTargetValues = Values<typeof probeTargetFlags>;

/** `gracegate probe-target`. */
export const probeTarget = command({
  name: "probe-target",
  summary: "a tiny application to probe: /sleep, /stream, /ws, TCP echo",
  examples: [
    "gracegate probe-target --port 8080 --tcp-port 9000",
    "gracegate probe-target --http2 --name a   # h2c, named a in x-probe-target",
    "curl 'http://127.0.0.1:8080/sleep?seconds=5'",
    "curl -N 'http://127.0.0.1:8080/stream?chunks=10&interval=1'",
    "curl http://127.0.0.1:8080/counts",
  ],
  flags: probeTargetFlags,
  load: () => import("./probe-target-run.ts"),
});
