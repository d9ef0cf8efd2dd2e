/**
 * `gracegate probe-target`: a tiny application to probe, where there is none.
 */
import { hostname } from "node:os";
import { startApplication } from "../probe/application/application.ts";
import { type CommandDefinition, exitCode, print, say, WrongUse } from "./command.ts";
import { interruption } from "./interruption.ts";
import { duration, fileOf, whole } from "./probe-options.ts";

/** The command. */
export const probeTarget: CommandDefinition = {
  name: "probe-target",
  summary: "a tiny application to probe: /sleep, /stream, /ws, TCP echo",
  examples: [
    "gracegate probe-target --port 8080 --tcp-port 9000",
    "gracegate probe-target --http2 --name a   # h2c, named a in x-probe-target",
    "curl 'http://127.0.0.1:8080/sleep?seconds=5'",
    "curl -N 'http://127.0.0.1:8080/stream?chunks=10&interval=1'",
    "curl http://127.0.0.1:8080/counts",
  ],
  configure(cli) {
    cli
      .option("--host <address>", "address to listen on", "0.0.0.0")
      .option("--port <number>", "port of HTTP; 0 takes a free one", "8080")
      .option("--tcp-port <number>", "port of the TCP echo; 0 takes a free one (none)")
      .option("--name <name>", "name in x-probe-target (the host name)")
      .option("--http2", "HTTP/2 without TLS, by prior knowledge")
      .option("--cert <file>", "PEM certificate: HTTPS, HTTP/2 and HTTP/1.1")
      .option("--key <file>", "PEM key of the certificate")
      .option("--grace <time>", "time in-flight requests have after SIGTERM", "10s");
  },
  async run(options) {
    if ((options.cert === undefined) !== (options.key === undefined)) {
      throw new WrongUse("--cert and --key go together.");
    }
    const port = whole(options, "port", 0, 65_535);
    const tcpPort = options.tcpPort === undefined ? undefined : whole(options, "tcpPort", 0, 65_535);
    const graceMs = duration(options, "grace") * 1000;
    const tls =
      options.cert === undefined
        ? undefined
        : { cert: fileOf("--cert", String(options.cert)), key: fileOf("--key", String(options.key)) };
    const host = String(options.host);
    using interrupted = interruption();
    const application = await startApplication({
      host,
      port,
      tcpPort,
      name: options.name === undefined ? hostname() : String(options.name),
      http2: options.http2 === true,
      tls,
    });
    const scheme = tls === undefined ? "http" : "https";
    say(`listening on ${scheme}://${host}:${application.port}`);
    if (application.tcpPort !== undefined) say(`echoing on tcp://${host}:${application.tcpPort}`);
    await new Promise<void>((resolve) => {
      interrupted.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    say(`stopping: ${application.seen.inFlight} requests in flight have ${graceMs / 1000} s`);
    await application.stop(graceMs);
    print(JSON.stringify(application.seen, undefined, 2));
    return exitCode.ok;
  },
};
