#!/usr/bin/env bash
# Builds cert-manager's controllers from its Go module, and copies its CRDs: cert-manager.sh VERSION OUTDIR
#
# The module has no program of them, so cert-manager/main.go starts them. Its module has a name below cert-manager's, since
# they import what is internal there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/go-module.sh"
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/cert-manager" ] || exit 0

mkdir -p "$out/module" "$out/crds"
cp "$here/cert-manager/main.go" "$out/module/"
go_module "$out/module" <<MOD
module github.com/cert-manager/cert-manager/e2e
go 1.26.0
require github.com/cert-manager/cert-manager $version
MOD
cp "$(go list -m -f '{{.Dir}}' github.com/cert-manager/cert-manager)"/deploy/crds/cert-manager.io_*.yaml "$out/crds/"
chmod u+w "$out"/crds/*
go_program . "$out/cert-manager"
