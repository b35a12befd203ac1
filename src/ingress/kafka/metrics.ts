// Metrics of the Kafka ingress, one set for all clusters of a process.
import { Counter, Gauge, type Metric, type Registry } from 'prom-client';

/** Creates the metrics, or returns those that another cluster created in the same registry. */
export function kafkaMetrics(registry: Registry) {
  const registers = [registry];
  const place = ['cluster', 'topic', 'partition'] as const;
  return {
    lag: find(
      registry,
      'sluice_kafka_lag',
      (name) =>
        new Gauge({
          name,
          help: 'Records between the committed offset and the end of the partition',
          labelNames: place,
          registers,
        }),
    ),
    records: find(
      registry,
      'sluice_kafka_records_total',
      (name) =>
        new Counter({
          name,
          help: 'Records read, by outcome: accepted, duplicate, skipped or dead_letter',
          labelNames: ['cluster', 'topic', 'route', 'outcome'] as const,
          registers,
        }),
    ),
    paused: find(
      registry,
      'sluice_kafka_partition_paused',
      (name) =>
        new Gauge({
          name,
          help: '1 while a partition is paused, by reason',
          labelNames: [...place, 'why'] as const,
          registers,
        }),
    ),
    gaps: find(
      registry,
      'sluice_kafka_gaps_total',
      (name) =>
        new Counter({
          name,
          help: 'Number of times that records were deleted before Sluice read them',
          labelNames: place,
          registers,
        }),
    ),
    missed: find(
      registry,
      'sluice_kafka_missed_records_total',
      (name) =>
        new Counter({
          name,
          help: 'Number of offsets that were deleted before Sluice read them',
          labelNames: place,
          registers,
        }),
    ),
    connected: find(
      registry,
      'sluice_kafka_connected',
      (name) =>
        new Gauge({
          name,
          help: '1 while the consumer is a member of its group, otherwise 0',
          labelNames: ['cluster'] as const,
          registers,
        }),
    ),
  };
}

function find<T extends Metric>(registry: Registry, name: string, make: (name: string) => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? make(name);
}
