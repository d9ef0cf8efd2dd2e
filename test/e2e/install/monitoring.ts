/**
 * What watches: Prometheus and promtool, kube-state-metrics, the CRDs of the Prometheus operator, and a browser.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Component, cacheFolder, debian, had, run } from "./components.ts";

/** The version of the Go module k8s.io/kube-state-metrics/v2. */
const KUBE_STATE_METRICS = "v2.18.0";

/** The version of the Go module github.com/prometheus-operator/prometheus-operator. */
const OPERATOR = "v0.85.0";

/** Prometheus of Debian. */
export function prometheus(): Component {
  return debian("prometheus", ["prometheus"]);
}

/** Its tool that checks and tests rules. */
export function promtool(): Component {
  return debian("promtool", ["prometheus"]);
}

/** Chromium of Debian, and a font that it draws with. */
export function chromium(): Component {
  return debian("chromium", ["chromium", "fonts-dejavu-core"]);
}

/** kube-state-metrics, built from its Go module. */
export function kubeStateMetrics(): Component {
  return had("kube-state-metrics", () => {
    const folder = join(cacheFolder, `kube-state-metrics-${KUBE_STATE_METRICS}`);
    run("bash", [join(import.meta.dirname, "kube-state-metrics.sh"), KUBE_STATE_METRICS, folder]);
    return join(folder, "kube-state-metrics");
  });
}

/** The CRDs of the Prometheus operator, from its Go module: the path of their folder. */
export function operatorCrds(): Component {
  return had("prometheus-operator-crds", () => {
    const module = `github.com/prometheus-operator/prometheus-operator@${OPERATOR}`;
    const { stdout, stderr, status } = spawnSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
    if (status !== 0) throw new Error(`go mod download ${module}: ${stderr}${stdout}`);
    const folder = join((JSON.parse(stdout) as { Dir: string }).Dir, "example/prometheus-operator-crd");
    return existsSync(folder) ? folder : undefined;
  });
}
