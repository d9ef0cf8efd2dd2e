/**
 * F5 BIG-IP. Its monitor has one timeout instead of a number of failed checks.
 */
import { block, CLOSE, type LbProfile } from "./profile.ts";

/** F5 whose monitor has a receive disable string. */
export const f5: LbProfile = {
  doc: "F5 with the receive disable string DRAINING",
  drainAnswer: { status: 200, body: "DRAINING\n" },
  drainSetting: "F5's receive disable string",
  closeAnswer: CLOSE,
  detection: "1 × interval",
  checkInterval: 5,
  checkFall: 3,
  onDown: { sessions: "cut", when: "by the pool's action on service down" },
  settings(check) {
    const drains = check.drainAnswer?.body?.trim();
    // A second more than its checks in a row need.
    const timeout = check.interval * check.fall + 1;
    return [
      block("F5 BIG-IP (tmsh)", "text", [
        "create ltm monitor http gracegate-hc {",
        `  destination *:${check.nodePort}`,
        `  interval ${check.interval} timeout ${timeout}`,
        `  send "GET ${check.path} HTTP/1.0\\r\\n\\r\\n"`,
        `  recv "OPEN"${drains === undefined ? "" : ` recv-disable "${drains}"`}`,
        "}",
        "modify ltm pool gateways monitor gracegate-hc",
      ]),
    ];
  },
};
