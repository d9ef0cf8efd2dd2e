/**
 * The list of subcommands. A command's module is loaded only when that command runs, so that `gracegate hc` never loads
 * express and `--help` stays quick.
 */
import type { CommandDefinition } from "./command.ts";

/** A subcommand that is loaded when it is called. */
export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandDefinition>;
}

/** All subcommands, in the order of the help. */
export const commands: readonly ListedCommand[] = [
  {
    name: "webhook",
    summary: "the HTTPS admission server",
    load: async () => (await import("./webhook.ts")).webhook,
  },
  {
    name: "hc",
    summary: "the health controller that steers the load balancer",
    load: async () => (await import("./hc.ts")).hc,
  },
  {
    name: "drain",
    summary: "drains this gateway through hc and waits until it is CLOSED",
    load: async () => (await import("./drain.ts")).drain,
  },
  {
    name: "hc-ctl",
    summary: "the operator's commands to hc: status, close-lb, close, reopen",
    load: async () => (await import("./hc-ctl.ts")).hcCtl,
  },
  {
    name: "probe",
    summary: "counts lost requests while pods or balancers change",
    load: async () => (await import("./probe.ts")).probe,
  },
  {
    name: "probe-target",
    summary: "a tiny application to probe: /sleep, /stream, /ws, TCP echo",
    load: async () => (await import("./probe-target.ts")).probeTarget,
  },
  {
    name: "certs",
    summary: "makes a development CA and serving certificate",
    load: async () => (await import("./certs.ts")).certs,
  },
];
