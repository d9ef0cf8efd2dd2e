/**
 * The names that this program reads and writes in a pod's metadata, in one place.
 */

/** Istio's annotation with a pod's proxy configuration: YAML text. */
export const PROXY_CONFIG = "proxy.istio.io/config";

/** What Gracegate wrote into this pod: compact JSON. */
export const STATUS = "gracegate.dev/status";

/** Prefix of every override. */
export const OVERRIDE_PREFIX = "gracegate.dev/";

/** The kubelet puts it on the API server's copy of a static pod, and deletes that copy when it changes. */
export const MIRROR = "kubernetes.io/config.mirror";

/** Which of Istio's injection templates make up the proxy: a comma list. */
export const TEMPLATES = "inject.istio.io/templates";

/** Istio's own word on injection; the label beats the annotation. */
export const ISTIO_INJECT = "sidecar.istio.io/inject";

/** `distroless` or `debug`: which build of the proxy image is wanted. */
export const PROXY_IMAGE_TYPE = "sidecar.istio.io/proxyImageType";

/** Deprecated list of stats that replaces proxyStatsMatcher.inclusionSuffixes. */
export const STATS_INCLUSION_SUFFIXES = "sidecar.istio.io/statsInclusionSuffixes";

/** Port of the agent's status server, 15020 unless set; Istio's own annotation for it. */
export const STATUS_PORT = "status.sidecar.istio.io/port";
