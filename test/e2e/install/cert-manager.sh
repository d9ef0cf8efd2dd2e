#!/usr/bin/env bash
# Builds cert-manager's controllers from its Go module, and copies its CRDs: cert-manager.sh VERSION OUTDIR
#
# The module has no program of them, so cert-manager/main.go starts them. Its module has a name below cert-manager's, since
# they import what is internal there.
set -euo pipefail
version=$1 out=$(realpath -m "$2") here=$(cd "$(dirname "$0")" && pwd)
[ ! -x "$out/cert-manager" ] || exit 0
command -v go >/dev/null || { echo "cert-manager.sh: Go is needed to build cert-manager; install Go 1.26 or later" >&2; exit 1; }

mkdir -p "$out/module" "$out/crds"
cp "$here/cert-manager/main.go" "$out/module/"
cd "$out/module"
printf 'module github.com/cert-manager/cert-manager/e2e\n\ngo 1.26.0\n\nrequire github.com/cert-manager/cert-manager %s\n' "$version" >go.mod
go mod tidy >/dev/null 2>tidy.log || { cat tidy.log >&2; exit 1; }
cp "$(go list -m -f '{{.Dir}}' github.com/cert-manager/cert-manager)"/deploy/crds/cert-manager.io_*.yaml "$out/crds/"
chmod u+w "$out"/crds/*
echo "building cert-manager $version (minutes on first use)" >&2
go build -trimpath -ldflags "-s -w" -o "$out/cert-manager.part" .
mv "$out/cert-manager.part" "$out/cert-manager"
