/**
 * Google Cloud's health check.
 */
import { block, keepsSessions, type LbProfile } from "./profile.ts";

/** Google Cloud load balancing. */
export const gcp: LbProfile = {
  ...keepsSessions,
  doc: "Google Cloud load balancing",
  checkInterval: 5,
  checkFall: 2,
  // Container-native balancing, which goes to the pods of a ClusterIP Service.
  annotations: { reaches: "cloud.google.com/neg" },
  settings: (check) => [
    block("gcloud", "sh", [
      "gcloud compute health-checks create http gracegate-hc \\",
      `  --port ${check.nodePort} --request-path ${check.path} \\`,
      `  --check-interval ${check.interval}s --timeout ${check.timeout}s \\`,
      `  --unhealthy-threshold ${check.fall} --healthy-threshold ${check.rise}`,
    ]),
  ],
};
