// Maps kafkajs errors to messages that name the brokers, the topic and the fix.
import { codeOf, rootOf } from '../kafka/error-code.ts';
import { SinkError } from './sink.ts';

interface Place {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** Errors about one event, not about the topic. */
const TOO_LARGE: Readonly<Record<string, string>> = {
  MESSAGE_TOO_LARGE: 'the event is larger than max.message.bytes of the topic; raise that setting',
  RECORD_LIST_TOO_LARGE: 'the event is larger than segment.bytes of the topic; raise that setting',
};

/**
 * Refusals that last until somebody changes something. All others (leaders, replicas, restarts, a missing topic) may
 * end on their own.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  ...TOO_LARGE,
  TOPIC_AUTHORIZATION_FAILED: 'the user may not write to the topic; grant WRITE and DESCRIBE',
  CLUSTER_AUTHORIZATION_FAILED:
    'the user may not write idempotently; grant IDEMPOTENT_WRITE on the cluster (brokers before 3.0 require it)',
  SASL_AUTHENTICATION_FAILED:
    'the brokers reject the login; check username, password and mechanism of `sasl`',
  UNSUPPORTED_SASL_MECHANISM: 'the brokers do not offer this `sasl.mechanism`',
  INVALID_TOPIC_EXCEPTION: 'the brokers reject the name of the topic',
};

const HINTS: Readonly<Record<string, string>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic does not exist; create it (Sluice never does)',
  TIMEOUT: 'no answer in time; the event may still have arrived',
};

/**
 * Converts any error of a send to `place` into a SinkError. kafkajs says "not retriable" about errors after which it
 * only stopped trying.
 */
export function kafkaError(error: unknown, place: Place): SinkError {
  const root = rootOf(error);
  const code = codeOf(root);
  const why = REFUSALS[code] ?? HINTS[code] ?? messageOf(root);
  const message = `topic "${place.topic}" on ${place.brokers.join(', ')} did not acknowledge the event: ${why}`;
  return new SinkError(code, message, {
    retryable: !Object.hasOwn(REFUSALS, code),
    sinkWide: !Object.hasOwn(TOO_LARGE, code),
    cause: error,
  });
}

/** Returns whether the brokers rejected the event for its size. Another event may still be accepted. */
export function isTooLarge({ code }: SinkError): boolean {
  return Object.hasOwn(TOO_LARGE, code);
}

function messageOf(root: unknown): string {
  return root instanceof Error ? root.message : String(root);
}
