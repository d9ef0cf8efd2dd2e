#!/usr/bin/env bash
# Builds kube-state-metrics from its Go module: kube-state-metrics.sh VERSION OUTDIR
set -euo pipefail
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/kube-state-metrics" ] || exit 0
command -v go >/dev/null || { echo "kube-state-metrics.sh: Go is needed; install Go 1.25 or later" >&2; exit 1; }

mkdir -p "$out/module"
cd "$out/module"
printf 'module kubestatemetrics\n\ngo 1.25.0\n\nrequire k8s.io/kube-state-metrics/v2 %s\n' "$version" >go.mod
printf '//go:build tools\n\npackage tools\n\nimport _ "k8s.io/kube-state-metrics/v2"\n' >tools.go
go mod tidy >/dev/null 2>tidy.log || { cat tidy.log >&2; exit 1; }
echo "building kube-state-metrics $version (a minute on first use)" >&2
go build -trimpath -ldflags "-s -w" -o "$out/kube-state-metrics.part" k8s.io/kube-state-metrics/v2
mv "$out/kube-state-metrics.part" "$out/kube-state-metrics"
