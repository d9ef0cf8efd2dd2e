/**
 * A second webhook that sorts after ours and does what Istio's injector does in outline: it reads proxy.istio.io/config
 * and puts a rendered istio-proxy into the pod. (The real injector is tested elsewhere; here the API server is.)
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parse } from "yaml";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";

/** The running stand-in. */
export interface Injector {
  readonly port: number;
  close(): void;
}

/** Starts it on a free port of 127.0.0.1. */
export async function startInjector(tls: { cert: string; key: string }): Promise<Injector> {
  const server = createServer(tls, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      const admission = objectAt(review, "request");
      const patch = Buffer.from(JSON.stringify(inject(objectAt(admission, "object")))).toString("base64");
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({
          apiVersion: "admission.k8s.io/v1",
          kind: "AdmissionReview",
          response: { uid: admission.uid ?? "", allowed: true, patchType: "JSONPatch", patch },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function inject(pod: JsonObject): readonly JsonObject[] {
  const annotations = objectAt(objectAt(pod, "metadata"), "annotations");
  const containers = objectsAt(objectAt(pod, "spec"), "containers");
  const stub = containers.findIndex(({ name }) => name === "istio-proxy");
  const isGateway = textAt(annotations, "inject.istio.io/templates") === "gateway";
  const config: unknown = parse(textAt(annotations, "proxy.istio.io/config") ?? "{}");
  const metadata = isObject(config) ? objectAt(config, "proxyMetadata") : {};
  const proxy = {
    name: "istio-proxy",
    image: "registry.example/istio/proxyv2:1.31.0",
    imagePullPolicy: "IfNotPresent",
    args: ["proxy", isGateway ? "router" : "sidecar"],
    env: Object.entries(metadata).map(([name, value]) => ({ name, value })),
  };
  // Like Istio's, it notes what it did in an annotation.
  const noted = { ...annotations, "sidecar.istio.io/status": "{}" };
  const note = { op: "add", path: "/metadata/annotations", value: noted };
  if (stub !== -1) return [note, { op: "replace", path: `/spec/containers/${stub}`, value: proxy }];
  return [note, { op: "add", path: "/spec/containers/-", value: proxy }];
}
