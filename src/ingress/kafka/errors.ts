// Errors of kafkajs in words that help an operator; kafkajs wraps the cause several times.

const HELP: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED:
    'the user may not use the topic: allow it READ on topics of routes, WRITE and DESCRIBE on dead letters',
  GROUP_AUTHORIZATION_FAILED: 'the user may not use the consumer group: allow it READ on `group`',
  CLUSTER_AUTHORIZATION_FAILED:
    'the user may not write idempotently: allow it IDEMPOTENT_WRITE on the cluster (brokers before 3.0 ask for that)',
  SASL_AUTHENTICATION_FAILED:
    'the brokers refuse the login: check username, password and mechanism of `sasl`',
  UNSUPPORTED_SASL_MECHANISM: 'the brokers do not offer this `sasl.mechanism`',
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic does not exist: create it, Sluice never does',
  MESSAGE_TOO_LARGE: 'the record is larger than max.message.bytes of the topic',
  RECORD_LIST_TOO_LARGE: 'the record is larger than the brokers take',
  TIMEOUT: 'no answer in time',
  COMPRESSION:
    'records are compressed with snappy, lz4 or zstd, which are not read: let their senders use gzip or none, or set compression.type of the topic to gzip',
};

export interface KafkaTrouble {
  /** Name of the Kafka protocol's error, or of the system's (`ECONNREFUSED`), or `UNREACHABLE`. */
  readonly code: string;
  readonly message: string;
}

export function describeKafkaError(error: unknown): KafkaTrouble {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const code = codeOf(root);
  return { code, message: HELP[code] ?? (root instanceof Error ? root.message : String(root)) };
}

function codeOf(root: unknown): string {
  if (!(root instanceof Error)) return 'UNKNOWN';
  const { type, code } = root as { type?: unknown; code?: unknown };
  if (typeof type === 'string') return type;
  if (typeof code === 'string') return code;
  if (root.name === 'KafkaJSRequestTimeoutError' || root.name === 'TimeoutError') return 'TIMEOUT';
  if (root.name === 'KafkaJSNotImplemented') return 'COMPRESSION';
  if (root.name === 'KafkaJSSASLAuthenticationError') return 'SASL_AUTHENTICATION_FAILED';
  return 'UNREACHABLE';
}
