/**
 * `gracegate hc`: starts everything, and ends when the proxy is gone after CLOSED or the deadline has come.
 *
 * hc must not die: killed while OPEN it costs the requests of a second, killed while DRAINING it takes the load
 * balancer's view and the proxy's hook with it. So no error ends it, and SIGTERM only starts the drain.
 */
import { writeFileSync } from "node:fs";
import { version } from "../version.ts";
import { type Configuration, configurationOf } from "./configuration.ts";
import { controlServer } from "./control-server.ts";
import { Controller } from "./controller.ts";
import { wasStoppedEarly } from "./early-stop.ts";
import { healthServer } from "./health-server.ts";
import { closeNow, EVERYWHERE, type Listener, listenOn } from "./listen.ts";
import { type Log, startLog } from "./log.ts";
import { LOOPBACK } from "./loopback.ts";
import { Measures } from "./measures.ts";
import { metricsServer } from "./metrics-server.ts";

/**
 * How long the first look at the proxy may take before hc answers, milliseconds. A new pod's proxy refuses at once; only
 * one that is there and slow, beside an hc that was restarted alone, takes longer.
 */
const FIRST_LOOK_MS = 3000;

/** Longest termination message that the kubelet keeps, bytes. */
const MOST_MESSAGE = 4096;

/**
 * Runs hc until its end.
 *
 * @returns the exit code: always 0, since an exit by hc itself is the end of a drain
 */
export async function runHc(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const { configuration, problems } = configurationOf(env);
  const log = startLog(configuration.logLevel, configuration.logFormat, (line) => process.stdout.write(line));
  const statuses = new Set(Object.values(configuration.answers).map(({ lb }) => lb.status));
  const measures = new Measures(statuses);
  const controller = new Controller({ configuration, log, measures, now: () => performance.now() });
  surviveEverything(controller);
  const isStopped = wasStoppedEarly(env);
  process.on("SIGTERM", () => controller.wish("sigterm"));
  log("info", "start", { version, profile: configuration.profile, pid: process.pid });
  for (const problem of problems) controller.findings.add("GG704", { problem });

  // Look first, listen then: an answer of CLOSED from a restarted hc would take an open gateway out of the balancer.
  await controller.look(FIRST_LOOK_MS);
  if (isStopped) controller.wish("sigterm");
  const listening = new AbortController();
  const servers = startServers(controller, measures, configuration, log, listening.signal);
  await controller.run();
  writeTerminationMessage(configuration.terminationMessage, controller, log);
  listening.abort();
  for (const server of servers) closeNow(server);
  return 0;
}

function startServers(
  controller: Controller,
  measures: Measures,
  configuration: Configuration,
  log: Log,
  signal: AbortSignal,
): readonly Listener[] {
  const health = healthServer({
    healthPaths: configuration.healthPaths,
    held: controller.held,
    answers: () => controller.answers(),
    answered: (status) => controller.answered(status),
  });
  const metrics = metricsServer(() => measures.families(controller.moment()));
  const controls = LOOPBACK.map((address) => ({ address, server: controlServer(controller) }));
  const listen = (server: Listener, addresses: readonly string[], port: number) => {
    listenOn(server, addresses, port, log, signal).catch((error) => controller.survive("listen", error));
  };
  // Health first: the load balancer waits for it.
  listen(health, EVERYWHERE, configuration.healthPort);
  for (const { address, server } of controls) listen(server, [address], configuration.controlPort);
  listen(metrics, EVERYWHERE, configuration.metricsPort);
  return [health, metrics, ...controls.map(({ server }) => server)];
}

function surviveEverything(controller: Controller): void {
  process.on("uncaughtException", (error) => controller.survive("uncaught exception", error));
  process.on("unhandledRejection", (reason) => controller.survive("unhandled rejection", reason));
  // Whoever reads the log may go away (EPIPE); the data path must not care.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
}

/** One line of JSON that `kubectl describe pod` shows; a file that cannot be written is no reason to fail. */
function writeTerminationMessage(file: string, controller: Controller, log: Log): void {
  const summary = controller.summary();
  log("info", "end", summary);
  try {
    writeFileSync(file, `${JSON.stringify(summary)}\n`.slice(0, MOST_MESSAGE));
  } catch (error) {
    log("warn", "termination-message-failed", { file, reason: String(error) });
  }
}
