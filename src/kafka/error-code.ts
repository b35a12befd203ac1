// What kafkajs fails with: it wraps the cause several times, and names it in several ways.

/** The innermost cause. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}

/** Name of the Kafka protocol's error, or of the system's (`ECONNREFUSED`), or one of ours: `TIMEOUT`, `COMPRESSION`, `UNREACHABLE`. */
export function codeOf(root: unknown): string {
  if (!(root instanceof Error)) return 'UNKNOWN';
  const { type, code } = root as { type?: unknown; code?: unknown };
  if (typeof type === 'string') return type;
  if (root.name === 'KafkaJSRequestTimeoutError' || root.name === 'TimeoutError') return 'TIMEOUT';
  if (root.name === 'KafkaJSNotImplemented') return 'COMPRESSION';
  if (root.name === 'KafkaJSSASLAuthenticationError') return 'SASL_AUTHENTICATION_FAILED';
  return typeof code === 'string' ? code : 'UNREACHABLE';
}
