#!/usr/bin/env bash
# Builds helm from its Go module: helm.sh VERSION OUTDIR
#
# `go install` would put it among the user's own programs and under no version of ours; a module of our own keeps both.
set -euo pipefail
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/helm" ] || exit 0
command -v go >/dev/null || { echo "helm.sh: Go is needed to build helm; install Go 1.25 or later" >&2; exit 1; }

mkdir -p "$out/module"
cd "$out/module"
printf 'module helmbinary\n\ngo 1.25.0\n\nrequire helm.sh/helm/v3 %s\n' "$version" >go.mod
printf '//go:build tools\n\npackage tools\n\nimport _ "helm.sh/helm/v3/cmd/helm"\n' >tools.go
go mod tidy >/dev/null 2>tidy.log || { cat tidy.log >&2; exit 1; }

# helm tells charts the version of Kubernetes that it was built with; without the flags below `helm template` says 1.20.
client=$(go list -m -f '{{.Version}}' k8s.io/client-go)
minor=$(echo "$client" | cut -d. -f2)
flags="-s -w -X helm.sh/helm/v3/internal/version.version=$version"
for package in lint/rules chartutil; do
  flags="$flags -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
done
echo "building helm $version (a minute on first use)" >&2
go build -trimpath -ldflags "$flags" -o "$out/helm.part" helm.sh/helm/v3/cmd/helm
mv "$out/helm.part" "$out/helm"
