#!/usr/bin/env bash
# Builds istiod (pilot-discovery) from Istio's Go module, and keeps Istio's charts beside it: istiod.sh VERSION OUTDIR
set -euo pipefail
source "$(dirname "$0")/go-module.sh"
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/pilot-discovery" ] || exit 0

go_module "$out/module" istio.io/istio/pilot/cmd/pilot-discovery <<MOD
module istiodbinary
go 1.26.0
require istio.io/istio $version
MOD
rm -rf "$out/charts"
cp -r "$(go list -m -f '{{.Dir}}' istio.io/istio)/manifests/charts" "$out/charts"
chmod -R u+w "$out/charts"
CGO_ENABLED=0 go_program istio.io/istio/pilot/cmd/pilot-discovery "$out/pilot-discovery"
