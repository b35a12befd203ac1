// How the Kafka ingress stands, for operators and readiness checks.
import type { Pause, Place } from './pauses.ts';
import type { Gap } from './positions.ts';

export interface PartitionStatus extends Place {
  readonly route: string;
  /** Offset after the last record that is done. */
  readonly next: string;
  /** Records behind the end of the partition, as far as it is known. */
  readonly lag: number | null;
  readonly paused: Pause | null;
}

export interface KafkaStatus {
  readonly cluster: string;
  /** Whether the consumer is a member of its group. */
  readonly connected: boolean;
  /** Why it is not. */
  readonly away: string | null;
  readonly missingTopics: readonly string[];
  readonly partitions: readonly PartitionStatus[];
  /** The last hundred, since this process began. */
  readonly gaps: readonly Gap[];
}
