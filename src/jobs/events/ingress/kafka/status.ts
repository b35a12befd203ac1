// Status of the Kafka ingress, for operators and readiness checks.
import type { Pause, Place } from './pauses.ts';
import type { Gap } from './positions.ts';

export interface PartitionStatus extends Place {
  readonly route: string;
  /** Offset after the last record that is done. */
  readonly next: string;
  /** Number of records behind the end of the partition, if known. */
  readonly lag: number | null;
  readonly paused: Pause | null;
}

export interface KafkaStatus {
  readonly cluster: string;
  /** Whether the consumer is a member of its group. */
  readonly connected: boolean;
  /** Why it is not a member. */
  readonly away: string | null;
  readonly missingTopics: readonly string[];
  readonly partitions: readonly PartitionStatus[];
  /** The last hundred gaps since the process started. */
  readonly gaps: readonly Gap[];
}
