// What other folders may take from the Kafka ingress.
export { type ClusterAccess } from './client.ts';
export { describeKafkaError, type KafkaTrouble } from './errors.ts';
export {
  type KafkaIngress,
  type KafkaIngressOptions,
  MAX_MESSAGE_BYTES,
  startKafkaIngress,
} from './ingress.ts';
export {
  firstNameOf,
  type Letter,
  markerMessage,
  type Resolution,
  replayMessage,
} from './letter.ts';
export type { Pause } from './pauses.ts';
export { fetchBounds, type Gap } from './positions.ts';
export { produce } from './producer.ts';
export { type FoundLetter, readLetters, TooMuchError } from './read-letters.ts';
export { deliveryOf } from './record.ts';
export type { KafkaStatus, PartitionStatus } from './status.ts';
