// Run by helm test inside the cluster: one call to /readyz and one to /mutate, verified with the published authority.
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:https";

const { SERVICE_NAME: servername = "", SERVICE_VARIABLE: variable = "", SECRET_NAME: secret, CA_BUNDLE } = process.env;
// The address from the environment needs no DNS; the certificate is checked for the name all the same.
const host = process.env[variable] ?? servername;
const file = "/etc/gracegate/ca/ca.crt";
if (!CA_BUNDLE && !existsSync(file)) {
  console.error(
    `The Secret ${secret} has no ca.crt, so that the certificate cannot be verified: add it, or set certificates.caBundle.`,
  );
  process.exit(1);
}
const ca = CA_BUNDLE ? Buffer.from(CA_BUNDLE, "base64") : readFileSync(file);
const call = (method, path, body) =>
  new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const sent = request({ host, port: 443, servername, ca, method, path, headers, timeout: 10_000 }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer in 10 s")));
    sent.on("error", reject);
    sent.end(body);
  });
const ready = await call("GET", "/readyz");
if (ready.status !== 200) throw new Error(`/readyz: ${ready.status} ${ready.text}`);
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "test", namespace: "test" },
  spec: { containers: [{ name: "istio-proxy", image: "proxy", args: ["proxy", "router"] }] },
};
const review = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "helm-test",
    kind: { group: "", version: "v1", kind: "Pod" },
    namespace: "test",
    operation: "CREATE",
    dryRun: true,
    object: pod,
  },
};
const { status, text } = await call("POST", "/mutate", JSON.stringify(review));
const response = status === 200 ? JSON.parse(text).response : undefined;
if (response?.allowed !== true || response.patch === undefined)
  throw new Error(`/mutate: ${status} ${text.slice(0, 500)}`);
console.log("The webhook answers by its Service, its certificate verifies, and a gateway pod is mutated.");
