/**
 * The `/drained` requests that wait for CLOSED: the proxy's preStop hook, sent by the kubelet.
 *
 * The kubelet puts no timeout on it and takes any status, so the proxy serves for exactly as long as the answer takes.
 * It may come before hc's own SIGTERM or after it, and again when the kubelet was restarted. Without any drain it is
 * answered after a few seconds, so that a restart of the proxy's container alone does not hang.
 *
 * Everybody who reaches the port can ask, and must not use up the places. So the hook that the webhook writes carries a
 * token, and has places of its own. An address cannot do that: on the host network the kubelet's probes and its hook come from
 * different ones, and a stranger may share them. Hooks without a token share the other places fairly.
 */
import { type PreparedAnswer, prepared } from "./answers.ts";
import { FairPlaces } from "./fair-places.ts";
import type { Exchange } from "./one-request-server.ts";

/** How many may wait in one kind of places. */
interface Bound {
  readonly forOneAddress: number;
  readonly forAll: number;
}

/** With the token: the kubelet, twice if it was restarted. */
const KEPT: Bound = { forOneAddress: 8, forAll: 8 };

/** Without it. */
const SHARED: Bound = { forOneAddress: 8, forAll: 256 };

/** How long a request waits for a drain to begin, milliseconds: SIGTERM and hook are at most 50 ms apart. */
const WITHOUT_DRAIN_MS = 5000;

const DRAINED = prepared({ status: 200, body: "CLOSED\n" });
const NO_DRAIN = prepared({ status: 503, body: "no drain is under way\n" });
const TOO_MANY = prepared({ status: 503, body: "too many requests wait already\n" });

/** What the drain is doing, as far as a held request depends on it. */
export type DrainProgress = "none" | "under-way" | "over";

/** The requests that wait. */
export class HeldRequests {
  readonly #kept = new FairPlaces<Exchange>();
  readonly #shared = new FairPlaces<Exchange>();
  readonly #progress: () => DrainProgress;
  readonly #token: string | undefined;

  /**
   * @param progress asked for each request, and again when it has waited for a drain to begin
   * @param token what the kubelet's hook carries in its header; undefined or empty: nobody's does
   */
  constructor(progress: () => DrainProgress, token?: string) {
    this.#progress = progress;
    this.#token = token || undefined;
  }

  /** How many wait. */
  get count(): number {
    return this.#kept.count + this.#shared.count;
  }

  /** Answers a request, or lets it wait. */
  add(exchange: Exchange): void {
    const progress = this.#progress();
    if (progress === "over") {
      exchange.answer(DRAINED);
      return;
    }
    const isKept = this.#token !== undefined && exchange.token === this.#token;
    const [places, bound] = isKept ? [this.#kept, KEPT] : [this.#shared, SHARED];
    const { address } = exchange;
    const loser = loserOf(places, bound, exchange, progress === "under-way");
    loser?.answer(progress === "under-way" ? TOO_MANY : NO_DRAIN);
    if (loser === exchange) return;
    const timer = setTimeout(() => {
      if (this.#progress() === "none") exchange.answer(NO_DRAIN);
    }, WITHOUT_DRAIN_MS);
    places.add(address, exchange);
    exchange.hold(() => {
      clearTimeout(timer);
      places.delete(address, exchange);
    });
  }

  /** Answers all of them: the drain is over, or was taken back. */
  release(): void {
    const answer: PreparedAnswer = this.#progress() === "over" ? DRAINED : NO_DRAIN;
    for (const exchange of [...this.#kept, ...this.#shared]) exchange.answer(answer);
  }
}

/**
 * Who goes without a place; undefined: there is one left.
 *
 * Before a drain the oldest waits in vain. In a drain the kubelet's own is among an address's first, so that the newest goes.
 */
function loserOf(
  places: FairPlaces<Exchange>,
  bound: Bound,
  newcomer: Exchange,
  inDrain: boolean,
): Exchange | undefined {
  const own = places.of(newcomer.address);
  const isCrowded = places.count >= bound.forAll;
  if (own.length < bound.forOneAddress && !isCrowded) return undefined;
  const greediest = isCrowded ? places.ofGreediest() : own;
  const isGreedy = own.length >= bound.forOneAddress || own.length + 1 >= greediest.length;
  if (inDrain) return isGreedy ? newcomer : greediest.at(-1);
  return isGreedy && own.length > 0 ? own[0] : greediest[0];
}
