// Maps kafkajs errors to messages that name the cause and the fix.
import { codeOf, rootOf } from '../../../../connectors/kafka/error-code.ts';
import { TLS_HELP } from '../../../../connectors/kafka/tls-help.ts';

const HELP: Readonly<Record<string, string>> = {
  ...TLS_HELP,
  TOPIC_AUTHORIZATION_FAILED:
    'the user may not use the topic; grant READ on the topics of routes, WRITE and DESCRIBE on the dead-letter topic',
  GROUP_AUTHORIZATION_FAILED: 'the user may not use the consumer group; grant READ on `group`',
  CLUSTER_AUTHORIZATION_FAILED:
    'the user may not write idempotently; grant IDEMPOTENT_WRITE on the cluster (brokers before 3.0 require it)',
  SASL_AUTHENTICATION_FAILED:
    'the brokers reject the login; check username, password and mechanism of `sasl`',
  UNSUPPORTED_SASL_MECHANISM: 'the brokers do not offer this `sasl.mechanism`',
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic does not exist; create it (Sluice never does)',
  MESSAGE_TOO_LARGE: 'the record is larger than max.message.bytes of the topic',
  RECORD_LIST_TOO_LARGE: 'the record is larger than the brokers accept',
  TIMEOUT: 'no answer in time',
  COMPRESSION:
    'records are compressed with snappy, lz4 or zstd, which Sluice cannot read; let producers use gzip or none, or set compression.type of the topic to gzip',
};

export interface KafkaTrouble {
  /** Name of the Kafka protocol error, code of the system error (`ECONNREFUSED`), or `UNREACHABLE`. */
  readonly code: string;
  readonly message: string;
}

export function describeKafkaError(error: unknown): KafkaTrouble {
  const root = rootOf(error);
  const code = codeOf(root);
  return { code, message: HELP[code] ?? (root instanceof Error ? root.message : String(root)) };
}
