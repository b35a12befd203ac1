// A log line for a person at a terminal: time, level, message, fields, then the error.
import { neutralLine } from './neutral.ts';

const COLORS: Readonly<Record<string, string>> = {
  trace: '\u001b[90m',
  debug: '\u001b[90m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
};
const RESET = '\u001b[0m';

/** Formats one JSON line of the logger. A line of another origin is returned unchanged. */
export function prettyLine(line: string): string {
  const { time, level, msg, err, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'string' ? `${time.slice(11, 23)} ` : '';
  const label = String(level).toUpperCase().padEnd(5);
  const shown = Object.entries(fields).map(([key, value]) => `${neutralLine(key)}=${fieldText(value)}`);
  const head = [neutralLine(String(msg ?? '')), ...shown].filter((part) => part !== '').join('  ');
  return `${clock}${COLORS[String(level)] ?? ''}${label}${RESET} ${head}\n${errorText(err ?? error)}`;
}

function fieldText(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@+-]+$/.test(value)) return value;
  return neutralLine(JSON.stringify(value));
}

function errorText(value: unknown, lead = ''): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return `      ${lead}${neutralLine(String(value))}\n`;
  const { type, message, stack, cause } = value as Record<string, unknown>;
  const text = typeof stack === 'string' ? stack : `${String(type ?? 'Error')}: ${String(message ?? '')}`;
  const lines = text.split('\n').map((one, index) => `      ${index === 0 ? lead : ''}${neutralLine(one)}\n`);
  return lines.join('') + errorText(cause, 'caused by ');
}
