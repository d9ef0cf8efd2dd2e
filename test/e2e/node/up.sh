#!/usr/bin/env bash
# A real node of Kubernetes in network, mount and process namespaces of its own: up.sh DIR BINARIES IMAGE_TAR...
#
# Writes DIR/admin.kubeconfig, which works on this machine, and DIR/init.pid: whoever kills that process ends everything
# inside. GRACEGATE_NODE (0 to 9) tells nodes on one machine apart. Needs root, containerd, runc, the CNI plugins, iptables, conntrack, etcd and openssl.
set -euo pipefail
dir=$(realpath -m "$1") bin=$(realpath "$2")
shift 2
images=()
for image in "$@"; do images+=("$(realpath "$image")"); done
number=${GRACEGATE_NODE:-0}
link=ggnode$number host=172.31.$((251 - number)).1 node=172.31.$((251 - number)).2 pods=10.245.$number services=10.97.$number
mkdir -p "$dir"/{pki,log,etcd,kubelet,containerd,cni,varlog}
echo "$link" >"$dir/link"
echo nameserver 127.0.0.1 >"$dir/resolv.conf" # look-ups fail at once instead of after seconds

# bash is process 1 inside and takes orphans. Paths that kubelet and CNI insist on get file systems of their own.
setsid unshare -n -m -p -f --propagation slave --mount-proc bash -c "
  mount --make-rshared /; mount -t tmpfs tmpfs /run; mkdir -p /var/lib/cni /var/lib/kubelet /run/lock
  mount -t tmpfs tmpfs /var/lib/kubelet; mount -t tmpfs tmpfs /var/lib/cni
  mount --bind '$dir/varlog' /var/log; mount --bind '$dir/resolv.conf' /etc/resolv.conf; touch /run/isolated
  trap : TERM INT; while :; do sleep 1000 & wait \$!; done" </dev/null >"$dir/log/init.log" 2>&1 &
outer=$!
init=
for _ in $(seq 100); do
  init=$(cut -d' ' -f1 "/proc/$outer/task/$outer/children" 2>/dev/null || true)
  [ -z "$init" ] || ! nsenter -t "$init" -m test -e /run/isolated 2>/dev/null || break
  sleep 0.05
done
echo "$init" >"$dir/init.pid"
inside() { nsenter -t "$init" -n -m -p -- "$@"; }
start() {
  local name=$1
  shift
  nsenter -t "$init" -n -m -p -- setsid "$@" >"$dir/log/$name.log" 2>&1 </dev/null &
}

ip link add "$link" type veth peer name eth0 netns "$init"
ip addr add "$host/24" dev "$link"
ip link set "$link" up
inside sh -ec "ip link set lo up; ip addr add $node/24 dev eth0; ip link set eth0 up; ip route add default via $host
  echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || true"
ip route add "$pods.0/24" via "$node"
ip route add "$services.0/24" via "$node"

cat >"$dir/containerd.toml" <<TOML
version = 2
root = "$dir/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$dir/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "local.test/pause:1"
  # Without CAP_SYS_RESOURCE runc cannot lower oom_score_adj, and every sandbox fails.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
TOML
cat >"$dir/cni/10-bridge.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "node", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$pods.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
JSON
start etcd etcd --data-dir "$dir/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380
start containerd containerd -c "$dir/containerd.toml"
(
  for _ in $(seq 200); do inside ctr version >/dev/null 2>&1 && break; sleep 0.05; done
  for image in "${images[@]}"; do inside ctr -n k8s.io images import "$image" >/dev/null; done
) &
importing=$!

