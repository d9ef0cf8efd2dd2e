/**
 * All policies at one moment, indexed by namespace. Both sources (files and the cluster) produce it; it is never changed,
 * only replaced, so a request sees one consistent set.
 */
import type { Notice } from "../codes/registry.ts";
import { builtIn } from "./built-in.ts";
import { type Delegation, delegationOf, type HeldPolicy, withinDelegation } from "./delegation.ts";
import { type Layer, type Level, level, type PolicyQuery } from "./layers.ts";
import { type MeshConfig, meshLayer } from "./mesh-config.ts";
import { matches } from "./selector.ts";
import { originOf, type Policy } from "./validate.ts";

/** The policies of one namespace, each list in the order of names. */
interface NamespacePolicies {
  readonly plain: readonly HeldPolicy[];
  readonly selective: readonly HeldPolicy[];
}

/** A consistent set of policies and the mesh config. */
export interface PolicySnapshot {
  /** Gracegate's own namespace: its policies hold everywhere. */
  readonly rootNamespace: string;
  /** What others than the cluster's owner may set. */
  readonly delegation: Delegation;
  /** How many policies there are. */
  readonly size: number;
  readonly byNamespace: ReadonlyMap<string, NamespacePolicies>;
  readonly meshConfig: MeshConfig | undefined;
}

/** The layers of one pod, and the policies among them. */
export interface PodLayers {
  /** Farthest first. */
  readonly layers: readonly Layer[];
  readonly policies: readonly Policy[];
  /** About what policies say and may not. */
  readonly notices: readonly Notice[];
}

const none: NamespacePolicies = { plain: [], selective: [] };

const builtInLayer: Layer = { level: level.builtIn, origin: "built-in", spec: builtIn };

/** Indexes policies. */
export function snapshotOf(
  policies: readonly Policy[],
  rootNamespace: string,
  meshConfig?: MeshConfig,
): PolicySnapshot {
  const byNamespace = new Map<string, NamespacePolicies>();
  const sorted = policies.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const grouped = Map.groupBy(sorted, (policy) => policy.namespace);
  const delegation = delegationOf(rootNamespace, grouped.get(rootNamespace) ?? []);
  for (const [namespace, own] of grouped) {
    const held = own.map((policy) => withinDelegation(policy, delegation));
    byNamespace.set(namespace, {
      plain: held.filter(({ policy }) => policy.spec.selector === undefined),
      selective: held.filter(({ policy }) => policy.spec.selector !== undefined),
    });
  }
  return { rootNamespace, delegation, size: policies.length, byNamespace, meshConfig };
}

/** The layers that hold for a pod, without its own overrides. */
export function layersFor(snapshot: PolicySnapshot, { namespace, labels }: PolicyQuery): PodLayers {
  const layers: Layer[] = [builtInLayer];
  const policies: Policy[] = [];
  const notices: Notice[] = [];
  if (snapshot.meshConfig !== undefined) layers.push(meshLayer(snapshot.meshConfig));
  const add = (list: readonly HeldPolicy[], at: Level) => {
    for (const { policy, notices: own } of list) {
      if (policy.spec.selector !== undefined && !matches(policy.spec.selector, labels)) continue;
      layers.push({ level: at, origin: originOf(policy), spec: policy.spec });
      policies.push(policy);
      notices.push(...own);
    }
  };
  const root = snapshot.byNamespace.get(snapshot.rootNamespace) ?? none;
  add(root.plain, level.root);
  add(root.selective, level.rootSelector);
  if (namespace !== snapshot.rootNamespace) {
    const own = snapshot.byNamespace.get(namespace) ?? none;
    add(own.plain, level.namespace);
    add(own.selective, level.selector);
  }
  return { layers, policies, notices };
}
