#!/usr/bin/env bash
# Ends the node of up.sh, and removes what it left: down.sh DIR
#
# The kernel ends every process in the process namespace with its first one, and with them mounts, devices and rules.
set -uo pipefail
dir=$(realpath -m "$1")
link=$(cat "$dir/link" 2>/dev/null || echo ggnode0)
init=$(cat "$dir/init.pid" 2>/dev/null)
if [ -n "$init" ]; then
  kill -9 "$init" 2>/dev/null
  for _ in $(seq 100); do [ -d "/proc/$init" ] || break; sleep 0.1; done
fi
for controller in /sys/fs/cgroup/*/; do
  [ ! -d "$controller$link" ] || find "$controller$link" -depth -type d -exec rmdir {} + 2>/dev/null
done
ip link del "$link" 2>/dev/null
# Other nodes on this machine may stand on these.
ip -o link show | grep -q ': ggnode' || rmdir /var/lib/cni /var/lib/kubelet 2>/dev/null
rm -rf "${dir:?}"
