#!/usr/bin/env bash
# Builds Istio's pilot-agent from its Go module, and keeps the bootstrap template beside it: pilot-agent.sh VERSION OUTDIR
set -euo pipefail
source "$(dirname "$0")/go-module.sh"
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/pilot-agent" ] || exit 0

go_module "$out/module" istio.io/istio/pilot/cmd/pilot-agent <<MOD
module pilotagentbinary
go 1.26.0
require istio.io/istio $version
MOD
template=$(go list -m -f '{{.Dir}}' istio.io/istio)/tools/packaging/common/envoy_bootstrap.json
install -m 644 "$template" "$out/envoy_bootstrap.json"
CGO_ENABLED=0 go_program istio.io/istio/pilot/cmd/pilot-agent "$out/pilot-agent"
