/**
 * Any balancer that asks by HTTP. Nobody knows which it is, so its settings come with those of the ones that people run
 * themselves.
 */
import { f5 } from "./f5.ts";
import { haproxy } from "./haproxy.ts";
import { netscaler } from "./netscaler.ts";
import { block, type LbProfile, withoutDrainAnswer } from "./profile.ts";

/** The profile that stands where nobody named one. */
export const generic: LbProfile = {
  ...withoutDrainAnswer,
  doc: "any balancer that takes 200 for up and 503 for down",
  checkInterval: 2,
  checkFall: 2,
  onDown: { sessions: "unknown" },
  settings: (check) => [
    block("Any balancer", "text", [
      `check:    GET http://NODE:${check.nodePort}${check.path}, every ${check.interval} s`,
      `up:       200, ${check.rise} times in a row`,
      `down:     anything else or no answer in ${check.timeout} s, ${check.fall} times in a row`,
    ]),
    ...[haproxy, netscaler, f5].flatMap(({ settings }) => settings(check)),
  ],
};
