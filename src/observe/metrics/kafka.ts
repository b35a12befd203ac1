// Metrics of the Kafka ingress, one set for all clusters of a process.
import { Counter, Gauge, type Registry } from 'prom-client';

export type KafkaMetrics = ReturnType<typeof createKafkaMetrics>;

export function createKafkaMetrics(registry: Registry) {
  const registers = [registry];
  const place = ['cluster', 'topic', 'partition'] as const;
  return {
    lag: new Gauge({
      name: 'sluice_kafka_lag',
      help: 'Records between the committed offset and the end of the partition',
      labelNames: place,
      registers,
    }),
    records: new Counter({
      name: 'sluice_kafka_records_total',
      help: 'Records read, by outcome: accepted, duplicate, skipped or dead_letter',
      labelNames: ['cluster', 'topic', 'route', 'outcome'] as const,
      registers,
    }),
    paused: new Gauge({
      name: 'sluice_kafka_partition_paused',
      help: '1 while a partition is paused, by reason',
      labelNames: [...place, 'why'] as const,
      registers,
    }),
    gaps: new Counter({
      name: 'sluice_kafka_gaps_total',
      help: 'Number of times that records were deleted before Sluice read them',
      labelNames: place,
      registers,
    }),
    missed: new Counter({
      name: 'sluice_kafka_missed_records_total',
      help: 'Number of offsets that were deleted before Sluice read them',
      labelNames: place,
      registers,
    }),
    connected: new Gauge({
      name: 'sluice_kafka_connected',
      help: '1 while the consumer is a member of its group, otherwise 0',
      labelNames: ['cluster'] as const,
      registers,
    }),
  };
}
