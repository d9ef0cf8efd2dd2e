#!/usr/bin/env bash
# Builds istiod (pilot-discovery) from Istio's Go module, and keeps Istio's charts beside it: istiod.sh VERSION FOLDER
set -euo pipefail
version=$1
folder=$2
mkdir -p "$folder/source"
cd "$folder/source"
cat > go.mod <<MOD
module gracegate.dev/lab
go 1.26.0
require istio.io/istio $version
MOD
cat > tools.go <<'GO'
//go:build tools

package tools

import _ "istio.io/istio/pilot/cmd/pilot-discovery"
GO
go mod tidy 2>/dev/null
echo "building istiod (minutes on first use)" >&2
CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o ../pilot-discovery.part istio.io/istio/pilot/cmd/pilot-discovery
rm -rf ../charts
cp -r "$(go list -m -f '{{.Dir}}' istio.io/istio)/manifests/charts" ../charts
chmod -R u+w ../charts
mv ../pilot-discovery.part ../pilot-discovery
