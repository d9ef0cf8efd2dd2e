/**
 * NetScaler, by its command line. The monitor's answer time must be shorter than its interval.
 */
import { block, CLOSE, type LbProfile, withoutDrainAnswer } from "./profile.ts";

const monitor: Pick<LbProfile, "checkInterval" | "checkFall" | "onDown" | "settings"> = {
  checkInterval: 5,
  checkFall: 3,
  onDown: { sessions: "cut", when: "with downStateFlush ENABLED, its default" },
  settings(check) {
    const drains = check.drainAnswer?.status === 404;
    const name = "lb monitor gracegate-hc HTTP";
    return [
      block("NetScaler", "text", [
        `add ${name} -httpRequest "GET ${check.path}"`,
        `set ${name} -destPort ${check.nodePort} -respCode 200${drains ? " -trofsCode 404" : ""}`,
        `set ${name} -interval ${check.interval} -resptimeout ${Math.max(1, Math.min(check.timeout, check.interval - 1))}`,
        `set ${name} -retries ${check.fall} -successRetries ${check.rise}`,
        "bind serviceGroup gateways -monitorName gracegate-hc",
      ]),
    ];
  },
};

/** One whose monitor knows up and down. */
export const netscaler: LbProfile = {
  ...withoutDrainAnswer,
  ...monitor,
  doc: "NetScaler with a plain HTTP monitor",
};

/** One whose monitor takes a service out of service gracefully, too. */
export const netscalerTrofs: LbProfile = {
  ...monitor,
  doc: "NetScaler with -trofsCode 404 or -trofsString DRAINING",
  drainAnswer: { status: 404, body: "DRAINING\n" },
  drainSetting: "NetScaler's -trofsCode 404",
  closeAnswer: CLOSE,
  detection: "1 × interval",
};
