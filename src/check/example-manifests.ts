/**
 * The manifests that the rules' examples are made of: a gateway and an application as they should be, with lines to add.
 */

/** Lines to add to a manifest, without their indentation. */
export interface Lines {
  /** In place of `minReadySeconds: 7` and `replicas: 2` of the workload. */
  readonly workload?: readonly string[];
  readonly annotations?: readonly string[];
  readonly pod?: readonly string[];
  /** In the container. */
  readonly container?: readonly string[];
  readonly image?: string;
  readonly kind?: string;
}

/** A gateway's Deployment. */
export function gateway(lines: Lines = {}): string {
  return manifest("edge", "istio-proxy", lines.image ?? "auto", {
    workload: ["replicas: 2", "minReadySeconds: 7"],
    container: lines.image === undefined ? ["imagePullPolicy: IfNotPresent"] : [],
    ...lines,
    annotations: ["inject.istio.io/templates: gateway", ...(lines.annotations ?? [])],
  });
}

/** An application's Deployment. */
export function application(lines: Lines = {}): string {
  return manifest("shop", "web", lines.image ?? "shop/web:7", { workload: ["replicas: 2"], ...lines });
}

function manifest(name: string, container: string, image: string, lines: Lines): string {
  const indent = (depth: number, list: readonly string[] = []) => list.map((line) => " ".repeat(depth) + line);
  const { annotations = [] } = lines;
  const kind = lines.kind ?? "Deployment";
  return `${[
    `apiVersion: ${kind === "Job" ? "batch/v1" : "apps/v1"}`,
    `kind: ${kind}`,
    `metadata: { name: ${name}, namespace: ${name} }`,
    "spec:",
    ...(kind === "Job" ? [] : indent(2, lines.workload)),
    ...(kind === "Job" ? [] : [`  selector: { matchLabels: { app: ${name} } }`]),
    "  template:",
    "    metadata:",
    `      labels: { app: ${name} }`,
    ...(annotations.length === 0 ? [] : ["      annotations:"]),
    ...indent(8, annotations),
    "    spec:",
    ...indent(6, lines.pod),
    "      containers:",
    `        - name: ${container}`,
    `          image: ${image}`,
    ...indent(10, lines.container),
  ].join("\n")}\n`;
}

/** A gateway that Istio's injector has rendered. */
export const RENDERED: Lines = {
  image: "registry.example/istio/proxyv2:1.31.0",
  container: ["args: [proxy, router]"],
};

/** A Service in front of the gateway. */
export function service(...spec: readonly string[]): string {
  return `${[
    "apiVersion: v1",
    "kind: Service",
    "metadata: { name: edge, namespace: edge }",
    "spec:",
    "  selector: { app: edge }",
    ...spec.map((line) => `  ${line}`),
  ].join("\n")}\n`;
}

/** A cloud's Service in front of the gateway, with annotations for its balancer. */
export function cloudService(...annotations: readonly string[]): string {
  return service(
    "type: LoadBalancer",
    "externalTrafficPolicy: Local",
    "ports: [{ port: 443, targetPort: 8443 }]",
  ).replace("namespace: edge }", `namespace: edge, annotations: { ${annotations.join(", ")} } }`);
}

/** The Service at which the balancer asks hc. */
export const HC_SERVICE = [
  "apiVersion: v1",
  "kind: Service",
  "metadata: { name: edge-hc, namespace: edge }",
  "spec:",
  "  type: NodePort",
  "  externalTrafficPolicy: Local",
  "  selector: { app: edge }",
  "  ports: [{ name: hc, port: 18180, nodePort: 30180 }]",
  "",
].join("\n");

/** Documents of one stream. */
export function documents(...texts: readonly string[]): string {
  return texts.join("---\n");
}
