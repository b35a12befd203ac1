// Values of the chart: each is rendered and checked.

export const DIGEST = `sha256:${'a1'.repeat(32)}`;
export const HOSTILE = 'a "b" \'c\' {{ .Values }} \n# d: [e]\t\\ é';
const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };
export const CASES: Record<string, object> = {
  'the defaults': {},
  everything: {
    image: { repository: 'registry.example.com:5000/team/sluice', digest: DIGEST },
    imagePullSecrets: [{ name: 'pull' }],
    commonLabels: { team: 'crm' },
    commonAnnotations: { owner: 'crm' },
    config: { files: { 'sluice.yaml': 'version: 1\n', 'mapping.yaml': 'x: 1\n' } },
    temporal: {
      tls: true,
      apiKey: { name: 'temporal-key' },
      clientCertificate: { secret: 'temporal-cert' },
      serverName: 'temporal.example.com',
    },
    secretEnv: { ACME_TOKEN: { name: 'acme', key: 'token' } },
    secretFiles: ['acme', 'globex'],
    env: { NODE_EXTRA_CA_CERTS: '/config/ca.pem' },
    worker: {
      secretEnv: { SINK_TOKEN: { name: 'sink', key: 'token' } },
      secretFiles: ['worker-only'],
      autoscaling: { enabled: true },
      topologySpreadConstraints: [SPREAD],
      deployment: { name: 'sluice' },
    },
    ingress: { enabled: true, expose: expose('events.example.com') },
    console: { enabled: true, expose: expose('sluice.example.com') },
    migration: { secret: { name: 'owner' } },
    networkPolicy: { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true },
  },
  'hostile texts': {
    fullnameOverride: `x${'y'.repeat(62)}`,
    commonLabels: { 'app.kubernetes.io/name': 'stolen', on: 'yes', number: '007' },
    commonAnnotations: { note: HOSTILE, 'a/b': 'null', empty: '' },
    config: { files: { 'sluice.yaml': `# ${HOSTILE}\nversion: 1\n`, 'odd_file-1.yaml': '{{ $x }}' } },
    env: { PLAIN: HOSTILE, EMPTY: '', YES: 'yes', NUMBER: '1000000', TRUE: 'true', COLON: ': - #' },
    ingress: {
      enabled: true,
      podAnnotations: { note: HOSTILE },
      service: { annotations: { note: HOSTILE } },
    },
    console: { enabled: true },
    worker: {
      podLabels: { 'app.kubernetes.io/instance': 'stolen', on: 'off' },
      podAnnotations: { 'checksum/config': 'stolen', note: HOSTILE },
      tolerations: [{ key: 'a', operator: 'Exists' }],
    },
  },
  'null where a value may be left out': {
    worker: {
      secretEnv: null,
      secretFiles: null,
      resources: null,
      deployment: null,
      podDisruptionBudget: null,
      autoscaling: null,
      podLabels: null,
      podAnnotations: null,
      nodeSelector: null,
      affinity: null,
      priorityClassName: null,
    },
    ingress: { enabled: true, service: null, expose: null },
    console: { enabled: true, resources: null },
    commonLabels: null,
    imagePullSecrets: null,
    secretEnv: null,
    secretFiles: null,
    env: null,
    migration: null,
    serviceAccount: null,
    networkPolicy: null,
    serviceMonitor: null,
    prometheusRule: null,
    temporal: { apiKey: null, clientCertificate: null, serverName: null },
  },
};

function expose(host: string): object {
  return { enabled: true, host, className: 'nginx', tlsSecret: 'cert', annotations: { a: 'b' } };
}
