#!/usr/bin/env bash
# Makes the two images of Istio that the node needs, without a registry: images.sh OUTDIR AGENT_FOLDER ENVOY ISTIOD_FOLDER
#
# OUTDIR gets proxyv2.tar (pilot-agent, upstream's Envoy, iptables for istio-init, busybox) and pilot.tar (istiod), both
# docker-archives. Paths inside are those of Istio's own images, since its injection template relies on them.
set -euo pipefail
out=$(realpath -m "$1") agent=$(realpath "$2") envoy=$(realpath "$3") istiod=$(realpath "$4")
mkdir -p "$out/storage"
buildah=(buildah --root "$out/storage" --runroot "$out/run" --storage-driver vfs)
policy=$out/policy.json
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$policy"

skeleton() { # ROOT
  rm -rf "$1"
  mkdir -p "$1"/{bin,dev,etc/ssl/certs,lib64,proc,run,sys,usr/bin,usr/sbin,usr/local/bin,var/lib/istio/envoy,var/lib/istio/data,etc/istio/proxy}
  install -d -m 1777 "$1/tmp"
  printf 'root:x:0:0:root:/root:/bin/sh\nistio-proxy:x:1337:1337::/var/lib/istio:/bin/sh\n' >"$1/etc/passwd"
  printf 'root:x:0:\nistio-proxy:x:1337:\n' >"$1/etc/group"
  cp "$(command -v busybox)" "$1/bin/busybox"
  for applet in $(busybox --list); do [ "$applet" = busybox ] || ln -s busybox "$1/bin/$applet"; done
}

libraries() { # ROOT BINARY...
  local root=$1
  shift
  for library in $(ldd "$@" | grep -o '/[^ :]*' | sort -u); do
    [ -d "$library" ] || cp -L --parents "$library" "$root"
  done
}

pack() { # ROOT NAME TAR ENTRYPOINT
  local container
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" copy --quiet "$container" "$1" / >/dev/null
  "${buildah[@]}" config --env PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin --entrypoint "[\"$4\"]" --user 1337:1337 "$container"
  "${buildah[@]}" commit --quiet --rm --signature-policy "$policy" "$container" "$2" >/dev/null
  "${buildah[@]}" push --quiet --signature-policy "$policy" "$2" "docker-archive:$out/$3.part:$2"
  mv "$out/$3.part" "$out/$3"
  rm -rf "$1"
}

if [ ! -f "$out/proxyv2.tar" ]; then
  root=$out/proxy-root
  skeleton "$root"
  cp "$agent/pilot-agent" "$root/usr/local/bin/"
  cp "$envoy" "$root/usr/local/bin/envoy"
  chmod 755 "$root/usr/local/bin/"*
  libraries "$root" "$envoy"
  cp "$agent/envoy_bootstrap.json" "$root/var/lib/istio/envoy/envoy_bootstrap_tmpl.json"
  multi=$(readlink -f "$(command -v iptables-nft || command -v /usr/sbin/iptables-nft)")
  cp "$multi" "$root/usr/sbin/xtables-nft-multi"
  for name in iptables ip6tables; do
    for verb in "" -save -restore; do
      ln -s xtables-nft-multi "$root/usr/sbin/$name$verb"
      ln -s xtables-nft-multi "$root/usr/sbin/$name-nft$verb"
    done
  done
  modules=$(dirname "$(find /usr/lib -name libxt_REDIRECT.so -o -name libipt_REDIRECT.so | head -1)")
  cp -r --parents "$modules" "$root"
  libraries "$root" "$multi" "$modules"/*.so
  chmod -R a+rX "$root"
  pack "$root" local.test/proxyv2:lab proxyv2.tar /usr/local/bin/pilot-agent
fi
if [ ! -f "$out/pilot.tar" ]; then
  root=$out/pilot-root
  skeleton "$root"
  cp "$istiod/pilot-discovery" "$root/usr/local/bin/"
  chmod -R a+rX "$root"
  pack "$root" local.test/pilot:lab pilot.tar /usr/local/bin/pilot-discovery
fi
