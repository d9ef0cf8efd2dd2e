/**
 * The two references of the admission benchmark, as a process of their own: what express and node:https can do here.
 *
 *   node bench/references.ts express|https CERT KEY
 *
 * `express` reads the body as the webhook does and answers a constant; `https` parses the body and echoes it.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import express from "express";

const [kind = "", cert = "", key = ""] = process.argv.slice(2);
const tls = { cert: readFileSync(cert), key: readFileSync(key) };

const constant = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  response: { uid: "705f18a4-bd89-46a2-b00a-6370e1c4cebd", allowed: true },
});

function expressConstant() {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.post("/mutate", express.raw({ type: "application/json", limit: "7mb", inflate: false }), (_request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.setHeader("Content-Length", Buffer.byteLength(constant));
    response.end(constant);
  });
  return createServer(tls, app);
}

function httpsEcho() {
  return createServer(tls, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
      response.end(text);
    });
  });
}

const server = kind === "express" ? expressConstant() : httpsEcho();
server.listen(0, "127.0.0.1", () => {
  process.stderr.write(`listening on port ${(server.address() as AddressInfo).port}\n`);
});
