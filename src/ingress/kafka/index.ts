// What other folders may take from the Kafka ingress.
export { type ClusterAccess } from './client.ts';
export {
  type DeadLetter,
  firstNameOf,
  markerMessage,
  type Resolution,
  replayMessage,
} from './dead-letter.ts';
export { describeKafkaError, type KafkaTrouble } from './errors.ts';
export {
  type KafkaIngress,
  type KafkaIngressOptions,
  MAX_MESSAGE_BYTES,
  startKafkaIngress,
} from './ingress.ts';
export type { Pause } from './pauses.ts';
export { fetchBounds, type Gap } from './positions.ts';
export { produce } from './producer.ts';
export { type FoundDeadLetter, readDeadLetters, TooMuchError } from './read-dead-letters.ts';
export { deliveryOf } from './record.ts';
export type { KafkaStatus, PartitionStatus } from './status.ts';
