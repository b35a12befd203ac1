// What other folders may take from the Kafka ingress.
export { type ClusterAccess } from './client.ts';
export { describeKafkaError, type KafkaTrouble } from './errors.ts';
export {
  type KafkaIngress,
  type KafkaIngressOptions,
  type KafkaStatus,
  MAX_MESSAGE_BYTES,
  type PartitionStatus,
  startKafkaIngress,
} from './ingress.ts';
export type { Pause } from './pauses.ts';
export type { Gap } from './positions.ts';
