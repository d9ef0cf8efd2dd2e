/**
 * A TLS call of the webhook to itself, as the API server would make it: by the service's name, trusting only a bundle.
 */
import { request } from "node:https";

/** Time for the call, milliseconds. */
const TIMEOUT_MS = 3000;

/**
 * Calls.
 *
 * @param addresses of this machine, tried one after the other
 * @param name the DNS name that the API server uses
 * @param bundle PEM
 * @returns why it failed; undefined where the certificate verifies
 */
export async function callSelf(
  addresses: readonly string[],
  port: number,
  name: string,
  bundle: string,
): Promise<string | undefined> {
  let reason: string | undefined = "there is no address";
  for (const host of addresses) {
    reason = await call(host, port, name, bundle);
    if (reason === undefined) return undefined;
  }
  return reason;
}

function call(host: string, port: number, servername: string, ca: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const sent = request(
      { host, port, path: "/livez", servername, ca, agent: false, timeout: TIMEOUT_MS, headers: { Host: servername } },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200 ? undefined : `it answered ${response.statusCode}`);
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
    sent.on("error", (error) => resolve(error.message));
    sent.end();
  });
}
