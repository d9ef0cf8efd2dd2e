/**
 * The registry of everything that this program tells people about a pod or a policy: a code, its severity, what it
 * means, and the sentence.
 *
 * A sentence says which thing, what is wrong and what would be right, in that order. The API server drops a warning with
 * a control character and cuts long ones, so values are quoted and shortened here (bounded.ts bounds
 * the notices of one answer). A code is never used for anything
 * else, even after it is retired; docs/codes.md is generated from this file.
 */
import { cut, escaped, named, quoted } from "./quoted.ts";

/**
 * How severe a notice is. `warning` is shown to whoever creates the pod; `info` is kept in the status annotation and the
 * log; `error` is shown and logged as an error.
 */
export type Severity = "info" | "warning" | "error";

/** One kind of notice. */
export interface Code<Details> {
  readonly severity: Severity;
  /** One sentence for the reference: when it is given. */
  readonly meaning: string;
  /** One sentence for the reference: what to do. */
  readonly remedy: string;
  /** The sentence for one case. */
  sentence(details: Details): string;
}

function code<Details>(
  severity: Severity,
  meaning: string,
  remedy: string,
  sentence: (details: Details) => string,
): Code<Details> {
  return { severity, meaning, remedy, sentence };
}

/** Longest sentence of any notice, characters: one about a policy names files and fields. */
const LONGEST = 1000;

/** A number of seconds as somebody wrote it, with the unit that it lacks; an example where it is none. */
function withUnit(value: string, example: string): string {
  return /^[0-9]{1,9}$/.test(value) ? `${value}s` : example;
}

/** Names that a sentence repeats; the API server cuts warnings that are long together. */
const MOST_NAMES = 5;

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map(quoted).join(", ");
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

