#!/usr/bin/env bash
# Builds Istio's pilot-agent from its Go module (one require line, no replace) and keeps the bootstrap template beside it.
#   pilot-agent.sh VERSION FOLDER
set -euo pipefail
version=$1
folder=$2
mkdir -p "$folder/source"
cd "$folder/source"
cat > go.mod <<MOD
module gracegate.dev/e2e
go 1.26.0
require istio.io/istio $version
MOD
cat > tools.go <<'GO'
//go:build tools

package tools

import _ "istio.io/istio/pilot/cmd/pilot-agent"
GO
go mod tidy 2>/dev/null
CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o ../pilot-agent istio.io/istio/pilot/cmd/pilot-agent
cp "$(go list -m -f '{{.Dir}}' istio.io/istio)/tools/packaging/common/envoy_bootstrap.json" ../envoy_bootstrap.json
chmod u+w ../envoy_bootstrap.json
