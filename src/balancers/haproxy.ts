/**
 * HAProxy. `disable-on-404` is what makes 404 the drain answer; without it a 404 is a failed check.
 */
import { block, CLOSE, type LbProfile } from "./profile.ts";

/** HAProxy as the balancer. */
export const haproxy: LbProfile = {
  doc: "HAProxy with http-check disable-on-404",
  drainAnswer: { status: 404 },
  drainSetting: "HAProxy's http-check disable-on-404",
  closeAnswer: CLOSE,
  detection: "1 × interval",
  checkInterval: 2,
  checkFall: 3,
  onDown: { sessions: "cut", when: "only with on-marked-down shutdown-sessions" },
  cautions: [
    "HAProxy answers 503 to everybody while every server drains: stop one gateway at a time.",
    "Cookie persistence keeps sending to a server that drains.",
  ],
  settings(check) {
    const drains = check.drainAnswer?.status === 404;
    return [
      block("HAProxy", "haproxy", [
        "backend gateways",
        `    option httpchk GET ${check.path}`,
        ...(drains ? ["    http-check disable-on-404   # 404: no new requests, the old ones stay"] : []),
        `    timeout check ${check.timeout}s`,
        `    default-server port ${check.nodePort} inter ${check.interval}s fall ${check.fall} rise ${check.rise}`,
        "    server node-1 192.0.2.1:30080 check",
        "    server node-2 192.0.2.2:30080 check",
      ]),
    ];
  },
};
