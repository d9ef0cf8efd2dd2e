#!/usr/bin/env bash
# Builds Kubernetes components from Go modules: kubernetes.sh VERSION OUTDIR COMPONENT...
#
# k8s.io/kubernetes requires its staging modules at v0.0.0 with local replace lines that a consumer does not see, so
# `go install` cannot build it; a module of our own that repeats the replace lines can. A component that is already in
# OUTDIR is not built again.
set -euo pipefail
source "$(dirname "$0")/go-module.sh"
version=$1 out=$(realpath -m "$2")
shift 2

missing=()
for component in "$@"; do [ -x "$out/$component" ] || missing+=("$component"); done
[ ${#missing[@]} -gt 0 ] || exit 0

staging="api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap
code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib
dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy
kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin
sample-controller"
minor=$(echo "$version" | cut -d. -f2)
[ "$minor" -lt 36 ] || staging="$staging cri-streaming streaming" # new in 1.36

go_mod() {
  printf 'module kubebinaries\n\ngo 1.25.0\n\nrequire k8s.io/kubernetes v%s\n' "$version"
  for module in $staging; do printf 'replace k8s.io/%s => k8s.io/%s v0.%s\n' "$module" "$module" "${version#*.}"; done
}
go_module "$out/module" "${@/#/k8s.io/kubernetes/cmd/}" < <(go_mod)

# Without these the API server calls itself v0.0.0-master and its version check of clients misleads.
flags=""
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags="$flags -X $package.gitVersion=v$version -X $package.gitMajor=1 -X $package.gitMinor=$minor"
done
for component in "${missing[@]}"; do go_program "k8s.io/kubernetes/cmd/$component" "$out/$component" "$flags"; done
