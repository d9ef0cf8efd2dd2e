/**
 * What the pipeline needs to make pods as the webhook of a cluster makes them: its own policies, its mesh config, and
 * what it was started with, unless options say otherwise.
 */
import { installationOf } from "../check/installation.ts";
import type { InjectOptions } from "../manifests/inject.ts";
import { type JsonObject, objectAt } from "../pod/json.ts";
import type { MeshConfig } from "../policy/mesh-config.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { type Policy, validatePolicy } from "../policy/validate.ts";
import { type ClusterChoice, readConfigMap, readInstalled, readPolicies } from "../sources/kubectl.ts";
import { readMeshConfig } from "../sources/mesh-config-text.ts";
import { type Read, value } from "./kit/read.ts";
import { say } from "./kit/say.ts";
import { injectOptions } from "./manifest-input.ts";
import { defaults, type ManifestValues } from "./manifests.ts";

/** The options for a cluster whose objects were read. */
export async function clusterOptions(
  objects: readonly JsonObject[],
  choice: ClusterChoice,
  values: ManifestValues,
): Promise<Read<InjectOptions>> {
  const installed = installationOf(await readInstalled(choice));
  const told = (name: keyof typeof defaults) =>
    (values[name] === defaults[name] ? installed?.[name] : undefined) ?? values[name];
  const read = injectOptions({
    ...values,
    hcImage: told("hcImage"),
    rootNamespace: told("rootNamespace"),
    gatewayTemplates: told("gatewayTemplates"),
  });
  // Files that are given are the whole of it.
  if (!read.ok || values.policy !== undefined) return read;
  const given = read.value;
  const mesh =
    values.meshConfig === undefined && installed?.meshConfigMap !== undefined
      ? await meshConfigIn(choice, installed.meshConfigMap)
      : given.snapshot.meshConfig;
  const all = choice.namespace === undefined ? [] : await readPolicies(choice);
  const policies = policiesIn(all.length > 0 ? all : objects);
  return value({ ...given, snapshot: snapshotOf(policies, given.snapshot.rootNamespace, mesh) });
}

async function meshConfigIn(choice: ClusterChoice, place: string): Promise<MeshConfig | undefined> {
  const text = await readConfigMap(choice, place);
  const read = text === undefined ? undefined : readMeshConfig(text);
  if (read?.ok === true) return read.value;
  say(`The mesh config in ConfigMap ${place}, which the webhook reads, cannot be read: pods are compared without it.`);
  return undefined;
}

function policiesIn(objects: readonly JsonObject[]): readonly Policy[] {
  return objects
    .filter(({ kind }) => kind === "GracePolicy")
    .flatMap((object) => {
      const validated = validatePolicy(object);
      if (validated.ok) return [validated.policy];
      for (const { path, reason } of validated.refusals) {
        say(`GracePolicy ${String(objectAt(object, "metadata").name)} is not used: ${path} ${reason}.`);
      }
      return [];
    });
}
