/**
 * Starts the sources that the options of `gracegate webhook` name. src/kube is loaded only where one is the cluster: it
 * costs memory and time that a webhook on files need not pay.
 */
import type { Notice } from "../codes/registry.ts";
import { lineOf } from "../codes/registry.ts";
import type { MeshConfig } from "../policy/mesh-config.ts";
import type { Policy } from "../policy/validate.ts";
import { fileSource, type StartedSource } from "../sources/file-source.ts";
import { loadMeshFile, loadPolicyFiles } from "../sources/policy-files.ts";
import { fixed, type Source, type SourceEvents } from "../sources/source.ts";
import type { CertificateSource } from "../tls/certificate-source.ts";
import { certificateFiles } from "../tls/file-source.ts";
import type { SelfEvents } from "../tls/self-source.ts";
import { type Read, refused, value } from "./kit/read.ts";
import type { CertificateOrigin, WebhookOptions } from "./webhook-options.ts";

/** Who is told of what, by source. */
export interface WebhookSourceEvents {
  readonly policies: SourceEvents;
  readonly meshConfig: SourceEvents;
  readonly certificate: SelfEvents;
  policiesSkipped(count: number): void;
}

/** The sources of the webhook. */
export interface WebhookSources {
  readonly policies: Source<readonly Policy[]>;
  readonly meshConfig: Source<MeshConfig | undefined>;
  readonly certificate: CertificateSource;
}

/**
 * Starts them, unless a file cannot be used at the start.
 */
export async function startSources(
  options: WebhookOptions,
  events: WebhookSourceEvents,
): Promise<Read<WebhookSources>> {
  const { policy, meshConfig, meshConfigMap } = options;
  const needsCluster =
    policy.from === "cluster" || meshConfig?.from === "cluster" || options.certificate.from === "self";
  const cluster = needsCluster ? await import("../kube/cluster.ts") : undefined;
  const api = cluster?.clusterApi();
  const problems: Notice[] = [];
  const started = <T>(start: StartedSource<T>): Source<T> | undefined => {
    if (start.ok) return start.source;
    problems.push(...start.problems);
    return undefined;
  };
  const policies =
    policy.from === "file"
      ? started(fileSource(policy.path, loadPolicyFiles, events.policies))
      : api &&
        cluster?.clusterPolicies(api, events.policies, {
          rootNamespace: options.rootNamespace,
          onSkipped: events.policiesSkipped,
        });
  const mesh =
    meshConfig === undefined
      ? fixed(undefined)
      : meshConfig.from === "file"
        ? started<MeshConfig | undefined>(fileSource(meshConfig.path, loadMeshFile, events.meshConfig))
        : api && cluster?.clusterMeshConfig(api, meshConfigMap, events.meshConfig);
  if (policies === undefined || mesh === undefined) {
    return refused(`the policies cannot be used:\n${problems.map(lineOf).join("\n")}`);
  }
  const certificate =
    options.certificate.from === "files"
      ? fromFiles(options.certificate, events.certificate)
      : api && cluster && value(await selfManagedIn(options.certificate, cluster, api, events.certificate));
  if (certificate === undefined) throw new Error("the cluster's module was not loaded");
  return certificate.ok ? value({ policies, meshConfig: mesh, certificate: certificate.value }) : certificate;
}

function fromFiles({ cert, key }: Origins<"files">, events: SelfEvents): Read<CertificateSource> {
  const started = certificateFiles(cert, key, events);
  if (!started.ok) return refused(`${started.reason}. gracegate certs makes one for development.`);
  return value(started.source);
}

type Origins<From> = Extract<CertificateOrigin, { from: From }>;

async function selfManagedIn(
  { secret, names, mutating, validating, lifetimes }: Origins<"self">,
  cluster: typeof import("../kube/cluster.ts"),
  api: ReturnType<typeof cluster.clusterApi>,
  events: SelfEvents,
): Promise<CertificateSource> {
  // Making certificates needs a library that a webhook on files does not.
  const { selfManaged } = await import("../tls/self-source.ts");
  const registrations = cluster.registrations(api, [
    ...mutating.map((name) => ({ kind: "MutatingWebhookConfiguration" as const, name })),
    ...validating.map((name) => ({ kind: "ValidatingWebhookConfiguration" as const, name })),
  ]);
  return selfManaged({ store: cluster.secretStore(api, secret), registrations, names, lifetimes, events });
}