cd "$dir/pki"
key() { openssl req "$@" -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes 2>/dev/null; }
key -x509 -keyout ca.key -out ca.crt -days 2 -subj /CN=node-ca
certificate() { # NAME SUBJECT [NAMES]
  key -keyout "$1.key" -out "$1.csr" -subj "$2"
  { echo extendedKeyUsage=clientAuth,serverAuth; [ -z "${3-}" ] || echo "subjectAltName=$3"; } >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -out "$1.crt" -days 2 -extfile "$1.ext" 2>/dev/null
}
certificate apiserver /CN=kube-apiserver "DNS:kubernetes.default.svc,DNS:localhost,IP:127.0.0.1,IP:$node,IP:$services.1"
certificate admin /O=system:masters/CN=admin
certificate scheduler /CN=system:kube-scheduler
certificate kubelet /O=system:nodes/CN=system:node:node1 "IP:$node,DNS:node1"
certificate proxy /CN=system:kube-proxy
openssl ecparam -name prime256v1 -genkey -noout -out sa.key
openssl ec -in sa.key -pubout -out sa.pub 2>/dev/null
for user in admin scheduler kubelet proxy; do
  cat >"$dir/$user.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://$node:6443", certificate-authority: $dir/pki/ca.crt}}]
users: [{name: u, user: {client-certificate: $dir/pki/$user.crt, client-key: $dir/pki/$user.key}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
YAML
done

start kube-apiserver "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --advertise-address="$node" \
  --secure-port=6443 --tls-cert-file="$dir/pki/apiserver.crt" --tls-private-key-file="$dir/pki/apiserver.key" \
  --client-ca-file="$dir/pki/ca.crt" --kubelet-client-certificate="$dir/pki/admin.crt" --kubelet-client-key="$dir/pki/admin.key" \
  --kubelet-preferred-address-types=InternalIP --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --allow-privileged=true --service-cluster-ip-range="$services.0/24" --service-account-issuer=https://kubernetes.default.svc \
  --service-account-key-file="$dir/pki/sa.pub" --service-account-signing-key-file="$dir/pki/sa.key"
ready() { [ "$(curl -sk --max-time 1 "https://$node:6443/readyz")" = ok ]; }
for _ in $(seq 600); do ready && break; sleep 0.1; done
ready || { tail -5 "$dir/log/kube-apiserver.log" >&2; exit 1; }
start kube-controller-manager "$bin/kube-controller-manager" --kubeconfig="$dir/admin.kubeconfig" --leader-elect=false \
  --bind-address=127.0.0.1 --service-account-private-key-file="$dir/pki/sa.key" --root-ca-file="$dir/pki/ca.crt" --allocate-node-cidrs=false
start kube-scheduler "$bin/kube-scheduler" --kubeconfig="$dir/scheduler.kubeconfig" --leader-elect=false --bind-address=127.0.0.1
wait "$importing"

# Another kubelet on this machine would remove pods that it does not know from a common cgroup.
group=/
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
  group=/$link
  for controller in /sys/fs/cgroup/*/; do
    [ -e "$controller/tasks" ] || continue
    mkdir -p "$controller$link"
    for part in cpuset.cpus cpuset.mems; do
      [ ! -e "$controller$part" ] || cat "$controller$part" >"$controller$link/$part"
    done
  done
fi
cat >"$dir/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: $group
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: []
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $dir/pki/kubelet.crt
tlsPrivateKeyFile: $dir/pki/kubelet.key
resolvConf: $dir/resolv.conf
clusterDNS: [$services.10]
podLogsDir: $dir/varlog/pods
evictionHard: {memory.available: 50Mi, nodefs.available: "1%", imagefs.available: "1%"}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
serializeImagePulls: false
imagePullCredentialsVerificationPolicy: NeverVerify
YAML
# A file, so that a kubelet that was killed can be started again.
cat >"$dir/kubelet.sh" <<SH
exec "$bin/kubelet" --config="$dir/kubelet.yaml" --kubeconfig="$dir/kubelet.kubeconfig" --root-dir="$dir/kubelet" \
  --hostname-override=node1 --node-ip="$node"
SH
start kubelet bash "$dir/kubelet.sh"
cat >"$dir/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $dir/proxy.kubeconfig}
mode: iptables
hostnameOverride: node1
clusterCIDR: $pods.0/24
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
YAML
start kube-proxy "$bin/kube-proxy" --config="$dir/proxy.yaml"

k() { kubectl --kubeconfig "$dir/admin.kubeconfig" "$@" 2>/dev/null; }
for _ in $(seq 300); do k get node node1 -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep -q True && break; sleep 0.2; done
for _ in $(seq 300); do k get serviceaccount default >/dev/null && exit 0; sleep 0.1; done
tail -5 "$dir/log/kubelet.log" >&2
exit 1
