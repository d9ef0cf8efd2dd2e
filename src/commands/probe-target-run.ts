/**
 * What `gracegate probe-target` does: serves until a signal comes, then tells what it has seen.
 */
import { once } from "node:events";
import { hostname } from "node:os";
import { startApplication } from "../probe/application/application.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { interruption } from "./kit/interruption.ts";
import { fileText, type Read, type Refusal, refused, value } from "./kit/read.ts";
import { printJson, say } from "./kit/say.ts";
import type { ProbeTargetValues } from "./probe.ts";

/** Runs the command. */
export async function run({ cert, key, grace, ...options }: ProbeTargetValues): Promise<ExitCode | Refusal> {
  if ((cert === undefined) !== (key === undefined)) return refused("--cert and --key go together.");
  const tls = cert === undefined || key === undefined ? value(undefined) : tlsOf(cert, key);
  if (!tls.ok) return tls;
  const { host, name = hostname() } = options;
  using interrupted = interruption();
  const application = await startApplication({ ...options, name, tls: tls.value });
  say(`listening on ${tls.value === undefined ? "http" : "https"}://${host}:${application.port}`);
  if (application.tcpPort !== undefined) say(`echoing on tcp://${host}:${application.tcpPort}`);
  if (!interrupted.signal.aborted) await once(interrupted.signal, "abort");
  say(`stopping: ${application.seen.inFlight} requests in flight have ${grace} s`);
  await application.stop(grace * 1000);
  printJson(application.seen);
  return exitCode.ok;
}

function tlsOf(certFile: string, keyFile: string): Read<{ readonly cert: string; readonly key: string }> {
  const cert = fileText(certFile, "--cert");
  if (!cert.ok) return cert;
  const key = fileText(keyFile, "--key");
  return key.ok ? value({ cert: cert.value, key: key.value }) : key;
}
