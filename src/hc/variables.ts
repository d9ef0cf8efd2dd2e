/**
 * The environment of hc: every variable, what it holds, and what counts without it. docs/hc.md has this table, and a
 * test compares the two.
 *
 * The webhook sets nearly all of them (src/mutate/hc-spec.ts). DRAIN_TIMEOUT, LB_BUFFER and POLL_INTERVAL are the
 * runbook's names.
 */

/** How a value is read. */
export type VariableKind = "duration" | "port" | "flag" | "choice" | "paths" | "answers" | "text";

/** One variable. */
export interface Variable {
  readonly kind: VariableKind;
  /** The text that counts if the variable is not set, or cannot be read. */
  readonly default: string;
  /** What it is, for the documentation. */
  readonly doc: string;
}

/** All variables. Durations are seconds, or have a unit; fractions of a second are fine. */
export const variables = {
  DRAIN_TIMEOUT: { kind: "duration", default: "36s", doc: "Longest time that a drain waits for what is in flight." },
  LB_BUFFER: { kind: "duration", default: "9s", doc: "Time that the load balancer needs to notice the close answer." },
  POLL_INTERVAL: {
    kind: "duration",
    default: "1s",
    doc: "Time between two looks at Envoy's stats while draining; while OPEN they are five times as rare.",
  },
  GRACE_PERIOD: {
    kind: "duration",
    default: "75s",
    doc: "The pod's terminationGracePeriodSeconds: the deadline is 2 s before its end.",
  },
  MINIMUM_DRAIN_DURATION: {
    kind: "duration",
    default: "5s",
    doc: "The proxy's own minimum drain, for which it stays after it was told to stop.",
  },
  LB_PROFILE: { kind: "choice", default: "generic", doc: "Which answers the load balancer understands." },
  LB_ANSWERS: {
    kind: "answers",
    default: "{}",
    doc: 'Answers that replace the profile\'s, as JSON: `{"draining": {"status": 404, "body": "…"}}`.',
  },
  LB_DETECTION: {
    kind: "duration",
    default: "",
    doc: "Time until the load balancer acts on the drain answer; the profile's unless set.",
  },
  HEALTH_PATHS: {
    kind: "paths",
    default: "/health_check.html",
    doc: "Paths that the load balancer checks, parted by commas. `/` is always one of them.",
  },
  HEALTH_PORT: { kind: "port", default: "18180", doc: "Port of the health answers, on all addresses." },
  CONTROL_PORT: { kind: "port", default: "18181", doc: "Port of the operator's commands, on loopback only." },
  METRICS_PORT: { kind: "port", default: "18182", doc: "Port of `/metrics`, on all addresses." },
  HOOK_TOKEN: {
    kind: "text",
    default: "",
    doc: "What the kubelet's `/drained` carries in the header `Gracegate-Hook`, so that it has a place of its own among those that wait.",
  },
  ENVOY_ADMIN_PORT: { kind: "port", default: "15000", doc: "Envoy's admin port (`proxyAdminPort`)." },
  AGENT_STATUS_PORT: { kind: "port", default: "15020", doc: "The agent's port (`statusPort`)." },
  PROXY_READY_PORT: { kind: "port", default: "15021", doc: "The port of the proxy's readiness check." },
  RETIRE_CONNECTIONS: {
    kind: "flag",
    default: "true",
    doc: "Whether Envoy answers with `Connection: close` and GOAWAY while draining.",
  },
  DRAIN_GATE: {
    kind: "choice",
    default: "downstream",
    doc: "What a drain waits for: `downstream`, or `both`, which counts requests to services of the mesh as well.",
  },
  LOG_LEVEL: { kind: "choice", default: "info", doc: "`debug`, `info`, `warn` or `error`; transitions are `info`." },
  LOG_FORMAT: { kind: "choice", default: "text", doc: "`text`, or `json`." },
  TERMINATION_MESSAGE: {
    kind: "text",
    default: "/dev/termination-log",
    doc: "File that gets the one-line summary of the drain at the end.",
  },
} as const satisfies Record<string, Variable>;

/** The name of a variable. */
export type VariableName = keyof typeof variables;
