/**
 * Which requests of a load are the long ones and which get a connection of their own.
 *
 * The picks are spread evenly, so that shares are exact over any stretch of the run, and they have no period: a balancer
 * that deals requests out in turn would otherwise send every second, and so every long one, to the same backend. The
 * multiples of an irrational number, modulo 1, are both (Weyl's equidistribution theorem).
 */

/** One irrational step per decision, so that the decisions do not follow each other. */
const step = { long: (Math.sqrt(5) - 1) / 2, new: Math.SQRT2 } as const;

/**
 * Says whether a request is among the chosen.
 *
 * @param index number of the request, from 0
 * @param share how many are to be chosen, 0 to 1
 */
export function isChosen(index: number, share: number, decision: keyof typeof step): boolean {
  return (index * step[decision]) % 1 < share;
}
