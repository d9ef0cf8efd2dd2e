#!/usr/bin/env bash
# Builds helm from its Go module: helm.sh VERSION OUTDIR
set -euo pipefail
source "$(dirname "$0")/go-module.sh"
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/helm" ] || exit 0

go_module "$out/module" helm.sh/helm/v3/cmd/helm <<MOD
module helmbinary
go 1.25.0
require helm.sh/helm/v3 $version
MOD

# helm tells charts the version of Kubernetes that it was built with; without the flags below `helm template` says 1.20.
client=$(go list -m -f '{{.Version}}' k8s.io/client-go)
minor=$(echo "$client" | cut -d. -f2)
flags="-X helm.sh/helm/v3/internal/version.version=$version"
for package in lint/rules chartutil; do
  flags="$flags -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
done
go_program helm.sh/helm/v3/cmd/helm "$out/helm" "$flags"
