{{/* The pod of a component: root, component, values of the component. */}}

{{- define "sluice.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "sluice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "sluice.env" -}}
- { name: SLUICE_CONFIG, value: /config/sluice.yaml }
- { name: SLUICE_STATE, value: /var/lib/sluice }
- { name: SLUICE_LOG_LEVEL, value: {{ .root.Values.logLevel | quote }} }
- { name: SLUICE_ADMIN_HOST, value: {{ .root.Values.admin.host | quote }} }
- { name: SLUICE_ADMIN_PORT, value: {{ .root.Values.admin.port | quote }} }
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .root.Values.database.secret.name | quote }}, key: {{ .root.Values.database.secret.key | quote }} } }
{{- with .root.Values.temporal }}
- { name: TEMPORAL_ADDRESS, value: {{ .address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .namespace | quote }} }
{{- if .tls }}
- { name: TEMPORAL_TLS, value: "true" }
{{- end }}
{{- if .insecure }}
- { name: TEMPORAL_INSECURE, value: "true" }
{{- end }}
{{- if and .apiKey .apiKey.name }}
- name: TEMPORAL_API_KEY
  valueFrom: { secretKeyRef: { name: {{ .apiKey.name | quote }}, key: {{ .apiKey.key | quote }} } }
{{- end }}
{{- if and .clientCertificate .clientCertificate.secret }}
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /temporal-tls/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /temporal-tls/tls.key }
{{- if .clientCertificate.hasAuthority }}
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /temporal-tls/ca.crt }
{{- end }}
{{- end }}
{{- with .serverName }}
- { name: TEMPORAL_TLS_SERVER_NAME, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- range $name, $ref := .secretEnv }}
- name: {{ $name | quote }}
  valueFrom: { secretKeyRef: { name: {{ $ref.name | quote }}, key: {{ $ref.key | quote }} } }
{{- end }}
{{- range $name, $value := .root.Values.env }}
- { name: {{ $name | quote }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "sluice.volumes" -}}
- name: config
{{- if .root.Values.config.volume }}
  {{- toYaml .root.Values.config.volume | nindent 2 }}
{{- else if .root.Values.config.files }}
  configMap: { name: {{ printf "%s-config" (include "sluice.fullname" .root) | quote }} }
{{- else }}
  configMap: { name: {{ .root.Values.config.existingConfigMap | quote }} }
{{- end }}
- { name: state, emptyDir: {} }
- { name: tmp, emptyDir: {} }
{{- with .root.Values.temporal.clientCertificate }}
{{- if .secret }}
- { name: temporal-tls, secret: { secretName: {{ .secret | quote }}, defaultMode: 0440 } }
{{- end }}
{{- end }}
{{- range $at, $name := .secretFiles }}
- { name: secret-{{ $at }}, secret: { secretName: {{ $name | quote }}, defaultMode: 0440 } }
{{- end }}
{{- end -}}

{{- define "sluice.mounts" -}}
- { name: config, mountPath: /config, readOnly: true }
- { name: state, mountPath: /var/lib/sluice }
- { name: tmp, mountPath: /tmp }
{{- with .root.Values.temporal.clientCertificate }}
{{- if .secret }}
- { name: temporal-tls, mountPath: /temporal-tls, readOnly: true }
{{- end }}
{{- end }}
{{- range $at, $name := .secretFiles }}
- { name: secret-{{ $at }}, mountPath: {{ printf "/secrets/%s" $name | quote }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "sluice.pod" -}}
{{- $values := .values -}}
{{- /* Secrets of all components, and those of this one, which win. */ -}}
{{- $secretEnv := merge (dict) (default (dict) $values.secretEnv) (default (dict) .root.Values.secretEnv) -}}
{{- $secretFiles := concat (default (list) .root.Values.secretFiles) (default (list) $values.secretFiles) | uniq -}}
{{- $scope := dict "root" .root "secretEnv" $secretEnv "secretFiles" $secretFiles -}}
metadata:
  labels:
    {{- include "sluice.labels" (dict "root" .root "component" .component "labels" $values.podLabels) | nindent 4 }}
  {{- $checksum := dict }}
  {{- with .root.Values.config.files }}
  {{- $checksum = dict "checksum/config" (toYaml . | sha256sum) }}
  {{- end }}
  {{- $annotations := merge (dict) $checksum (default (dict) $values.podAnnotations) (default (dict) .root.Values.commonAnnotations) }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "sluice.serviceAccount" .root | quote }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "sluice.podSecurity" . | nindent 4 }}
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- range $key := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
  {{- with index $values $key }}
  {{ $key }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "sluice.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy | quote }}
      args: [{{ .component }}]
      env:
        {{- include "sluice.env" $scope | nindent 8 }}
        {{- with $values.deployment }}
        {{- if or .name .buildId }}
        - { name: SLUICE_DEPLOYMENT, value: {{ required "worker.deployment.name is missing" .name | quote }} }
        - { name: SLUICE_BUILD_ID, value: {{ include "sluice.buildId" $.root | quote }} }
        {{- end }}
        {{- end }}
      ports:
        - { name: admin, containerPort: {{ .root.Values.admin.port }} }
        {{- with $values.port }}
        - { name: http, containerPort: {{ . }} }
        {{- end }}
      # The admin listener opens first. An outage of the ledger or of Temporal makes a pod unready, and restarts none.
      startupProbe: { httpGet: { path: /healthz, port: admin }, periodSeconds: 2, failureThreshold: 30 }
      livenessProbe: { httpGet: { path: /healthz, port: admin }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
      # A check of one part may take 5 s.
      readinessProbe: { httpGet: { path: /readyz, port: admin }, periodSeconds: 5, timeoutSeconds: 6, failureThreshold: 2 }
      {{- if $values.port }}
      # Until load balancers know that the pod ends, it still takes what they send.
      lifecycle: { preStop: { sleep: { seconds: 5 } } }
      {{- end }}
      securityContext:
        {{- include "sluice.security" . | nindent 8 }}
      {{- with $values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- include "sluice.mounts" $scope | nindent 8 }}
  volumes:
    {{- include "sluice.volumes" $scope | nindent 4 }}
{{- end -}}
