/**
 * The commands that read manifests, `inject`, `explain` and `check`: which manifests, and the policies that hold for their pods.
 */
import { version } from "../version.ts";
import { command } from "./kit/command.ts";
import { flag, repeated, toggle, type Values } from "./kit/flag.ts";
import { format, oneOf, text } from "./kit/read.ts";

/** What holds unless it is said; a cluster's webhook may have been told otherwise. */
export const defaults = { hcImage: `gracegate:${version}`, rootNamespace: "gracegate", gatewayTemplates: "gateway" };

/** From the least to the gravest. */
export const SEVERITIES = ["info", "warning", "error"] as const;

const shared = {
  filename: repeated("-f, --filename <path>", "manifest, folder, or - for stdin; repeatable"),
  recursive: toggle("-R, --recursive", "also folders in folders"),
  namespace: flag("-n, --namespace <name>", "namespace of objects that name none (default)", text),
  policy: flag("--policy <path>", "GracePolicy file or folder", text),
  meshConfig: flag("--mesh-config <path>", "Istio's mesh config, or its ConfigMap", text),
  rootNamespace: flag(
    "--root-namespace <name>",
    "namespace whose policies hold everywhere",
    text,
    defaults.rootNamespace,
  ),
  hcImage: flag("--hc-image <image>", "image of hc where no policy names one", text, defaults.hcImage),
  gatewayTemplates: flag(
    "--gateway-templates <list>",
    "injection templates that make a gateway",
    text,
    defaults.gatewayTemplates,
  ),
};

/** What the flags that all three have say. */
export type ManifestValues = Values<typeof shared>;

/** The flags of `gracegate inject`. */
export const injectFlags = {
  ...shared,
  role: flag(
    "--role <role>",
    "write gracegate.dev/role into each pod: gateway or sidecar",
    oneOf(["gateway", "sidecar"], (typed) => `--role ${typed} is no role; there are gateway and sidecar.`),
  ),
  diff: toggle("--diff", "show what changes and why, instead of the manifests"),
  write: toggle("--write", "change the files in place, instead of writing to stdout"),
};

/** What they say. */
export type InjectValues = Values<typeof injectFlags>;

/** `gracegate inject`. */
export const inject = command({
  name: "inject",
  summary: "the webhook's changes, made in manifests",
  description: "make the webhook's changes in manifests",
  examples: [
    "istioctl kube-inject -f app.yaml | gracegate inject -f - --policy policies/ --hc-image registry.example/gracegate:0.1.0 | kubectl apply -f -",
    "# what would change, and why",
    "gracegate inject -f app.yaml --policy policies/ --diff",
    "# a folder in place, in a GitOps pipeline",
    "gracegate inject -R -f manifests/ --policy policies/ --hc-image registry.example/gracegate:0.1.0 --write",
  ],
  flags: injectFlags,
  load: () => import("./inject-run.ts"),
});

/** The flags of `gracegate explain`. */
export const explainFlags = {
  ...shared,
  beforeAfter: toggle("--before-after", "show the pod as it is and as Gracegate makes it"),
  after: toggle("--after", "show the pod as Gracegate makes it only"),
  only: flag("--only <name>", "only the workload of this name", text),
  svg: flag("--svg <file>", "write the timeline of one workload as a picture", text),
  output: flag("-o, --output <format>", "text or json", format("text", "json"), "text"),
};

/** What they say. */
export type ExplainValues = Values<typeof explainFlags>;

/** `gracegate explain`. */
export const explain = command({
  name: "explain",
  summary: "a pod's start and termination as a timeline, text and picture",
  description: "show a pod's start and termination as a timeline",
  examples: [
    "gracegate explain -f gateway.yaml",
    "# as it is, and as Gracegate would make it, as a picture",
    "gracegate explain -f gateway.yaml --policy policies/ --before-after --svg gateway.svg",
    "# of a pod that runs",
    "kubectl get pod -n edge gateway-0 -o yaml | gracegate explain -f -",
  ],
  flags: explainFlags,
  load: () => import("./explain-run.ts"),
});

/** The flags of `gracegate check`. */
export const checkFlags = {
  ...shared,
  cluster: toggle("--cluster", "check the current context of kubectl; -n for one namespace"),
  context: flag("--context <name>", "check this context of kubectl", text),
  fix: toggle("--fix", "write the safe repairs into the files; from stdin to stdout"),
  failOn: flag(
    "--fail-on <severity>",
    "least severity that ends with 1: error, warning, info",
    oneOf(SEVERITIES, (typed) => `--fail-on ${typed} is none of ${SEVERITIES.join(", ")}.`),
    "warning",
  ),
  rules: toggle("--rules", "list the rules"),
  output: flag("-o, --output <format>", "text or json", format("text", "json"), "text"),
};

/** What they say. */
export type CheckValues = Values<typeof checkFlags>;

/** `gracegate check`. */
export const check = command({
  name: "check",
  summary: "finds in manifests what breaks graceful termination, and mends it",
  description: "find in manifests what breaks graceful termination",
  examples: [
    "gracegate check -R -f manifests/ --policy policies/",
    "kustomize build overlays/prod | gracegate check -f -",
    "# mend what is safe to mend, comments stay",
    "gracegate check -f app.yaml --fix",
    "# what runs, read with kubectl; and whether the webhook answers",
    "gracegate check --cluster",
    "gracegate check --context prod -n edge",
  ],
  flags: checkFlags,
  load: () => import("./check-run.ts"),
});
