// docs/reference/metrics.md: every metric of Sluice, out of the registry that processes serve.
import type { Metric } from 'prom-client';
import { createMetrics } from '../../src/observe/metrics/index.ts';
import { code, fence, GENERATED, item, page, plain, wrap } from './markdown.ts';

/** What prom-client keeps of a metric, beside what it declares. */
interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

const INTRO = [
  'Every process that stays up serves metrics for Prometheus on its admin listener: `sluice worker`, `sluice ingress`, `sluice console`, `sluice dev` and `sluice demo` (`npm start`). The address is [`admin`](configuration.md#admin) of the configuration, by default `http://127.0.0.1:9464`.',
  'One page has the metrics of Sluice, of the process, and, in processes with workers, those of the Temporal SDK.',
];
const HEALTH = [
  '`GET /metrics`: this page of metrics.',
  '`GET /healthz`: 200 while the process runs.',
  '`GET /readyz`: 200 when the ledger, Temporal, the workers and the ingress of the process are ready. Otherwise 503 with `code` and `error`: `STARTING`, `CLOSING`, `LEDGER`, `TEMPORAL`, `WORKER`, `BUSY`, `TIMEOUT` or `INTERNAL`. `parts` has the state of each part; the ingress adds the open events of each account.',
];
const RULES = [
  'Requests need no login. Keep the listener in a private network. [Monitor Sluice](../how-to/monitor.md) shows how.',
  'Several processes on one machine need different ports. Set `SLUICE_ADMIN_PORT` for each. `sluice worker` and `sluice ingress` do not start while their port is in use. The others take a free port and print it.',
  'Labels are names of your configuration and fixed words. They contain no ids, phone numbers or tokens.',
  'Counters belong to one process: add them up over processes. Gauges of the ledger are the same in each process: take the maximum.',
  'If Temporal repeats an activity, its work counts again. The metrics show trends; the ledger has the exact numbers.',
];
const SDK =
  'Their names begin with `temporal_`. Counters end in `_total`, and times are in seconds. [The SDK lists them](https://docs.temporal.io/references/sdk-metrics). They are absent from processes without workers.';

/** Heading, beginnings of names, and what to know about the section. */
const SECTIONS: readonly (readonly [string, readonly string[], string])[] = [
  [
    'API calls',
    ['sluice_api_'],
    'Calls that this process made. `code` is the error code of the service, `OK`, or `OTHER` once there are more than 100 different codes.',
  ],
  [
    'Budget and backlog',
    ['sluice_budget_', 'sluice_backlog_', 'sluice_needs_', 'sluice_workers_'],
    'Gauges that Sluice reads from the ledger. They can be 10 seconds old.',
  ],
  [
    'Finished work',
    ['sluice_runs_', 'sluice_records_', 'sluice_events_', 'sluice_campaign_'],
    'Work that this process finished.',
  ],
  [
    'Pollers and outbox',
    ['sluice_poll_', 'sluice_outbox_'],
    'All but the counter are gauges that Sluice reads from the ledger.',
  ],
  ['HTTP ingress', ['sluice_ingress_'], 'Processes without an ingress have no values for these metrics.'],
  ['Kafka ingress', ['sluice_kafka_'], 'Processes without an ingress have no values for these metrics.'],
  [
    'Ledger',
    ['sluice_ledger_'],
    'Statements of this process, and the size of the ledger that all processes share.',
  ],
  [
    'Configuration',
    ['sluice_config_', 'sluice_certificate_', 'sluice_sync_'],
    'The certificates and schedules that it names, and whether this process works with the configuration on the disk: [change the configuration](../how-to/change-the-configuration.md).',
  ],
  [
    'Traces',
    ['sluice_trace_'],
    'Export of [traces](../how-to/trace-requests.md). While tracing is off, these metrics have no values.',
  ],
  [
    'Process',
    ['sluice_info', 'process_', 'nodejs_'],
    'Memory, processor time, event loop and garbage collection.',
  ],
];

/** The page docs/reference/metrics.md. */
export function renderMetrics(): string {
  const all = createMetrics('worker', '').registry.getMetricsAsArray() as unknown as (Metric & Described)[];
  const isOf = (beginnings: readonly string[], { name }: Described) =>
    beginnings.some((each) => name.startsWith(each));
  const left = all.filter((each) => !SECTIONS.some(([, beginnings]) => isOf(beginnings, each)));
  if (left.length > 0)
    throw new Error(
      `no section has ${left.map(({ name }) => name).join(', ')}: add its beginning to SECTIONS`,
    );
  const sections = SECTIONS.flatMap(([title, beginnings, about]) => {
    const own = all.filter((each) => isOf(beginnings, each));
    return [`## ${title}`, wrap(about), own.map((metric) => item(describe(metric))).join('\n')];
  });
  return page(
    '# Metrics',
    GENERATED,
    ...INTRO.map((text) => wrap(text)),
    fence('sh', 'curl http://127.0.0.1:9464/metrics'),
    HEALTH.map((text) => item(text)).join('\n'),
    'Rules:',
    RULES.map((text) => item(text)).join('\n'),
    ...sections,
    '## Temporal SDK',
    wrap(SDK),
  );
}

function describe({ name, type, labelNames, help }: Described): string {
  const labels = labelNames.length === 0 ? '' : `, labels ${labelNames.map(code).join(', ')}`;
  return `${code(name)} (${type}${labels}): ${plain(help).replace(/\.$/, '')}.`;
}
