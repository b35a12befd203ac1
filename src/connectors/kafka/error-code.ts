// Reads the error code out of what kafkajs throws. kafkajs wraps the cause several times and names it in several ways.

/** Returns the innermost cause. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}

/**
 * Returns the name of the Kafka protocol error, the code of the system error (`ECONNREFUSED`), or one of ours:
 * `TIMEOUT`, `COMPRESSION`, `UNREACHABLE`.
 */
export function codeOf(root: unknown): string {
  if (!(root instanceof Error)) return 'UNKNOWN';
  const { type, code } = root as { type?: unknown; code?: unknown };
  if (typeof type === 'string') return type;
  if (root.name === 'KafkaJSRequestTimeoutError' || root.name === 'TimeoutError') return 'TIMEOUT';
  if (root.name === 'KafkaJSNotImplemented') return 'COMPRESSION';
  if (root.name === 'KafkaJSSASLAuthenticationError') return 'SASL_AUTHENTICATION_FAILED';
  return typeof code === 'string' ? code : 'UNREACHABLE';
}
