/**
 * What a namespace's policies and a pod's annotations may set, and what is the cluster's owner's.
 *
 * A policy of Gracegate's own namespace, the root, gives fields away by `delegate`. Nothing of it depends on labels, which
 * a pod's author chooses. A field that is not given away is left out wherever it is used, so that this holds for policies
 * that were stored before, while no webhook answered, or in a file; the review of policies only tells it earlier.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { DELEGABLE, type DelegableField } from "./schema.ts";
import { settingAt, withoutSetting } from "./setting-path.ts";
import { originOf, type Policy } from "./validate.ts";

/** What is given away, and by whom. */
export interface Delegation {
  /** Gracegate's own namespace. */
  readonly rootNamespace: string;
  readonly fields: ReadonlySet<DelegableField>;
}

/** A policy as far as its namespace may say what it says. */
export interface HeldPolicy {
  readonly policy: Policy;
  /** About what was left out of it. */
  readonly notices: readonly Notice[];
}

/** What the policies of the root namespace give away: like other settings, the last one by name decides. */
export function delegationOf(rootNamespace: string, rootPolicies: readonly Policy[]): Delegation {
  const deciding = rootPolicies.findLast(({ spec }) => spec.delegate !== undefined && spec.selector === undefined);
  return { rootNamespace, fields: new Set(deciding?.spec.delegate) };
}

/**
 * The paths in a spec that its namespace may not set.
 *
 * @param spec as it was written, or normalised
 */
export function beyondDelegation(namespace: string, spec: object, delegation: Delegation): readonly string[] {
  if (namespace === delegation.rootNamespace) return [];
  const fields = DELEGABLE.filter((field) => !delegation.fields.has(field)).map((field) => `gateway.${field}`);
  return ["delegate", ...fields].filter((path) => settingAt(spec, path) !== undefined);
}

/** The notices about such paths. */
export function delegationNotices(
  policy: Pick<Policy, "name" | "namespace">,
  paths: readonly string[],
  { rootNamespace: root }: Delegation,
): readonly Notice[] {
  const origin = originOf(policy);
  const fields = paths.filter((path) => path !== "delegate").map((path) => path.replace("gateway.", ""));
  return [
    ...(fields.length > 0 ? [notice("GG604", { policy: origin, fields, root })] : []),
    ...(fields.length < paths.length ? [notice("GG605", { policy: origin, root })] : []),
  ];
}

/** A policy without what its namespace may not set. */
export function withinDelegation(policy: Policy, delegation: Delegation): HeldPolicy {
  const paths = beyondDelegation(policy.namespace, policy.spec, delegation);
  if (paths.length === 0) return { policy, notices: [] };
  const spec = paths.reduce(withoutSetting, policy.spec);
  return { policy: { ...policy, spec }, notices: delegationNotices(policy, paths, delegation) };
}
