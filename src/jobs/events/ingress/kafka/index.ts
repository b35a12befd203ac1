// The exports of the Kafka ingress for other folders.
export { type ClusterAccess } from './client.ts';
export {
  type DeadLetter,
  markerMessage,
  replayMessage,
} from './dead-letter.ts';
export { describeKafkaError } from './errors.ts';
export {
  type KafkaIngress,
  MAX_MESSAGE_BYTES,
  startKafkaIngress,
} from './ingress.ts';

export { fetchBounds, fetchCommitted } from './positions.ts';
export { produce } from './producer.ts';
export { type FoundDeadLetter, readDeadLetters, TooMuchError } from './read-dead-letters.ts';
export { deliveryOf } from './record.ts';
