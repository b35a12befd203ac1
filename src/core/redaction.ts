// Removes tokens, phones and e-mails from everything that Sluice logs or shows in an error. Patterns match values
// anywhere; key names cover what no pattern can recognize, such as a name or a text.

// Access tokens, and keys of Standard Webhooks.
const TOKEN = /(?:svc_(?:live|test)_[\w-]+|whsec_[\w/+-]+=*)/gi;
const AUTH_SCHEME = /\b(Bearer|Basic)\s+[^\s"',;]+/gi;
const URL_CREDENTIALS = /:\/\/[^\s/?#@]{1,512}@/g;
// The local part is bounded as RFC 5321 does, which also keeps the search linear on long texts without "@".
const EMAIL = /[^\s@"'<>()[\]{},;:=|\\/]{1,64}@[^\s@"'<>()[\]{},;:=|\\/]{1,255}\.\p{L}{2,63}/gu;

// Long digit shapes that are not phones. They are matched first, so that they stay whole.
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const HASH = '(?<![0-9a-zA-Z])(?=[0-9]*[a-f])[0-9a-f]{32,128}(?![0-9a-zA-Z])';
// Its digits would join those that the following hash may begin with.
const HASH_NAME = '(?<![0-9a-zA-Z])(?:sha|SHA)-?(?:1|224|256|384|512)(?![0-9a-zA-Z])';
const ISO_TIME =
  '(?<!\\d)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?(?!\\d)';
const IPV4 =
  '(?<![\\d.])(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?![\\d.]*\\d)';
// 8 to 15 digits as people write them: "+55 (11) 91234-5678". Longer runs match in pieces.
const PHONE = '\\+?\\(?\\d(?:[ \\t().\\u00a0-]{0,3}\\d){7,14}';
const DIGITS = new RegExp(`(${UUID}|${HASH_NAME}|${HASH}|${ISO_TIME}|${IPV4})|${PHONE}`, 'g');

/** Replaces access tokens, authorization values and passwords in URLs. Everything else stays. */
export function redactTokens(text: string): string {
  return text
    .replace(TOKEN, '[token]')
    .replace(AUTH_SCHEME, '$1 [token]')
    .replace(URL_CREDENTIALS, '://[token]@');
}

/**
 * Replaces tokens, e-mails and phone-like digit runs (8 digits or more); keeps times, UUIDs, hashes and IPv4 addresses.
 */
export function redactText(text: string): string {
  return redactTokens(text)
    .replace(EMAIL, '[email]')
    .replace(DIGITS, (_match, harmless: string | undefined) => harmless ?? '[phone]');
}

const SECRET_KEY = /(?:token|tokens|secret|secrets|password|passwd|authorization|cookie|api[-_]?key)$/i;
const PERSONAL_KEY = /^(?:phone|number|email|document|contactName|contact|lastMessage|extraInfo)$/i;
// Numbers of 8 digits and more are kept under these names only: ids, times, durations, sizes.
const NUMERIC_KEY =
  /^(?:id|time|pid|seq|offset|bytes|size|count|total|done|duration|elapsed|uptime|historyLength)$|(?:Id|Ids|At|Ms|Ns|Seconds|Bytes|Size|Count|Seq|Offset|Length|Epoch)$|_(?:id|at|ms|ns|seconds|bytes|size|count)$/;
const MAX_DEPTH = 8;
const MAX_ITEMS = 200;

/**
 * A JSON-safe copy of `value` without tokens, phones and e-mails in texts, keys, error messages, stacks and causes.
 * It cuts cycles, deep nesting and long lists, so it accepts any value.
 */
export function redact(value: unknown): unknown {
  return copy(value, '', 0, new Set());
}

function copy(value: unknown, key: string, depth: number, above: ReadonlySet<object>): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return redactNumber(value, key);
  if (SECRET_KEY.test(key) || PERSONAL_KEY.test(key)) return '[redacted]';
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'symbol') return redactText(value.toString());
  if (typeof value === 'function') return '[function]';
  if (above.has(value)) return '[circular]';
  if (depth >= MAX_DEPTH) return '[too deep]';
  return copyObject(value, key, depth + 1, new Set([...above, value]));
}

function redactNumber(value: number | bigint, key: string): unknown {
  if (PERSONAL_KEY.test(key)) return '[redacted]';
  if (!NUMERIC_KEY.test(key) && /^-?\d{8,15}(?:\.|$)/.test(String(value))) return '[phone]';
  return typeof value === 'bigint' ? String(value) : value;
}

function copyObject(value: object, key: string, depth: number, above: ReadonlySet<object>): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Error) return copyError(value, depth, above);
  if (value instanceof Map) return copy(Object.fromEntries(value), key, depth, above);
  if (value instanceof URL) return redactText(value.href);
  if (Array.isArray(value) || value instanceof Set) {
    const items = [...value];
    const shown = items.slice(0, MAX_ITEMS).map((item) => copy(item, key, depth, above));
    return items.length > MAX_ITEMS ? [...shown, `[${items.length - MAX_ITEMS} more]`] : shown;
  }
  return copyFields(value, Object.keys(value), depth, above);
}

/** Own fields of errors that are kept. Drivers add others that quote rows, parameters, bodies and headers. */
const ERROR_FIELDS = new Set(
  'address attempt code constraint errno kind nonRetryable path port retryable routine severity status statusCode step syscall table type'.split(
    ' ',
  ),
);

function copyError(error: Error, depth: number, above: ReadonlySet<object>): unknown {
  const own = Object.keys(error).filter((key) => ERROR_FIELDS.has(key));
  const message = messageOf(error);
  return {
    ...copyFields(error, own, depth, above),
    type: redactText(error.name),
    message: redactText(message),
    ...(error.stack === undefined ? {} : { stack: redactText(stackOf(error, message)) }),
    ...(error.cause === undefined ? {} : { cause: copy(error.cause, 'cause', depth, above) }),
    ...(error instanceof AggregateError ? { errors: copy(error.errors, 'errors', depth, above) } : {}),
  };
}

/** V8 quotes the beginning of a text that is not JSON. */
function messageOf(error: Error): string {
  const message = String(error.message);
  if (!(error instanceof SyntaxError)) return message;
  return message.replace(/^(Unexpected .*?), (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '$1 in JSON');
}

/** The stack begins with the message. */
function stackOf(error: Error, message: string): string {
  const stack = String(error.stack);
  return message === error.message ? stack : stack.replace(String(error.message), () => message);
}

function copyFields(value: object, keys: readonly string[], depth: number, above: ReadonlySet<object>) {
  const out: [string, unknown][] = [];
  for (const key of keys.slice(0, MAX_ITEMS)) {
    out.push([redactText(key), copy(readField(value, key), key, depth, above)]);
  }
  if (keys.length > MAX_ITEMS) out.push(['…', `[${keys.length - MAX_ITEMS} more]`]);
  return Object.fromEntries(out);
}

// A getter that throws must not lose the log line: its error is logged in the field's place.
function readField(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : 'getter failed'}]`;
  }
}
