{{/* The name of everything in the release's namespace. Starts with "gracegate" whatever the release is called. */}}
{{- define "gracegate.name" -}}
{{- $name := ternary .Release.Name (printf "gracegate-%s" .Release.Name) (hasPrefix "gracegate" .Release.Name) -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of what is not in a namespace. Sorts before istio-revision-tag-… and istio-sidecar-injector. */}}
{{- define "gracegate.clusterName" -}}
{{- printf "%s-%s" (include "gracegate.name" .) .Release.Namespace -}}
{{- end -}}

{{- define "gracegate.selector" -}}
app.kubernetes.io/name: gracegate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Neither a label nor an image's tag takes the plus sign of build metadata. */}}
{{- define "gracegate.version" -}}
{{- .Chart.AppVersion | replace "+" "_" -}}
{{- end -}}

{{- define "gracegate.labels" -}}
{{ include "gracegate.selector" . }}
app.kubernetes.io/version: {{ include "gracegate.version" . | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimAll "-_." }}
{{- end -}}

{{- define "gracegate.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default (include "gracegate.version" $) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The Secret of the serving certificate: one for each source, so that none takes over what another left. */}}
{{- define "gracegate.secretName" -}}
{{- $suffix := ternary "cert-manager-tls" "tls" (eq .Values.certificates.source "cert-manager") -}}
{{- .Values.certificates.secretName | default (printf "%s-%s" (include "gracegate.name" .) $suffix) -}}
{{- end -}}

{{- define "gracegate.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* clientConfig of a webhook. The source self fills in caBundle at run time, with a field manager of its own. */}}
{{- define "gracegate.clientConfig" -}}
service:
  name: {{ include "gracegate.name" .root }}
  namespace: {{ .root.Release.Namespace }}
  path: {{ .path }}
  port: 443
{{- if and (eq .root.Values.certificates.source "secret") .root.Values.certificates.caBundle }}
caBundle: {{ .root.Values.certificates.caBundle }}
{{- end }}
{{- end -}}

{{- define "gracegate.configurationAnnotations" -}}
{{- $annotations := .Values.webhook.annotations | default dict -}}
{{- if eq .Values.certificates.source "cert-manager" -}}
{{- $from := printf "%s/%s" .Release.Namespace (include "gracegate.name" .) -}}
{{- $annotations = merge (dict "cert-manager.io/inject-ca-from" $from) $annotations -}}
{{- end -}}
{{- with $annotations }}
annotations: {{ toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Namespaces that no pod is touched in, as a requirement of a namespaceSelector. */}}
{{- define "gracegate.never" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values: {{ concat (list "kube-system" "kube-node-lease" "kube-public" .Release.Namespace) (.Values.webhook.excludedNamespaces | default list) | uniq | toJson }}
{{- end -}}

{{/*
The Service of a gateway's health checks. Named by what it selects and not by its place in the list: one that changes its
name is made before the other goes, and its nodePort is taken still.
*/}}
{{- define "gracegate.gatewayName" -}}
{{- $gateway := .gateway -}}
{{- $what := dict "namespace" $gateway.namespace "selector" $gateway.selector "port" (int ($gateway.port | default 18180)) -}}
{{- $gateway.name | default (printf "%s-hc-%s" (include "gracegate.name" .root) ($what | toJson | sha256sum | trunc 8)) -}}
{{- end -}}
