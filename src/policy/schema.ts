/**
 * The schema of GracePolicy, the only source of its types, its validation, the CRD, the overrides and the tables in docs.
 *
 * Every field is optional: one that no level sets has its built-in value (`orElse`). The gateway's are the runbook's
 * example: p99 30 s, an LB that checks every 2 s and lets a backend fall after 2 failures, which gives 36 / 9 / 36 / 75 s; the
 * LB's interval and fall come from its profile. A sidecar has no drain timeout of its own: it takes what the grace leaves.
 */
import { LB_PROFILES } from "../balancers/profiles.ts";
import { hc } from "./hc-schema.ts";
import { choice, duration, flag, integer, list, object, orElse, text, type Value } from "./schema-builder.ts";
import { selector } from "./selector-schema.ts";

/** API group and version of GracePolicy. */
export const API_VERSION = "gracegate.dev/v1alpha1";

/** Kind of the policy object. */
export const KIND = "GracePolicy";

/**
 * Fields of `gateway` that only the cluster's owner sets unless he delegates them: each runs code with what the pod may, or
 * reads Secrets of its namespace.
 */
export const DELEGABLE = ["hc.image", "hc.imagePullSecrets", "hc.securityContext", "hc.extraEnv"] as const;

/** A field of `gateway` that can be delegated. */
export type DelegableField = (typeof DELEGABLE)[number];

const answer = (description: string) =>
  object(description, {
    status: integer("HTTP status of the answer.", 200, 599),
    body: text("Body of the answer; string monitors match on it.", { maxLength: 256 }),
  });

const loadBalancer = object("How the load balancer in front of the gateway checks it.", {
  profile: orElse(
    "generic",
    choice("Kind of load balancer: which answers it understands. See docs/lb-profiles.md.", LB_PROFILES),
  ),
  checkInterval: duration("Time between two health checks; the profile's unless set.", {
    moreThanNothing: "a check needs a pause",
  }),
  checkFall: integer("Failed checks in a row after which a backend is DOWN; the profile's unless set.", 1, 100),
  checkRise: orElse(2, integer("Good checks in a row after which a backend is UP again.", 1, 100)),
  checkTimeout: orElse("1s", duration("Time that a check waits for its answer.")),
  buffer: duration(
    "LB buffer: time that the load balancer needs to notice the closing answer. checkInterval × checkFall + 5 s unless set.",
  ),
  answers: object("Answers that replace the profile's, by hc's state.", {
    open: answer("While traffic is welcome."),
    draining: answer("While existing requests finish: the drain answer."),
    closing: answer("While the load balancer takes the backend down: the close answer."),
    closed: answer("After that."),
    fault: answer("When something went wrong."),
  }),
});

const statsMatcher = object(
  "Entries of the mesh-wide proxyStatsMatcher that must survive, since Istio replaces that matcher wholesale.",
  {
    inclusionPrefixes: list("Prefixes of stats to keep.", text("A prefix.")),
    inclusionSuffixes: list("Suffixes of stats to keep.", text("A suffix.")),
    inclusionRegexps: list("Regular expressions of stats to keep.", text("An RE2 expression.", { maxLength: 1024 })),
  },
);

const shared = {
  requestP99: duration("99th percentile of the request duration; the drain timeout is 1.2 times as long."),
  drainTimeout: duration("Longest wait for in-flight requests; wins over requestP99 of the same level."),
  terminationDrainDuration: duration("Istio's terminationDrainDuration; computed unless set."),
  minimumDrainDuration: duration("Istio's MINIMUM_DRAIN_DURATION; computed unless set."),
  exitOnZeroActiveConnections: flag(
    "Istio's EXIT_ON_ZERO_ACTIVE_CONNECTIONS: the proxy leaves when its last connection does.",
  ),
  holdApplicationUntilProxyStarts: orElse(
    true,
    flag("Istio's holdApplicationUntilProxyStarts; never written on pods that are not restarted (Jobs)."),
  ),
  maxGracePeriod: orElse("600s", duration("The grace period is never raised above this.")),
};

const margin = duration("Time between the end of the drain and the end of the grace period.");

/** The spec of a GracePolicy. */
export const policySpec = object(
  "How pods of this namespace start and stop.",
  {
    selector,
    mode: orElse(
      "Enforce",
      choice("Enforce changes pods; Observe only writes the status annotation and warnings; Disabled does nothing.", [
        "Enforce",
        "Observe",
        "Disabled",
      ]),
    ),
    invalid: orElse(
      "Warn",
      choice("What a gracegate.dev annotation that does not parse does: Warn, or Deny the pod.", ["Warn", "Deny"]),
    ),
    delegate: list(
      "Which of these fields other namespaces may set, by their policies or by annotations of pods; only in Gracegate's own namespace, and not beside a selector. None unless set.",
      choice("A field of gateway.", DELEGABLE),
      DELEGABLE.length,
    ),
    gateway: object("Gateways: pods whose istio-proxy runs `proxy router`.", {
      ...shared,
      requestP99: orElse("30s", shared.requestP99),
      exitOnZeroActiveConnections: orElse(true, shared.exitOnZeroActiveConnections),
      loadBalancer,
      proxyStop: orElse(
        "Hold",
        choice("The preStop hook of istio-proxy: wait for hc, sleep, start the proxy's own drain at once, or none.", [
          "Hold",
          "Sleep",
          "Sigterm",
          "None",
        ]),
      ),
      retireConnections: orElse(
        true,
        flag("Whether hc makes Envoy answer with Connection: close and GOAWAY while draining."),
      ),
      proxyStatsMatcher: statsMatcher,
      margin: orElse("30s", margin),
      hc,
    }),
    sidecar: object("Sidecars: pods whose istio-proxy runs beside an application.", {
      ...shared,
      proxyStop: choice(
        "The preStop hook of a classic istio-proxy: start the proxy's own drain at once, sleep, or none.",
        ["Sigterm", "Sleep", "None"],
      ),
      margin: orElse("5s", margin),
      applicationPreStopSleep: orElse(
        "0s",
        duration(
          "A native sleep hook for application containers without a preStop, while endpoints are removed; none unless set.",
        ),
      ),
    }),
  },
  [],
  [
    {
      cel: "!has(self.delegate) || !has(self.selector)",
      message: "stands beside a selector, and labels are the pod's author's to choose",
      fieldPath: ".delegate",
      isBroken: (spec) => spec.delegate !== undefined && spec.selector !== undefined,
    },
  ],
);

/** A GracePolicy's spec after normalising: durations in milliseconds. */
export type PolicySpec = Value<typeof policySpec>;

/** The gateway part of a policy. */
export type GatewaySpec = NonNullable<PolicySpec["gateway"]>;

/** The sidecar part of a policy. */
export type SidecarSpec = NonNullable<PolicySpec["sidecar"]>;

/** The hc part of a gateway's policy. */
export type HcSpec = NonNullable<GatewaySpec["hc"]>;

/** Stats to keep, as in Istio's proxyStatsMatcher. */
export type StatsMatcher = NonNullable<GatewaySpec["proxyStatsMatcher"]>;

/** States of hc for which a policy may give an answer. */
export type LbAnswers = NonNullable<NonNullable<GatewaySpec["loadBalancer"]>["answers"]>;
