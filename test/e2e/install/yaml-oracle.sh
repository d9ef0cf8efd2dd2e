#!/usr/bin/env bash
# Builds yaml-oracle, which reads YAML with Kubernetes' and Istio's own modules: yaml-oracle.sh ISTIO_VERSION OUTDIR
set -euo pipefail
source "$(dirname "$0")/go-module.sh"
here=$(realpath "$(dirname "$0")")
version=$1 out=$(realpath -m "$2")
[ ! -x "$out/yaml-oracle" ] || [ "$here/yaml-oracle/main.go" -nt "$out/yaml-oracle" ] || exit 0

mkdir -p "$out/module"
cp "$here/yaml-oracle/main.go" "$out/module/main.go"
go_module "$out/module" <<MOD
module yamloracle
go 1.26.0
require istio.io/istio $version
MOD
CGO_ENABLED=0 go_program . "$out/yaml-oracle"
