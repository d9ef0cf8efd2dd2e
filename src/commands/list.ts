/**
 * The list of subcommands. It has their declarations; what a command does is loaded when it runs, so that the help stays
 * quick and none loads what another one needs.
 */
import { certs } from "./certs.ts";
import { drain, hc, hcCtl } from "./hc.ts";
import type { RunnableCommand } from "./kit/command.ts";
import { check, explain, inject } from "./manifests.ts";
import { plan } from "./plan.ts";
import { probe, probeTarget } from "./probe.ts";
import { webhook } from "./webhook.ts";

/** All subcommands, in the order of the help. */
export const commands: readonly RunnableCommand[] = [
  webhook,
  hc,
  drain,
  hcCtl,
  inject,
  plan,
  explain,
  check,
  probe,
  probeTarget,
  certs,
];
