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

{{- define "gracegate.labels" -}}
{{ include "gracegate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gracegate.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
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
{{- $annotations := .Values.webhook.annotations -}}
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
  values: {{ concat (list "kube-system" "kube-node-lease" "kube-public" .Release.Namespace) .Values.webhook.excludedNamespaces | uniq | toJson }}
{{- end -}}
