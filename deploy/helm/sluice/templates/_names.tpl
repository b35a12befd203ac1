{{/* Names, labels and references that several templates share. */}}

{{- define "sluice.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 50 characters, which leaves room for `-migrate`, and for what Kubernetes adds to the names of pods. */}}
{{- define "sluice.fullname" -}}
{{- $name := include "sluice.name" . -}}
{{- $full := .Values.fullnameOverride | default (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) -}}
{{- $full | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Kubernetes never changes the selector of a Deployment, so nothing in here may depend on a version or on values that change. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component | quote }}
{{- end -}}

{{/* Labels that the chart needs win over those of the values. */}}
{{- define "sluice.labels" -}}
{{- $own := include "sluice.selector" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" (.root.Chart.AppVersion | replace "+" "_" | trunc 63) -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63) -}}
{{- merge $own (default (dict) .labels) (default (dict) .root.Values.commonLabels) | toYaml -}}
{{- end -}}

{{/* `metadata` of an object: root, component, and more labels and annotations. */}}
{{- define "sluice.metadata" -}}
name: {{ printf "%s-%s" (include "sluice.fullname" .root) .component | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "sluice.labels" . | nindent 2 }}
{{- $annotations := merge (dict) (default (dict) .annotations) (default (dict) .root.Values.commonAnnotations) }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "sluice.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ printf "%s@%s" .repository .digest }}
{{- else -}}
{{ printf "%s:%s" .repository (default $.Chart.AppVersion .tag) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Of the workers, for Temporal. Two releases with the same image have the same one. */}}
{{- define "sluice.buildId" -}}
{{- $image := .Values.image -}}
{{- .Values.worker.deployment.buildId | default ($image.digest | default "" | trimPrefix "sha256:" | trunc 12) | default $image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{- define "sluice.serviceAccount" -}}
{{- $account := default (dict) .Values.serviceAccount -}}
{{- if $account.create -}}
{{ default (include "sluice.fullname" .) $account.name }}
{{- else -}}
{{ default "default" $account.name }}
{{- end -}}
{{- end -}}
