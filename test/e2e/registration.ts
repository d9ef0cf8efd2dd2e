/**
 * The registration of examples/webhook-configuration.yaml, with the address of a webhook on this machine.
 */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type JsonObject, objectsAt } from "../../src/pod/json.ts";

/**
 * Makes it.
 *
 * @param ca the authority of the webhook's certificate, PEM
 * @param name another name than the example's, so that it is called at another place in the order
 */
export function registrationOf(port: number, ca: string, name?: string): JsonObject {
  const example = parse(readFileSync("examples/webhook-configuration.yaml", "utf8")) as JsonObject;
  const clientConfig = { url: `https://127.0.0.1:${port}/mutate`, caBundle: Buffer.from(ca).toString("base64") };
  const webhooks = objectsAt(example, "webhooks").map((entry) => ({ ...entry, clientConfig }));
  return { ...example, ...(name === undefined ? {} : { metadata: { name } }), webhooks };
}
