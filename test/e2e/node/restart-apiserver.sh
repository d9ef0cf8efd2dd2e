#!/usr/bin/env bash
# Kills the API server of up.sh's node and starts it again, as its manager would: restart-apiserver.sh DIR
set -euo pipefail
dir=$(realpath "$1")
init=$(cat "$dir/init.pid")
server=$(grep -o 'https://[0-9.:]*' "$dir/admin.kubeconfig")
inside=$(readlink "/proc/$init/ns/pid")
pid=
for comm in /proc/[0-9]*/comm; do
  process=${comm%/comm}
  [ "$(cat "$comm" 2>/dev/null)" = kube-apiserver ] || continue
  [ "$(readlink "$process/ns/pid" 2>/dev/null)" != "$inside" ] || pid=${process#/proc/}
done
[ -n "$pid" ] || { echo "restart-apiserver.sh: there is no API server" >&2; exit 1; }
mapfile -d '' command <"/proc/$pid/cmdline"
kill -9 "$pid"
while [ -d "/proc/$pid" ]; do sleep 0.05; done
nsenter -t "$init" -n -m -p -- setsid "${command[@]}" >>"$dir/log/kube-apiserver.log" 2>&1 </dev/null &
for _ in $(seq 600); do
  [ "$(curl -sk --max-time 1 $server/readyz)" != ok ] || exit 0
  sleep 0.1
done
tail -5 "$dir/log/kube-apiserver.log" >&2
exit 1
