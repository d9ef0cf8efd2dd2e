#!/usr/bin/env bash
# Renders Istio's own charts, from its Go module, in the ways people set them: istio-charts.sh VERSION HELM FOLDER
set -euo pipefail
version=$1 helm=$2 folder=$(realpath -m "$3")
mkdir -p "$folder"
charts=$(GOFLAGS=-mod=mod go mod download -json "istio.io/istio@$version" | sed -n 's/^\s*"Dir": "\(.*\)",\{0,1\}$/\1/p')/manifests/charts

render() { # NAME CHART [FLAG...]
  local name=$1 chart=$2
  shift 2
  "$helm" template istio "$charts/$chart" --namespace istio-system "$@" >"$folder/$name.yaml"
}

for kind in Deployment DaemonSet; do
  for service in LoadBalancer NodePort ClusterIP; do
    render "gateway-$kind-$service" gateway --set kind=$kind --set service.type=$service
  done
done
render gateway-grace-period gateway --set terminationGracePeriodSeconds=60
render gateway-annotation gateway --set 'podAnnotations.proxy\.istio\.io/config=terminationDrainDuration: 20s'
render gateway-three gateway --set autoscaling.enabled=false --set replicaCount=3
render gateway-one gateway --set autoscaling.enabled=false --set replicaCount=1
render gateway-budget gateway --set podDisruptionBudget.minAvailable=1
render gateway-local gateway --set service.externalTrafficPolicy=Local
render gateway-openshift gateway --set platform=openshift
render istiod istio-control/istio-discovery
render istiod-two istio-control/istio-discovery --set autoscaleEnabled=false --set replicaCount=2
render istiod-drain istio-control/istio-discovery --set meshConfig.defaultConfig.terminationDrainDuration=30s
render ingress gateways/istio-ingress
render egress gateways/istio-egress
render cni istio-cni
render ztunnel ztunnel
