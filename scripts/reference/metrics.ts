// docs/reference/metrics.md: every metric that an ingress serves, out of the registry that it serves.
import { type Metric, Registry } from 'prom-client';
import { createHttpMetrics } from '../../src/ingress/http/metrics.ts';
import { kafkaMetrics } from '../../src/ingress/kafka/metrics.ts';
import { code, fence, GENERATED, item, page, plain, wrap } from './markdown.ts';

/** What prom-client keeps of a metric, beside what it declares. */
interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

const INTRO =
  '`sluice ingress` and `sluice dev` serve metrics for Prometheus at `GET /metrics` of the ingress, by default `http://127.0.0.1:4020/metrics`. The endpoint needs no authentication, so do not expose it.';
/** The page docs/reference/metrics.md. */
export function renderMetrics(): string {
  const registry = new Registry();
  createHttpMetrics(registry, () => 0).watchBodies(() => ({ proven: 0, unproven: 0 }));
  kafkaMetrics(registry);
  const metrics = registry.getMetricsAsArray() as unknown as (Metric & Described)[];
  const list = (prefix: string) =>
    metrics
      .filter(({ name }) => name.startsWith(prefix))
      .map((metric) => item(describe(metric)))
      .join('\n');
  return page(
    '# Metrics',
    GENERATED,
    wrap(INTRO),
    fence('sh', 'curl http://127.0.0.1:4020/metrics'),
    '## HTTP',
    list('sluice_ingress_'),
    '## Kafka',
    list('sluice_kafka_'),
  );
}

function describe({ name, type, labelNames, help }: Described): string {
  const labels = labelNames.length === 0 ? '' : `, labels ${labelNames.map(code).join(', ')}`;
  return `${code(name)} (${type}${labels}): ${plain(help)}.`;
}