/** All codes. GG1 overrides, GG2 proxy.istio.io/config, GG3 the budget, GG4 mutations, GG5 this program, GG6 sources, GG7 hc. */
export const codes = {
  GG101: code(
    "warning",
    "A gracegate.dev annotation has a value that does not parse; the annotation is ignored, or the pod refused where the policy says `invalid: Deny`.",
    "Write a value of the kind that the sentence names.",
    (d: { annotation: string; value: string; is: string; right: string; instead: string }) =>
      `${d.annotation}: ${quoted(d.value)} is not ${d.is}; write ${d.right}. ${d.instead}`,
  ),
  GG102: code(
    "warning",
    "A gracegate.dev annotation has a name that is no override.",
    "Correct the name, or remove the annotation.",
    (d: { annotation: string; nearest: string | undefined } | { more: number }) => {
      if ("more" in d) {
        return `${d.more} more gracegate.dev annotations are no overrides of Gracegate and are ignored; docs/overrides.md lists them.`;
      }
      return d.nearest === undefined
        ? `${quoted(d.annotation)} is not an override of Gracegate and is ignored; docs/overrides.md lists them.`
        : `${quoted(d.annotation)} is not an override of Gracegate and is ignored; did you mean ${d.nearest}?`;
    },
  ),
  GG103: code(
    "warning",
    "An override that only means something for the other role.",
    "Remove the annotation, or set gracegate.dev/role.",
    (d: { annotation: string; role: string; roles: string }) =>
      `${d.annotation} is for a ${d.roles}, and this pod is a ${d.role}; it is ignored.`,
  ),
  GG104: code(
    "warning",
    "gracegate.dev/grace-period asks for less than the budget needs, so it was raised.",
    "Ask for at least the budget, or shorten the drain.",
    (d: { wish: number; needs: number; final: number }) =>
      `gracegate.dev/grace-period: ${d.wish}s is less than the ${d.needs}s that the budget needs; the grace period is ${d.final}s.`,
  ),
  GG105: code(
    "warning",
    "gracegate.dev/grace-period asks for less than the pod has; a grace period is never lowered.",
    "Lower terminationGracePeriodSeconds of the pod, or remove the annotation.",
    (d: { wish: number; has: number }) =>
      `gracegate.dev/grace-period: ${d.wish}s is less than the pod's own ${d.has}s, which stays; lower terminationGracePeriodSeconds if that is meant.`,
  ),
  GG107: code(
    "warning",
    "An override stands on a workload, where it does nothing, and not in its pod template.",
    "Move the annotation to spec.template.metadata.annotations.",
    (d: { annotation: string; kind: string }) =>
      `${quoted(d.annotation)} on the ${d.kind} itself does nothing; write it in spec.template.metadata.annotations.`,
  ),
  GG108: code(
    "warning",
    "An override of a field that the cluster's owner has not delegated; it is ignored.",
    "Remove the annotation, or ask for the field in `delegate` of a policy of Gracegate's own namespace.",
    (d: { annotation: string; field: string; root: string }) =>
      `${d.annotation} is ignored, since no GracePolicy of namespace ${d.root} has ${d.field} in delegate.`,
  ),
  GG109: code(
    "warning",
    "gracegate.dev/grace-period asks for more than maxGracePeriod of a policy of Gracegate's own namespace.",
    "Ask for less, ask for a larger maxGracePeriod there, or set terminationGracePeriodSeconds of the pod.",
    (d: { wish: number; most: number; origin: string; final: number }) =>
      `gracegate.dev/grace-period: ${d.wish}s is more than maxGracePeriod ${d.most}s of ${d.origin}; the grace period is ${d.final}s.`,
  ),
  GG201: code(
    "warning",
    "The annotation proxy.istio.io/config is not a YAML mapping; it is left as it is, and Istio refuses the pod itself.",
    "Write a YAML mapping.",
    (d: { reason: string }) => `proxy.istio.io/config is left as it is: ${d.reason}; write a YAML mapping.`,
  ),
  GG202: code(
    "warning",
    "Values under proxyMetadata that YAML 1.1 reads as a bool or a number were quoted, since Istio refuses them.",
    "Quote them in the manifest.",
    (d: { names: readonly string[] }) =>
      `proxy.istio.io/config: proxyMetadata ${namesOf(d.names)} was not a string, which Istio refuses; it was quoted.`,
  ),
  GG203: code(
    "warning",
    "A duration in proxy.istio.io/config that Istio cannot read; it is left as it is, and Istio refuses the pod.",
    "Write it with a unit: 40s.",
    (d: { key: string; value: string }) =>
      `proxy.istio.io/config: ${d.key} ${quoted(d.value)} is not a duration with a unit, which Istio refuses; write ${withUnit(d.value, "40s")}.`,
  ),
  GG204: code(
    "warning",
    "MINIMUM_DRAIN_DURATION has a value that the proxy's agent cannot read; it falls back to 5 s without saying so.",
    "Write it with a unit: 5s.",
    (d: { value: string }) =>
      `MINIMUM_DRAIN_DURATION ${quoted(d.value)} is not a duration with a unit, so the proxy uses 5s; write ${withUnit(d.value, "5s")}.`,
  ),
  GG205: code(
    "warning",
    "The pod's own terminationDrainDuration is shorter than the budget's; it stays, and only counts without EXIT_ON_ZERO_ACTIVE_CONNECTIONS.",
    "Raise it, or remove it and let Gracegate write it.",
    (d: { value: number; needs: number }) =>
      `proxy.istio.io/config: terminationDrainDuration ${d.value}s is shorter than the ${d.needs}s that the budget needs; it stays, remove it to get ${d.needs}s.`,
  ),
  GG206: code(
    "warning",
    "The annotation sidecar.istio.io/statsInclusionSuffixes hides the gauges that hc counts in-flight requests with.",
    "Move its entries to proxyStatsMatcher.inclusionSuffixes in proxy.istio.io/config.",
    (_: Record<never, never>) =>
      "sidecar.istio.io/statsInclusionSuffixes hides the in-flight gauges from hc, whose drain will be blind; move its entries to proxyStatsMatcher in proxy.istio.io/config.",
  ),
  GG207: code(
    "warning",
    "The pod's own drainDuration is shorter than the proxy has to accept connections after SIGTERM; it stays.",
    "Raise it, or remove it and let Gracegate write it.",
    (d: { value: number; needs: number }) =>
      `proxy.istio.io/config: drainDuration ${d.value}s is shorter than the ${d.needs}s for which the proxy must accept connections; remove it to get ${d.needs}s.`,
  ),
  GG208: code(
    "warning",
    "The annotation proxy.istio.io/config has YAML that could not be edited without changing what else it says; it is left as it is.",
    "Write it without merge keys, block scalars, explicit keys or escapes, or set the values that docs/policy.md names yourself.",
    (_: Record<never, never>) =>
      "proxy.istio.io/config is left as it is, since its YAML could not be edited without changing what else it says; write it more plainly.",
  ),
  GG209: code(
    "warning",
    "A variable such as EXIT_ON_ZERO_ACTIVE_CONNECTIONS has a value that the proxy's agent cannot read; it takes it for false.",
    'Write "true" or "false".',
    (d: { name: string; value: string }) =>
      `${d.name} ${quoted(d.value)} is neither true nor false to the proxy's agent, which takes it for false; write "true" or "false".`,
  ),
  GG210: code(
    "warning",
    "The annotation proxy.istio.io/config is larger than the webhook reads; it is left as it is.",
    "Shorten it to 16 KiB, or set the values that docs/policy.md names yourself.",
    (d: { bytes: number; most: number }) =>
      `proxy.istio.io/config is left as it is, since it has ${d.bytes} bytes and at most ${d.most} are read; shorten it.`,
  ),
  GG211: code(
    "warning",
    "A field of proxy.istio.io/config has a type that Istio's decoder refuses; it is left as it is, and Istio refuses the pod.",
    "Write the bare value that the sentence names.",
    (d: { field: string; wants: string }) =>
      `proxy.istio.io/config: ${d.field} is not ${d.wants}, which Istio refuses; correct it.`,
  ),
  GG301: code(
    "warning",
    "maxGracePeriod is too small for the budget, so the drain timeout, and then the margin, were shortened.",
    "Raise maxGracePeriod, or shorten requestP99, drainTimeout or the load balancer's check interval.",
    (d: { limit: number; needs: string; shrunk: string }) =>
      `the grace period is limited to ${d.limit}s, but the budget needs ${d.needs}; ${d.shrunk}.`,
  ),
  GG302: code(
    "warning",
    "An explicit value breaks a rule that keeps requests alive.",
    "Change the value that the sentence names, or let Gracegate compute it.",
    (d: { rule: string }) => `the budget does not hold: ${d.rule}.`,
  ),
  GG303: code(
    "warning",
    "terminationGracePeriodSeconds 0 asks to be killed at once, so the pod is left unchanged.",
    "Remove it to get a graceful termination.",
    (_: Record<never, never>) =>
      "terminationGracePeriodSeconds is 0: the pod asks to be killed at once and is left unchanged; remove it to get a graceful termination.",
  ),
  GG304: code(
    "warning",
    "An application's preStop hook is longer than the limit of the grace period allows.",
    "Shorten the hook or raise maxGracePeriod.",
    (d: { container: string; seconds: number; most: number; limit: number }) =>
      `container ${quoted(d.container)} stops for ${d.seconds}s, but the limit of ${d.limit}s leaves ${d.most}s; the budget counts ${d.most}s.`,
  ),
  GG305: code(
    "info",
    "The length of a preStop hook cannot be read from the manifest (a loop, a variable, a program), so it counts as 0 s.",
    "If it takes long, set gracegate.dev/drain-timeout or write the wait as a sleep.",
    (d: { container: string }) =>
      `the preStop hook of container ${quoted(d.container)} has no length that can be read and counts as 0s.`,
  ),
  GG306: code(
    "warning",
    "A request time is so long that it looks like milliseconds, where a number means seconds.",
    "Write its unit: 20s, or 20000ms.",
    (d: { setting: string; origin: string; seconds: number; meant: string }) =>
      `${d.setting} ${d.seconds}s (${d.origin}) is longer than the grace period may be, and a number means seconds: did you mean ${d.meant}?`,
  ),
  GG401: code(
    "warning",
    "istio-proxy has a preStop hook of the user, which stays; Gracegate's own hook is not added.",
    "Remove the hook to get Gracegate's.",
    (d: { hook: string; seconds: number; wanted: string }) =>
      `istio-proxy keeps its own preStop (${d.hook}), which holds it for ${d.seconds}s, instead of ${d.wanted}; remove it to get that.`,
  ),
  GG402: code(
    "warning",
    "The pod has a container hc of the user; it is kept, and the proxy sleeps instead of waiting for it.",
    "Rename or remove that container to get Gracegate's hc.",
    (d: { image: string }) =>
      `the pod's own container hc (image ${quoted(d.image)}) is kept, so istio-proxy uses a preStop sleep; remove it to get Gracegate's hc.`,
  ),
  GG403: code(
    "warning",
    "hc could not be added, so the proxy sleeps and nothing steers the load balancer.",
    "Remove what is in the way, as the sentence says.",
    (d: { reason: string; remedy: string }) =>
      `hc was not added because ${d.reason}, so istio-proxy uses a preStop sleep; ${d.remedy}.`,
  ),
  GG404: code(
    "info",
    "The Sigterm hook was left out: the image has no kill, or PID 1 is not the proxy. The kubelet's own SIGTERM comes at the same moment.",
    "Nothing; proxyStop: Sleep gives a delay.",
    (d: { reason: string }) => `istio-proxy gets no Sigterm hook because ${d.reason}.`,
  ),
  GG405: code(
    "warning",
    "A change was dropped, since the API server would refuse the pod that it makes.",
    "Change the pod as the sentence says; without it the pod is created without this protection.",
    (d: { mutation: string; problem: string }) =>
      `${d.mutation} was left out, since the pod would be refused: ${d.problem}.`,
  ),
  GG406: code(
    "warning",
    "The pod has more containers than any node runs in one, so it is left unchanged.",
    "Split the pod.",
    (d: { containers: number; most: number }) =>
      `the pod has ${d.containers} containers, and pods of more than ${d.most} are left unchanged; split it.`,
  ),
  GG501: code(
    "error",
    "Gracegate met an error of its own and admitted the pod unchanged.",
    "Report the log line that carries the request's uid.",
    (d: { uid: string }) =>
      `Gracegate met an error of its own and left the pod unchanged; its log has the reason under uid ${quoted(d.uid)}.`,
  ),
  GG502: code(
    "error",
    "The pods of a workload will be refused, because a policy says `invalid: Deny` and an override does not parse.",
    "Correct the override that the next warning names.",
    (d: { kind: string; name: string }) =>
      `The pods of ${d.kind} ${named(d.name)} will be refused: a policy says invalid: Deny, and an override in the pod template does not parse.`,
  ),
  GG503: code(
    "warning",
    "More was noticed than one answer tells: 20 notices are shown, the gravest ones, and this one counts the others.",
    "Correct what the shown notices say, and the others appear.",
    (d: { more: number }) => `${d.more} more notices are not shown; correct what the others say, and they appear.`,
  ),
  GG601: code(
    "error",
    "A policy file or object is invalid; the last good set stays in force.",
    "Correct the field that the sentence names.",
    (d: { where: string; path: string; reason: string }) =>
      `${d.where}: ${d.path === "" ? "" : `${d.path} `}${d.reason}.`,
  ),
  GG602: code(
    "error",
    "An object in the cluster, a GracePolicy or the mesh config, cannot be used; it is skipped, and everything else stays in force.",
    "Correct the field that the sentence names. The CRD of this version refuses such a GracePolicy: apply it, `helm upgrade` does not.",
    (d: { where: string; path: string; reason: string }) => `${d.where}: ${d.path} ${d.reason}.`,
  ),
  GG603: code(
    "error",
    "A namespace has more GracePolicies than one namespace may have; those beyond the bound are skipped, in the order of names.",
    "Write fewer policies: one with a selector, or overrides of the pods, instead of one for each workload.",
    (d: { namespace: string; count: number; most: number; skipped: readonly string[] }) =>
      `namespace ${quoted(d.namespace)} has ${d.count} GracePolicies; the first ${d.most} by name hold, and ${namesOf(d.skipped)} ${d.skipped.length === 1 ? "is" : "are"} skipped.`,
  ),
  GG604: code(
    "warning",
    "A GracePolicy of a namespace sets fields that the cluster's owner has not delegated; they are skipped, and the rest of it holds.",
    "Remove the fields, or ask for them in `delegate` of a policy of Gracegate's own namespace.",
    (d: { policy: string; fields: readonly string[]; root: string }) =>
      `${d.policy}: ${d.fields.join(", ")} of gateway ${d.fields.length > 1 ? "are" : "is"} skipped, since no GracePolicy of namespace ${d.root} has ${d.fields.length > 1 ? "them" : "it"} in delegate.`,
  ),
  GG605: code(
    "warning",
    "A GracePolicy of a namespace has `delegate`, which only holds in Gracegate's own; it is skipped, and the rest of it holds.",
    "Remove the field.",
    (d: { policy: string; root: string }) =>
      `${d.policy}: delegate is skipped, since it only holds in a GracePolicy of namespace ${d.root}; remove it.`,
  ),
  GG701: code(
    "warning",
    "The proxy's stats matcher hides what hc counts in-flight requests with, so a drain is blind: it waits for the whole drain timeout.",
    "Name the suffixes in proxyStatsMatcher.inclusionSuffixes of the pod's proxy.istio.io/config and restart the pod.",
    (d: { suffixes: readonly string[] }) =>
      `Envoy hides ${d.suffixes.join(", ")}, so a drain cannot see what is in flight and waits for the whole drain timeout; add them to proxyStatsMatcher.inclusionSuffixes in the pod's proxy.istio.io/config.`,
  ),
  GG702: code(
    "warning",
    "A drain never got quiet, because the load balancer's profile has no drain answer and new requests kept coming.",
    "Let a replacement start on the same node at once, choose a profile with a drain answer, or let the balancer keep its sessions.",
    (d: { profile: string; inFlight: string }) =>
      `the load balancer went on sending requests, since the profile ${d.profile} has no answer that stops it, so hc closes with ${d.inFlight} in flight; start the replacement on the same node, or choose a profile with a drain answer.`,
  ),
  GG703: code(
    "warning",
    "No load balancer has asked for the health of an open gateway for a while.",
    "Check that the balancer's health check reaches hc's port and path.",
    (d: { seconds: number; paths: readonly string[]; port: number }) =>
      `no load balancer asked for ${d.paths.join(" or ")} on port ${d.port} for ${d.seconds}s; check its health check.`,
  ),
  GG704: code(
    "error",
    "An environment variable of hc cannot be read, so its default is used.",
    "Correct the variable that the sentence names.",
    (d: { problem: string }) => d.problem,
  ),
  GG705: code(
    "warning",
    "The proxy is ready, but what hc takes for Envoy's admin port does not answer as Envoy does, so a drain is blind and connections are not retired.",
    "Set ENVOY_ADMIN_PORT of hc (gateway.hc.extraEnv in the policy) to the proxy's proxyAdminPort.",
    (d: { port: number; how: string }) =>
      `port ${d.port}, taken for Envoy's admin port, ${d.how} while the proxy is ready, so a drain cannot see what is in flight; set ENVOY_ADMIN_PORT to the proxy's proxyAdminPort.`,
  ),
} as const;

/** The name of a code. */
export type CodeName = keyof typeof codes;

/** One thing that was noticed about one pod or policy. */
export interface Notice {
  readonly code: CodeName;
  readonly severity: Severity;
  /** The sentence, without the code. */
  readonly text: string;
}

type DetailsOf<Name extends CodeName> = Parameters<(typeof codes)[Name]["sentence"]>[0];

/** Makes a notice from the registry. */
export function notice<Name extends CodeName>(name: Name, details: DetailsOf<Name>): Notice {
  const entry = codes[name] as Code<DetailsOf<Name>>;
  return { code: name, severity: entry.severity, text: escaped(cut(entry.sentence(details), LONGEST)) };
}

/** A notice as one line for a person: the sentence, then the code. */
export function lineOf(of: Notice): string {
  return `${of.text} [${of.code}]`;
}
