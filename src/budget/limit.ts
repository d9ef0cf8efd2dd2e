/**
 * The limit of a pod's grace period: what it lets a budget have, and what is told where that is less than was wanted.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { Sourced } from "../policy/layers.ts";
import { formatDuration, inSeconds, type Milliseconds, ms, seconds } from "../units/milliseconds.ts";
import type { Duration, Said } from "./because.ts";
import { type Formula, written } from "./formula.ts";
import { shrinkToFit } from "./shrink.ts";

/** Least margin that a limit can shrink a margin to. */
export const LEAST_MARGIN: Milliseconds = seconds(3);

/** The grace period that a pod may get at most, and the one that it has. */
export interface GraceBounds {
  /** The pod's own grace period, or the wish of an override. */
  readonly users: Pick<Sourced<Milliseconds>, "value" | "origin">;
  readonly max: Sourced<Milliseconds>;
}

/** The limit: a maximum never lowers what the user has. */
export function limitOf({ users, max }: GraceBounds): Said & { readonly value: Milliseconds } {
  return users.value > max.value ? { setting: "gracePeriod", ...users } : { setting: "maxGracePeriod", ...max };
}

/** The grace period that a pod gets: only ever raised, and not above the limit. */
export function boundedGrace(fitted: Formula, needs: Milliseconds, { users, max }: GraceBounds): Duration {
  const value = Math.max(users.value, Math.min(fitted.value, max.value)) as Milliseconds;
  if (value === needs) return { value, because: { tag: "sum", formula: fitted } };
  if (value > needs) return { value, because: { tag: "users", formula: fitted, origin: users.origin } };
  return { value, because: { tag: "limit", formula: fitted, needed: needs } };
}

/** What the limit is laid on. */
interface Limited {
  readonly drainTimeout: Duration;
  readonly lbBuffer: Duration;
  readonly margin: Milliseconds;
  readonly formula: Formula;
}

/** What a budget asks for, and how little of it would do. */
interface Asked {
  readonly drainTimeout: Duration;
  readonly leastDrainTimeout: Milliseconds;
  readonly margin: Milliseconds;
  readonly leastMargin: Milliseconds;
  readonly grace: GraceBounds;
}

/**
 * Lays the limit on a budget that needs more.
 *
 * @param compute the budget for one drain timeout and margin
 */
export function fitted<Computed extends Limited>(
  whole: Computed,
  asked: Asked,
  compute: (drainTimeout: Duration, margin: Milliseconds) => Computed,
): { readonly computed: Computed; readonly notices: readonly Notice[] } {
  const limit = limitOf(asked.grace);
  if (whole.formula.value <= limit.value) return { computed: whole, notices: [] };
  const wanted = asked.drainTimeout;
  const shrunk = shrinkToFit(
    { ...asked, drainTimeout: wanted.value },
    limit.value,
    (value, margin) => compute({ ...wanted, value }, margin).formula.value,
  );
  const drainTimeout: Duration =
    shrunk.drainTimeout === wanted.value
      ? wanted
      : { value: shrunk.drainTimeout, because: { tag: "shortened", wanted, limit } };
  const computed = compute(drainTimeout, shrunk.margin);
  return { computed, notices: [tooSmall(limit.value, whole, computed), ...milliseconds(wanted, limit.value)] };
}

/** Round numbers of milliseconds, such as 2500 or 20000, are none of minutes: 1800, 3600. */
const ROUND: Milliseconds = seconds(500);

/** A request longer than any pod may live, in a number that is round as milliseconds and not as minutes. */
function milliseconds({ because }: Duration, limit: Milliseconds): readonly Notice[] {
  const said =
    because.tag === "p99"
      ? { setting: "requestP99", ...because.p99 }
      : because.tag === "set" && typeof because.value === "number"
        ? { ...because, value: because.value }
        : undefined;
  if (said === undefined || said.value < limit || said.value % ROUND !== 0) return [];
  const { setting, origin, value } = said;
  return [notice("GG306", { setting, origin, seconds: inSeconds(value), meant: formatDuration(ms(value / 1000)) })];
}

function tooSmall(limit: Milliseconds, whole: Limited, { drainTimeout, lbBuffer, margin, formula }: Limited): Notice {
  const text = formatDuration;
  const isRest = lbBuffer.value > 0 && limit - margin - lbBuffer.value === drainTimeout.value;
  const rest = isRest ? `${text(limit)} - ${text(margin)} - ${text(lbBuffer.value)} = ` : "";
  const less = margin < whole.margin ? `, margin ${text(margin)}` : "";
  const shrunk = `drain timeout ${rest}${text(drainTimeout.value)}${less}`;
  const fits = formula.value <= limit ? shrunk : `even with ${shrunk} it needs ${text(formula.value)}`;
  return notice("GG301", { limit: inSeconds(limit), needs: written(whole.formula), shrunk: fits });
}
