/**
 * What logs and metrics tell of the serving certificate.
 */
import type { Logger } from "pino";
import type { WebhookMetrics } from "../telemetry/metrics.ts";
import type { SelfEvents } from "../tls/self-source.ts";

/**
 * Makes the events of a certificate source.
 *
 * @param changed serves the new certificate
 */
export function certificateEvents(metrics: WebhookMetrics, logger: Logger, changed: () => void): SelfEvents {
  const present = new Map<string, boolean>();
  let lastProblem: string | undefined;
  return {
    changed,
    refused: (reason) => {
      metrics.certificateLoads.inc({ result: "refused" });
      logger.error({ event: "certificate-refused", problem: reason, kept: "the last good one" });
    },
    stepped: (step, why) => {
      metrics.certificateSteps.inc({ step });
      logger.info({ event: "certificate-step", step, why });
    },
    published: (configuration) => {
      metrics.bundlesPublished.inc({ configuration });
      logger.info({ event: "ca-bundle-published", configuration });
    },
    registered: (configuration, isThere) => {
      metrics.configurationPresent.set({ configuration }, isThere ? 1 : 0);
      if (present.get(configuration) === isThere) return;
      present.set(configuration, isThere);
      if (isThere) logger.info({ event: "webhook-configuration-present", configuration });
      else {
        const problem = `${configuration} is not there, so no pod comes here; install the chart again to bring it back.`;
        logger.error({ event: "webhook-configuration-missing", configuration, problem });
      }
    },
    verified: (problem) => {
      metrics.certificateVerified.set(problem === undefined ? 1 : 0);
      if (problem !== undefined && problem !== lastProblem) logger.warn({ event: "certificate-unverified", problem });
      if (problem === undefined && lastProblem !== undefined) logger.info({ event: "certificate-verified" });
      lastProblem = problem;
    },
    authorityEnds: (at, began) => {
      metrics.authorityBegin.set(began / 1000);
      metrics.authorityExpiry.set(at / 1000);
    },
    unreachable: (reason, retryMs) => {
      metrics.sourceFailed("certificate");
      logger.warn({ event: "source-unreachable", source: "certificate", problem: reason, retryMs });
    },
  };
}
