/**
 * The commands of a gateway pod: hc, and the two that talk to it through its control port on loopback.
 */
import { Argument } from "commander";
import { command } from "./kit/command.ts";
import { flag, toggle, type Values } from "./kit/flag.ts";
import { port, text } from "./kit/read.ts";

/** The port is in the environment that the webhook gave to hc. */
const controlPort = flag(
  "--port <port>",
  "hc's control port on loopback",
  port(1, (typed, name) => `${name}: ${typed} is not a port; write a number from 1 to 65535.`),
  "18181",
  { env: "CONTROL_PORT" },
);

/** `gracegate hc`; without any other word, main.ts runs it before the command line is loaded. */
export const hc = command({
  name: "hc",
  summary: "the health controller that steers the load balancer",
  help: {
    before:
      "Configured by environment variables; docs/hc.md lists them.\nSIGTERM starts the drain and does not end it.\n",
  },
  examples: [
    "gracegate hc",
    "DRAIN_TIMEOUT=36s LB_BUFFER=9s LB_PROFILE=haproxy gracegate hc",
    "curl -i localhost:18180/health_check.html",
  ],
  flags: {},
  load: () => import("./hc-run.ts"),
});

/** The flags of `gracegate drain`. */
export const drainFlags = { port: controlPort, wait: toggle("--no-wait", "start the drain and return at once") };

/** What they say. */
export type DrainValues = Values<typeof drainFlags>;

/** `gracegate drain`. */
export const drain = command({
  name: "drain",
  summary: "drains this gateway through hc and waits until it is CLOSED",
  examples: [
    "gracegate drain",
    "gracegate drain --no-wait",
    "kubectl exec deploy/istio-ingressgateway -c hc -- gracegate drain",
  ],
  flags: drainFlags,
  load: () => import("./drain-run.ts"),
});

/** What an operator may ask of hc, and what each does. */
const ACTIONS: Readonly<Record<string, string>> = {
  status: "shows the state, what is in flight and what a drain waits for",
  "close-lb": "gives the balancer the close answer at once, whatever is in flight",
  close: "goes to CLOSED at once",
  reopen: "takes a drain back",
};

/** The flags of `gracegate hc-ctl`. */
export const hcCtlFlags = {
  port: controlPort,
  output: flag("-o, --output <format>", "how the answer is written", text, "text", { choices: ["text", "json"] }),
};

/** What they say. */
export type HcCtlValues = Values<typeof hcCtlFlags>;

/** `gracegate hc-ctl`. */
export const hcCtl = command({
  name: "hc-ctl",
  summary: "the operator's commands to hc: status, close-lb, close, reopen",
  help: {
    after: `\nActions:\n${Object.entries(ACTIONS)
      .map(([name, what]) => `  ${name.padEnd(9)} ${what}`)
      .join("\n")}`,
  },
  examples: [
    "gracegate hc-ctl status",
    "gracegate hc-ctl status -o json",
    "kubectl exec deploy/istio-ingressgateway -c hc -- gracegate hc-ctl reopen",
  ],
  args: [new Argument("<action>", "what hc should do").choices(Object.keys(ACTIONS))],
  flags: hcCtlFlags,
  load: () => import("./hc-ctl-run.ts"),
});
