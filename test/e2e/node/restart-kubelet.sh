#!/usr/bin/env bash
# Kills the kubelet of up.sh's node, and starts it again after some seconds: restart-kubelet.sh DIR SECONDS
set -euo pipefail
dir=$(realpath "$1") seconds=$2
init=$(cat "$dir/init.pid")
# The path of its configuration is in no other process's command line.
old=$(pgrep -f -- "--config=$dir/kubelet.yaml")
kill -9 "$old"
sleep "$seconds"
nsenter -t "$init" -n -m -p -- setsid bash "$dir/kubelet.sh" >>"$dir/log/kubelet.log" 2>&1 </dev/null &
