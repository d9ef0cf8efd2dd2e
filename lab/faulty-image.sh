#!/usr/bin/env bash
# Puts another hc into an image: faulty-image.sh FOLDER IMAGE BUNDLE
#
# FOLDER is the place of test/e2e/install/image.sh; it gets faulty.tar, in which the image has its own name.
set -euo pipefail
folder=$(realpath "$1") image=$2 bundle=$3
buildah=(buildah --root "$folder/storage" --runroot "$folder/run" --storage-driver vfs)
policy=$folder/policy.json
container=$("${buildah[@]}" from --pull-never --signature-policy "$policy" "$image")
"${buildah[@]}" copy --quiet "$container" "$bundle" /opt/gracegate/dist/hc.js >/dev/null
"${buildah[@]}" commit --quiet --rm --signature-policy "$policy" "$container" "$image-faulty" >/dev/null
"${buildah[@]}" push --quiet --signature-policy "$policy" "$image-faulty" "docker-archive:$folder/faulty.part:$image"
mv "$folder/faulty.part" "$folder/faulty.tar"
"${buildah[@]}" rmi "$image-faulty" >/dev/null
