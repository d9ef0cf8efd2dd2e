/**
 * The notices of one answer, bounded: what a pod says must not decide how much is said about it.
 *
 * kubectl prints every warning, the API server puts all of them into HTTP headers, and a pod may give rise to one with
 * each of 100,000 annotations.
 */
import { cut } from "./quoted.ts";
import { type Notice, notice } from "./registry.ts";

/** Notices that an answer has at most, besides the one that counts the others. */
export const MOST_NOTICES = 20;

/** Longest sentence, characters; the API server cuts warnings at 256 where they are long together. */
export const LONGEST_SENTENCE = 300;

/** Which notices go last where there are too many. */
const RANK = { error: 0, warning: 1, info: 2 } as const;

/**
 * The gravest of some notices, in their order, and one that says how many were left out (GG503).
 *
 * That one is only kept for the log where nobody would have been shown the others.
 */
export function boundedNotices(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= MOST_NOTICES) return notices.map(short);
  const kept = new Set([...notices].sort((a, b) => RANK[a.severity] - RANK[b.severity]).slice(0, MOST_NOTICES));
  const others = notices.filter((one) => !kept.has(one));
  const counted = notice("GG503", { more: others.length });
  const severity = others.every((one) => one.severity === "info") ? "info" : counted.severity;
  return [...notices.filter((one) => kept.has(one)).map(short), { ...counted, severity }];
}

function short(one: Notice): Notice {
  return one.text.length > LONGEST_SENTENCE ? { ...one, text: cut(one.text, LONGEST_SENTENCE - 1) } : one;
}
