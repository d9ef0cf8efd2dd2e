#!/usr/bin/env bash
# Builds the image with buildah, or with docker where there is no buildah: image.sh IMAGE BASE_IMAGE [OPTION...]
#
# Options go to buildah alone, such as its storage. npm finds its registry where it finds it on this machine.
# UNPINNED=1 allows a base image without a digest, which may be another one tomorrow.
set -euo pipefail
image=$1 base=$2
shift 2
if [[ ! $base =~ @sha256:[0-9a-f]{64}$ && ${UNPINNED-} != 1 ]]; then
  echo "$base has no digest; add @sha256:… (image/base tells how to find it), or allow that with UNPINNED=1." >&2
  exit 2
fi
cd "$(dirname "$0")/.."
if command -v buildah >/dev/null; then
  mounts=()
  npmrc=$(npm config get userconfig)
  [ ! -f "$npmrc" ] || mounts+=(--volume "$npmrc:/root/.npmrc:ro")
  [ -z "${npm_config_registry-}" ] || mounts+=(--env "npm_config_registry=$npm_config_registry")
  exec buildah "$@" build --isolation chroot --network host --layers=false --quiet "${mounts[@]}" \
    --build-arg "BASE_IMAGE=$base" --tag "$image" .
fi
exec docker build --build-arg "BASE_IMAGE=$base" --tag "$image" .
