// Errors of kafkajs in words that help: which brokers, which topic, what to do.
import { codeOf, rootOf } from '../kafka/error-code.ts';
import { SinkError } from './sink.ts';

interface Place {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** What is wrong with one event, not with the topic. */
const TOO_LARGE: Readonly<Record<string, string>> = {
  MESSAGE_TOO_LARGE: 'the event is larger than max.message.bytes of the topic: raise that',
  RECORD_LIST_TOO_LARGE: 'the event is larger than the brokers take (segment.bytes of the topic): raise that',
};

/** Refusals that stay until somebody changes something; all else (leaders, replicas, restarts, a missing topic) may mend itself. */
const REFUSALS: Readonly<Record<string, string>> = {
  ...TOO_LARGE,
  TOPIC_AUTHORIZATION_FAILED: 'the user may not write to the topic: allow it WRITE and DESCRIBE',
  CLUSTER_AUTHORIZATION_FAILED:
    'the user may not write idempotently: allow it IDEMPOTENT_WRITE on the cluster (brokers before 3.0 ask for that)',
  SASL_AUTHENTICATION_FAILED:
    'the brokers refuse the login: check username, password and mechanism of `sasl`',
  UNSUPPORTED_SASL_MECHANISM: 'the brokers do not offer this `sasl.mechanism`',
  INVALID_TOPIC_EXCEPTION: 'the brokers refuse the name of the topic',
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
  return new SinkError(code, message, {
    retryable: !Object.hasOwn(REFUSALS, code),
    sinkWide: !Object.hasOwn(TOO_LARGE, code),
    cause: error,
  });
}

/** The brokers refuse the event for its size: another one may fare better. */
export function isTooLarge({ code }: SinkError): boolean {
  return Object.hasOwn(TOO_LARGE, code);
}

function messageOf(root: unknown): string {
  return root instanceof Error ? root.message : String(root);
}
