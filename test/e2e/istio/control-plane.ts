/**
 * A real istiod against an API server without nodes: it injects, and writes what proxies would get.
 *
 * Objects come from Istio's own charts. Only the address of the webhook is changed, since a Service leads nowhere here.
 */
import { spawn, spawnSync } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isObject, type JsonObject, objectAt, objectsAt } from "../../../src/pod/json.ts";
import { freePort, until } from "../../integration/hc-process.ts";
import type { ApiServer } from "../api-server.ts";
import { collectionOf } from "../chart.ts";
import { create } from "../installed.ts";

/** A running istiod. */
export interface ControlPlane {
  /** Takes its registration away. */
  unregister(): Promise<void>;
  /** Registers its webhooks, with a reinvocation policy. */
  register(reinvocationPolicy: "Never" | "IfNeeded"): Promise<void>;
  stop(): Promise<void>;
}

/** The registration of Istio's chart. */
const REGISTRATION = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/istio-sidecar-injector";

/** What is not needed without nodes. */
const LEFT_OUT = ["Deployment", "HorizontalPodAutoscaler", "PodDisruptionBudget", "ValidatingWebhookConfiguration"];

/**
 * Makes Istio's objects and starts istiod.
 *
 * @param istiod the folder of install/istiod.ts
 */
export async function startControlPlane(
  api: ApiServer,
  istiod: string,
  helm: string,
  folder: string,
): Promise<ControlPlane> {
  const [http, https, grpc, secure, monitoring, introspection] = await Promise.all(Array.from({ length: 6 }, freePort));
  const chart = (name: string) => rendered(helm, join(istiod, "charts", name));
  const objects = [...chart("base"), ...chart("istio-control/istio-discovery")].filter(
    ({ kind }) => !LEFT_OUT.includes(String(kind)),
  );
  const registration = objects.find(({ kind }) => kind === "MutatingWebhookConfiguration");
  if (registration === undefined) throw new Error("Istio's chart has no webhook configuration");
  await create(api, { apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } }, "/api/v1/namespaces");
  for (const object of objects) if (object !== registration) await create(api, object, collectionOf(object));

  // istiod fills caBundle when it sees the object; one that is made anew has to keep it.
  let trusted: JsonObject = {};
  const unregister = async () => {
    const known = await api.call("GET", REGISTRATION);
    const { caBundle } = objectAt(objectsAt(known.body, "webhooks")[0], "clientConfig");
    if (caBundle !== undefined) trusted = { caBundle };
    await api.call("DELETE", REGISTRATION);
  };
  const register = async (reinvocationPolicy: "Never" | "IfNeeded") => {
    const clientConfig = { url: `https://localhost:${https}/inject`, ...trusted };
    const webhooks = objectsAt(registration, "webhooks").map((one) => ({ ...one, reinvocationPolicy, clientConfig }));
    await create(api, { ...registration, webhooks });
  };
  await register("Never");

  const log = join(folder, "istiod.log");
  const output = openSync(log, "w");
  const flags = [
    ...["--kubeconfig", api.kubeconfig(), "--httpAddr", `127.0.0.1:${http}`, "--httpsAddr", `127.0.0.1:${https}`],
    ...["--grpcAddr", `127.0.0.1:${grpc}`, "--secureGRPCAddr", `127.0.0.1:${secure}`],
    ...["--monitoringAddr", `127.0.0.1:${monitoring}`, "--ctrlz_port", String(introspection)],
  ];
  const child = spawn(join(istiod, "pilot-discovery"), ["discovery", ...flags], {
    stdio: ["ignore", output, output],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      POD_NAMESPACE: "istio-system",
      POD_NAME: "istiod-0",
      // Only with the revision of the registration does it fill caBundle.
      REVISION: "default",
      ISTIOD_CUSTOM_HOST: "localhost",
      INJECTION_WEBHOOK_CONFIG_NAME: "istio-sidecar-injector",
      CLUSTER_ID: "Kubernetes",
    },
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const words = () => readFileSync(log, "utf8").slice(-3000);
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  try {
    await until(
      "istiod is ready",
      async () => (await statusOf(`http://127.0.0.1:${http}/ready`)) === 200,
      words,
      60_000,
    );
    const isTrusted = async () => {
      const { body } = await api.call("GET", REGISTRATION);
      return objectsAt(body, "webhooks").every((one) => objectAt(one, "clientConfig").caBundle !== undefined);
    };
    await until("istiod has registered its certificate", isTrusted, words, 60_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return { unregister, register, stop };
}

function rendered(helm: string, chart: string): readonly JsonObject[] {
  const args = ["template", "istio", chart, "--namespace", "istio-system", "--set", "global.tag=1.31.0"];
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`helm cannot render ${chart}: ${stderr}`);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS({ maxAliasCount: -1 }) as unknown)
    .filter(isObject);
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = get(url, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", () => resolve(undefined));
  });
}
