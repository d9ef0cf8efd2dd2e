/**
 * `gracegate webhook`: the HTTPS admission server.
 */
import type { CommandDefinition } from "./command.ts";
import { declareOptions } from "./webhook-options.ts";

/** The command. */
export const webhook: CommandDefinition = {
  name: "webhook",
  summary: "the HTTPS admission server",
  examples: [
    "gracegate webhook --policy examples/policies --tls-cert certs/tls.crt --tls-key certs/tls.key",
    "gracegate webhook --policy policies.yaml --mesh-config mesh.yaml --tls-cert tls.crt --tls-key tls.key --port 8443",
    "gracegate webhook --policy cluster --mesh-config cluster --tls-cert tls.crt --tls-key tls.key",
    "gracegate webhook --policy cluster --tls-secret gracegate/gracegate-tls --service gracegate --webhook-configuration gracegate",
  ],
  configure: declareOptions,
  // Loaded when it runs, so that --help is quick.
  run: async (options) => (await import("./webhook-run.ts")).run(options),
};
