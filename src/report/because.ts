/**
 * Reasons as people read them: the sentence under a line of a diff, and the arithmetic beside a number of a plan.
 *
 * The values carry their reasons (src/budget/because.ts, src/mutate/why.ts); every sentence about one stands here, once.
 */
import type { Because, Duration } from "../budget/because.ts";
import { LEAST_DRAIN } from "../budget/budget.ts";
import { exactly, termsOf, written } from "../budget/formula.ts";
import { MOST_LEFT_OVER } from "../budget/sidecar.ts";
import type { Purpose, Setting, Why, Whys } from "../mutate/why.ts";
import { formatDuration } from "../units/milliseconds.ts";

/** What a part of a pod is for. */
const purposes: Readonly<Record<Exclude<Purpose, "setting">, string>> = {
  "application after proxy": "the application starts after the proxy",
  "last connection": "the proxy leaves with its last connection",
  stats: "hc counts in-flight requests with these; Istio hides them by default",
  status: "what was written here, for the second call and for you",
  "held until CLOSED": "SIGTERM waits until hc is CLOSED",
  "with the application": "the proxy's drain starts with the application's stop",
  "endpoints leave": "endpoints need a moment to leave",
  steers: "steers the load balancer",
  "webhook's image": "the webhook's --hc-image",
  quota: "within quota",
  restricted: "fits the restricted Pod Security profile",
  readiness: "the pod is Ready while the gateway serves, drain included",
  liveness: "lax: a restart costs requests",
  "grace period": "the pod's grace period",
  "health paths": "hc.healthPaths: what the balancer asks for",
};

/** Why a part of a pod is as it is. */
export function sentenceOf(why: Why): string {
  const text = formatDuration;
  switch (why.tag) {
    case "setting":
      return why.setting === undefined ? "" : settingText(why.setting);
    case "last connection":
      return `${purposes[why.tag]} (${why.setting?.origin})`;
    case "sleeps":
      return withSetting(`SIGTERM waits ${text(why.time)}`, why.setting);
    case "detection time":
      return `time in which the balancer sees the drain answer: ${text(why.time)}`;
    default:
      return why.tag in purposes
        ? withSetting(purposes[why.tag as keyof typeof purposes], (why as { readonly setting?: Setting }).setting)
        : ofNumber(why as Because);
  }
}

function withSetting(purpose: string, setting: Setting | undefined): string {
  return setting === undefined ? purpose : `${purpose}: ${settingText(setting)}`;
}

/** `drainTimeout 36s (GracePolicy shop/default)`, as far as it is known. */
function settingText({ setting, value, origin }: Setting): string {
  const shown = typeof value === "number" ? formatDuration(value) : value;
  return `${setting}${shown === undefined ? "" : ` ${shown}`}${origin === undefined ? "" : ` (${origin})`}`;
}

/** Why a number of the budget is what it is. */
function ofNumber(because: Because): string {
  const text = formatDuration;
  switch (because.tag) {
    case "set":
      return settingText(because);
    case "p99":
      return `requestP99 ${termsOf(exactly(because.formula))} (${because.p99.origin})`;
    case "detection":
      return `${ofNumber(because.p99)}, at least the ${text(because.detection)} in which the balancer sees the drain answer`;
    case "own drain":
      return "the pod's own terminationDrainDuration";
    case "least drain":
      return "the least that a proxy drains for";
    case "left over":
      return `the grace period of ${text(because.grace)} less margin ${text(because.margin.value)} (${because.margin.origin}), ${text(LEAST_DRAIN)} to ${text(MOST_LEFT_OVER)}`;
    case "shortened":
      return `${ofNumber(because.wanted.because)}, shortened to fit ${settingText(because.limit)}`;
    case "drain": {
      const hook = because.hook > 0 ? ` - preStop ${text(because.hook)}` : "";
      const stop = because.appStop > 0 ? `application preStop ${text(because.appStop)} + ` : "";
      const { value, because: drain } = because.drainTimeout;
      return `${stop}drain timeout ${text(value)}${hook}: ${ofNumber(drain)}`;
    }
    case "least minimum":
      return `the proxy's own least drain${because.held ? ", once hc lets it go" : ""} (the budget)`;
    case "outlives":
      return `the proxy outlives the application's preStop of ${text(because.appStop)} (the budget)`;
    case "balancer":
      return `what the balancer needs${because.hook > 0 ? " after the preStop" : ""}: ${termsOf(because.needs)}${because.hook > 0 ? ` - ${text(because.hook)}` : ""} (the budget)`;
    case "accepts":
      return `Envoy must accept connections for longer than its ${text(because.longerThan)} after SIGTERM`;
    case "no hook":
      return "none";
    case "own hook":
      return "the pod's own preStop";
    case "sum":
      return written(because.formula);
    case "users":
      return `${because.origin}; the budget: ${written(because.formula)}`;
    case "limit":
      return `the budget: ${written(because.formula)}`;
    case "checks":
      return `checks: interval × fall + ${text(because.extra)} (${because.origin})`;
    default:
      return because satisfies never;
  }
}

/** How a number of a plan came about, for somebody who gave the settings. */
export function arithmeticOf({ value, because }: Duration): string {
  const text = formatDuration;
  switch (because.tag) {
    case "set":
      return "as set";
    case "p99":
      return `p99 ${written(because.formula)}`;
    case "detection":
      return `max(p99 ${termsOf(exactly(because.p99.formula))}, ${text(because.detection)} until the drain answer is seen)`;
    case "own drain":
    case "left over":
      return "what the grace period leaves";
    case "shortened": {
      const set = because.wanted.because.tag === "set" ? ` ${text(because.wanted.value)}` : "";
      return `${arithmeticOf(because.wanted)}${set}, shortened to fit`;
    }
    case "drain":
      return because.appStop > 0
        ? `${text(because.appStop)} + ${text(because.drainTimeout.value)} = ${text(value)}`
        : "the drain timeout";
    case "least minimum":
      return "the proxy's own least";
    case "outlives":
      return "the application's preStop";
    case "balancer":
      return `what the balancer needs${because.hook > 0 ? " after the preStop" : ""}`;
    case "users":
      return `the pod's own; needed are ${text(because.formula.value)}`;
    case "limit":
      return `the limit; needed were ${text(because.needed)}`;
    case "checks":
      return written(because.formula);
    default:
      return ofNumber(because);
  }
}

/** Reasons by place, as people read them. */
export type Reasons = ReadonlyMap<string, string>;

/** The reasons that mutations gave. */
export function reasonsOf(whys: Whys): Reasons {
  return new Map(whys.map(([place, why]) => [place, sentenceOf(why)]));
}
