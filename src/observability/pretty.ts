// A log line for a person at a terminal: time, level, message, fields, then the error.

const COLORS: Readonly<Record<string, string>> = {
  trace: '\u001b[90m',
  debug: '\u001b[90m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
};
const RESET = '\u001b[0m';

/** Turns one JSON line of the logger into text; a line that is not of the logger comes back as it is. */
export function prettyLine(line: string): string {
  const { time, level, msg, err, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'string' ? `${time.slice(11, 23)} ` : '';
  const label = String(level).toUpperCase().padEnd(5);
  const shown = Object.entries(fields).map(([key, value]) => `${printable(key)}=${fieldText(value)}`);
  const head = [printable(String(msg ?? '')), ...shown].filter((part) => part !== '').join('  ');
  return `${clock}${COLORS[String(level)] ?? ''}${label}${RESET} ${head}\n${errorText(err ?? error)}`;
}

function fieldText(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@+-]+$/.test(value)) return value;
  return printable(JSON.stringify(value));
}

function errorText(value: unknown, lead = ''): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return `      ${lead}${printable(String(value))}\n`;
  const { type, message, stack, cause } = value as Record<string, unknown>;
  const text = typeof stack === 'string' ? stack : `${String(type ?? 'Error')}: ${String(message ?? '')}`;
  const lines = text.split('\n').map((one, index) => `      ${index === 0 ? lead : ''}${printable(one)}\n`);
  return lines.join('') + errorText(cause, 'caused by ');
}

// Control characters in data could move the cursor, recolor the terminal or turn the direction of text.
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
