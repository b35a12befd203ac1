// Errors of kafkajs in words that help: which brokers, which topic, what to do.
import { codeOf, rootOf } from '../kafka/error-code.ts';
import { SinkError } from './sink.ts';

interface Place {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** Refusals that stay until somebody changes something; all else (leaders, replicas, restarts, a missing topic) may mend itself. */
const REFUSALS: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: 'the user may not write to the topic: allow it WRITE and DESCRIBE',
  CLUSTER_AUTHORIZATION_FAILED:
    'the user may not write idempotently: allow it IDEMPOTENT_WRITE on the cluster (brokers before 3.0 ask for that)',
  SASL_AUTHENTICATION_FAILED:
    'the brokers refuse the login: check username, password and mechanism of `sasl`',
  UNSUPPORTED_SASL_MECHANISM: 'the brokers do not offer this `sasl.mechanism`',
  INVALID_TOPIC_EXCEPTION: 'the brokers refuse the name of the topic',
  MESSAGE_TOO_LARGE: 'the event is larger than max.message.bytes of the topic',
  RECORD_LIST_TOO_LARGE: 'the event is larger than the brokers take',
};

const HINTS: Readonly<Record<string, string>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic does not exist: create it, Sluice never does',
  TIMEOUT: 'no answer in time; the event may have arrived all the same',
};

/** Any error of a send to `place` as a SinkError; kafkajs says "not retriable" of what it only gave up. */
export function kafkaError(error: unknown, place: Place): SinkError {
  const root = rootOf(error);
  const code = codeOf(root);
  const why = REFUSALS[code] ?? HINTS[code] ?? messageOf(root);
  const message = `the event was not acknowledged by topic "${place.topic}" on ${place.brokers.join(', ')}: ${why}`;
  return new SinkError(code, message, { retryable: !Object.hasOwn(REFUSALS, code), cause: error });
}

function messageOf(root: unknown): string {
  return root instanceof Error ? root.message : String(root);
}
