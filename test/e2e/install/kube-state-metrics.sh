#!/usr/bin/env bash
# Builds kube-state-metrics from its Go module: kube-state-metrics.sh VERSION OUTDIR
set -euo pipefail
source "$(dirname "$0")/go-module.sh"
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/kube-state-metrics" ] || exit 0

go_module "$out/module" k8s.io/kube-state-metrics/v2 <<MOD
module kubestatemetrics
go 1.25.0
require k8s.io/kube-state-metrics/v2 $version
MOD
go_program k8s.io/kube-state-metrics/v2 "$out/kube-state-metrics"
