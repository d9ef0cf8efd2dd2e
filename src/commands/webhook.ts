/**
 * `gracegate webhook`: the HTTPS admission server. Each flag is also a variable GRACEGATE_….
 */
import { LOG_LEVELS } from "../codes/log-level.ts";
import { version } from "../version.ts";
import { command } from "./kit/command.ts";
import { flag, neededFlag, type Values, withEnvironment } from "./kit/flag.ts";
import { names, oneOf, port, type Reader, refused, seconds, text, unlessEmpty, value } from "./kit/read.ts";

/** Where the policies, or the mesh config, come from. */
export type Origin = { readonly from: "cluster" } | { readonly from: "file"; readonly path: string };

/** An object in a namespace. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** A file that is called `cluster` can be written `./cluster`. */
const origin: Reader<Origin> = (typed) =>
  value(typed === "cluster" ? { from: "cluster" } : { from: "file", path: typed });

const namespaced: Reader<NamespacedName> = (typed, name) => {
  const match = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(typed);
  if (match === null) return refused(`${name}: ${typed} is not NAMESPACE/NAME.`);
  return value({ namespace: match[1] ?? "", name: match[2] ?? "" });
};

const portNumber = port(0, (typed, name) => `${name}: ${typed} is not a port number from 0 to 65535.`);

const DAY_MS = 86_400_000;

/** Days, in milliseconds. Parts of a day are allowed, so that a renewal can be watched. */
const days: Reader<number> = (typed, name) => {
  const number = Number(typed);
  if (number > 0 && number <= 36_500) return value(number * DAY_MS);
  return refused(`${name}: ${typed} is not a number of days above 0 and up to 36500.`);
};

const delay = seconds((typed, name, reason) => `${name}: ${typed} is not a duration: ${reason}.`);
const optionalText = unlessEmpty(text);

/** The flags. */
export const webhookFlags = withEnvironment("GRACEGATE", {
  policy: neededFlag("--policy <path>", "GracePolicy file or folder, watched; or: cluster", origin),
  tlsCert: flag("--tls-cert <file>", "serving certificate, PEM; watched", optionalText),
  tlsKey: flag("--tls-key <file>", "its private key, PEM; watched", optionalText),
  tlsSecret: flag(
    "--tls-secret <ns/name>",
    "Secret to keep certificates in, instead of files",
    unlessEmpty(namespaced),
  ),
  service: flag("--service <name>", "Service in that namespace, to make certificates for", optionalText),
  mutating: flag("--webhook-configuration <list>", "MutatingWebhookConfigurations to register in", names),
  validating: flag("--review-configuration <list>", "ValidatingWebhookConfigurations likewise", names),
  servingMs: flag("--certificate-days <n>", "how long a certificate is kept", days, "90"),
  authorityMs: flag("--ca-days <n>", "how long its authority is kept", days, "3650"),
  port: flag("--port <n>", "HTTPS port", portNumber, "8443"),
  bind: flag("--bind <address>", "address to listen on; all unless set", optionalText),
  metricsPort: flag("--metrics-port <n>", "plain HTTP port of /metrics and /livez", portNumber, "9090"),
  hcImage: flag("--hc-image <image>", "image of hc where no policy names one", text, `gracegate:${version}`),
  rootNamespace: flag("--root-namespace <name>", "namespace whose policies hold everywhere", text, "gracegate"),
  meshConfig: flag(
    "--mesh-config <file>",
    "Istio's mesh config, or a mounted ConfigMap's folder, watched; or: cluster",
    unlessEmpty(origin),
  ),
  meshConfigMap: flag(
    "--mesh-config-map <ns/name>",
    "its ConfigMap, for --mesh-config cluster",
    namespaced,
    "istio-system/istio",
  ),
  gatewayTemplates: flag(
    "--gateway-templates <list>",
    "Istio's injection templates that make a gateway",
    names,
    "gateway",
  ),
  shutdownDelay: flag("--shutdown-delay <duration>", "time to keep serving after SIGTERM", delay, "5s"),
  logLevel: flag("--log-level <level>", "how much is logged", oneOf(LOG_LEVELS, String), "info", {
    choices: LOG_LEVELS,
  }),
});

/** What they say. */
export type WebhookValues = Values<typeof webhookFlags>;

/** The command. */
export const webhook = command({
  name: "webhook",
  summary: "the HTTPS admission server",
  examples: [
    "gracegate webhook --policy examples/policies --tls-cert certs/tls.crt --tls-key certs/tls.key",
    "gracegate webhook --policy policies.yaml --mesh-config mesh.yaml --tls-cert tls.crt --tls-key tls.key --port 8443",
    "gracegate webhook --policy cluster --mesh-config cluster --tls-cert tls.crt --tls-key tls.key",
    "gracegate webhook --policy cluster --tls-secret gracegate/gracegate-tls --service gracegate --webhook-configuration gracegate",
  ],
  flags: webhookFlags,
  load: () => import("./webhook-run.ts"),
});
