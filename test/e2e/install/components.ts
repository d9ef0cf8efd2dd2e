/**
 * The real components that e2e tests run against, installed or built on first use.
 *
 * Everything that is built goes into the cache folder (`.cache/`, or GRACEGATE_CACHE). Where a component cannot be had,
 * the test that needs it is skipped with the reason; in CI it fails instead, unless docs/e2e-skips.md names the
 * component, with the attempt that was made.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** Where built components are kept: an absolute path. */
export const cacheFolder: string = resolve(process.env.GRACEGATE_CACHE ?? ".cache");

/** The version of helm that charts are tested with. */
const HELM_VERSION = "v3.22.0";

/** The version of cert-manager that the chart is tested with. */
const CERT_MANAGER_VERSION = "v1.21.2";

/** A component: the path of its executable (empty where it is missing), and why it cannot be had. */
export interface Component {
  readonly path: string;
  /** Undefined where the component is there. */
  readonly missing: string | undefined;
}

/**
 * Finds an executable of a Debian package, and installs the package if it is not there.
 *
 * @param executable the name looked for in PATH
 * @param packages Debian packages that bring it
 */
export function debian(executable: string, packages: readonly string[]): Component {
  return had(executable, () => {
    const found = inPath(executable);
    if (found !== undefined) return found;
    run("apt-get", ["update", "-qq"]);
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
      DEBIAN_FRONTEND: "noninteractive",
    });
    return inPath(executable);
  });
}

/** Builds a component of Kubernetes from its Go module, or takes it from KUBEBUILDER_ASSETS. */
export function kubernetes(component: string, version: string): Component {
  return had(component, () => {
    const assets = process.env.KUBEBUILDER_ASSETS;
    if (assets && existsSync(join(assets, component))) return join(assets, component);
    const folder = join(cacheFolder, `kubernetes-${version}`);
    run("bash", [join(import.meta.dirname, "kubernetes.sh"), version, folder, component]);
    return join(folder, component);
  });
}

/** kubectl: the machine's, else built like the other components. */
export function kubectl(version: string): Component {
  const path = inPath("kubectl");
  return path === undefined ? kubernetes("kubectl", version) : { path, missing: undefined };
}

/** helm, built from its Go module: charts are tested with one version on every machine. */
export function helm(): Component {
  return had("helm", () => {
    const folder = join(cacheFolder, `helm-${HELM_VERSION}`);
    run("bash", [join(import.meta.dirname, "helm.sh"), HELM_VERSION, folder]);
    return join(folder, "helm");
  });
}

/**
 * Manifests of Istio's charts, rendered by helm: the path of their folder.
 *
 * @param version of the Go module istio.io/istio
 */
export function istioCharts(version: string): Component {
  return had("istio-charts", () => {
    const client = helm();
    if (client.missing !== undefined) throw new Error(client.missing);
    const folder = join(cacheFolder, `istio-charts-${version}`);
    run("bash", [join(import.meta.dirname, "istio-charts.sh"), version, client.path, folder]);
    return folder;
  });
}

/** cert-manager's controllers in one program; its CRDs are in the folder crds beside it. */
export function certManager(): Component {
  return had("cert-manager", () => {
    const folder = join(cacheFolder, `cert-manager-${CERT_MANAGER_VERSION}`);
    run("bash", [join(import.meta.dirname, "cert-manager.sh"), CERT_MANAGER_VERSION, folder]);
    return join(folder, "cert-manager");
  });
}

/**
 * The image in a tar, built as `make image` does; built anew each time, since it is what is tested.
 *
 * @param place a folder in the cache; whoever shares it must not build at the same time
 */
export function image(name: string, place = "image"): Component {
  return had("image", () => {
    const folder = join(cacheFolder, place);
    run("bash", [join(import.meta.dirname, "image.sh"), folder, name]);
    return join(folder, "gracegate.tar");
  });
}

/** etcd, from KUBEBUILDER_ASSETS or Debian. */
export function etcd(): Component {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets && existsSync(join(assets, "etcd"))) return { path: join(assets, "etcd"), missing: undefined };
  return debian("etcd", ["etcd-server"]);
}

/** Finds a component, or says why it cannot be had; in CI that is an error. */
export function had(name: string, find: () => string | undefined): Component {
  let missing: string;
  try {
    const path = find();
    if (path !== undefined) return { path, missing: undefined };
    missing = `${name} is not there after its package was installed`;
  } catch (error) {
    missing = `${name} cannot be had: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (process.env.CI && !isExcused(name)) throw new Error(`${missing}; docs/e2e-skips.md does not name it`);
  return { path: "", missing };
}

/** Whether docs/e2e-skips.md has a heading for the component. */
function isExcused(name: string): boolean {
  const page = "docs/e2e-skips.md";
  return existsSync(page) && readFileSync(page, "utf8").split("\n").includes(`## ${name}`);
}

function inPath(executable: string): string | undefined {
  if (executable.startsWith("/")) return existsSync(executable) ? executable : undefined;
  return [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"]
    .map((folder) => join(folder, executable))
    .find((path) => existsSync(path));
}

/** Runs an installer; its output goes to stderr only. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  mkdirSync(cacheFolder, { recursive: true });
  const result = spawnSync(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${result.status}`);
}
