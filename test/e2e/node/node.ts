/**
 * A real single node of Kubernetes for tests, with everything that it needs: binaries, images, namespaces.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ClusterApi } from "../../../src/kube/api.ts";
import { apiOf } from "../../integration/cluster-worlds.ts";
import { type Component, debian, etcd, helm, image, kubectl, kubernetes } from "../install/components.ts";

/** The image that the node has; no registry has it. */
export const IMAGE = { repository: "local.test/gracegate", tag: "e2e" } as const;

/** How a command ended. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running node. */
export interface ClusterNode {
  readonly api: ClusterApi;
  /** The path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** What the node wrote: logs of its parts, and of containers. */
  readonly folder: string;
  /** Runs a command inside the node's namespaces. */
  inside(command: readonly string[]): Ran;
  kubectl(args: readonly string[], input?: string): Ran;
  helm(args: readonly string[]): Ran;
  /** Kills the API server, and returns when another one is ready. */
  restartApiServer(): void;
  stop(): void;
}

/** What one node has that others have not. */
export interface NodeOptions {
  /** 0 to 9; nodes that run at the same time on one machine differ in it. */
  readonly number?: number;
  /** The place of Gracegate's image in the cache. */
  readonly imagePlace?: string;
}

/** What a node needs; the first that cannot be had says why. */
export function nodeComponents(
  version: string,
  options: NodeOptions = {},
): { readonly missing: string | undefined; start(images?: readonly string[]): ClusterNode } {
  const fromModules = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"];
  const isRoot = process.getuid?.() === 0;
  const root: Component = { path: "", missing: isRoot ? undefined : "a node needs root" };
  const { number = 0, imagePlace } = options;
  if (!isRoot) return { missing: root.missing, start: () => startNode(number, "", [], "", "") };
  const needed: Component[] = [
    etcd(),
    debian("containerd", ["containerd"]),
    debian("runc", ["runc"]),
    debian("iptables", ["iptables"]),
    debian("conntrack", ["conntrack"]),
    debian("busybox", ["busybox-static"]),
    debian("buildah", ["buildah"]),
    debian("gcc", ["gcc", "libc6-dev"]),
    debian("ip", ["iproute2"]),
    debian("openssl", ["openssl"]),
    debian("curl", ["curl"]),
    debian("/usr/lib/cni/bridge", ["containernetworking-plugins"]),
    ...fromModules.map((name) => kubernetes(name, version)),
    kubectl(version),
    helm(),
    image(`${IMAGE.repository}:${IMAGE.tag}`, imagePlace),
  ];
  const missing = needed.find((one) => one.missing !== undefined)?.missing;
  const binaries = dirname(needed.find(({ path }) => path.endsWith("/kubelet"))?.path ?? "");
  const [kubectlBinary = "", helmBinary = "", tar = ""] = needed.slice(-3).map(({ path }) => path);
  const own = [join(dirname(tar), "pause.tar"), tar];
  return {
    missing,
    start: (images = []) => startNode(number, binaries, [...own, ...images], kubectlBinary, helmBinary),
  };
}

function startNode(
  number: number,
  binaries: string,
  images: readonly string[],
  kubectlBinary: string,
  helmBinary: string,
): ClusterNode {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-node-"));
  const script = (name: string) => join(import.meta.dirname, name);
  const stop = () => {
    run("bash", [script("down.sh"), folder]);
  };
  const up = run("env", [`GRACEGATE_NODE=${number}`, "bash", script("up.sh"), folder, binaries, ...images]);
  if (up.status !== 0) {
    stop();
    throw new Error(`the node did not come up: ${up.stderr}`);
  }
  const kubeconfig = join(folder, "admin.kubeconfig");
  const init = readFileSync(join(folder, "init.pid"), "utf8").trim();
  return {
    api: apiOf(kubeconfig),
    kubeconfig,
    folder,
    inside: (command) => run("nsenter", ["-t", init, "-n", "-m", "-p", "--", ...command]),
    kubectl: (args, input) => run(kubectlBinary, ["--kubeconfig", kubeconfig, ...args], input),
    helm: (args) => run(helmBinary, ["--kubeconfig", kubeconfig, ...args]),
    restartApiServer() {
      const { status, stderr } = run("bash", [script("restart-apiserver.sh"), folder]);
      if (status !== 0) throw new Error(`the API server did not come back: ${stderr}`);
    },
    stop,
  };
}

function run(command: string, args: readonly string[], input?: string): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    timeout: 180_000,
    maxBuffer: 64 * 1024 * 1024,
    // What runs inside outlives the script, and must not hold its pipes.
    ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input }),
  });
  return { status, stdout, stderr };
}
