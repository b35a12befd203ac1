// The logger of Sluice: JSON lines on stderr, or short lines on a terminal. Every line is redacted.
import { format } from 'node:util';
import { type Logger, pino } from 'pino';
import { redact, redactText } from '../core/redaction.ts';
import { type Color, paint } from './color.ts';
import { type CONTEXT_FIELDS, knownFields } from './log-fields.ts';
import { neutralLine } from './neutral.ts';

export type { Logger } from 'pino';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Destination of lines: anything with `write`, for example process.stderr. */
export interface LogDestination {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

export interface LoggerOptions {
  /** trace, debug, info, warn, error, fatal or silent. @default 'info' */
  readonly level?: string;
  /** One-liners instead of JSON. @default whether the destination is a terminal */
  readonly pretty?: boolean;
  /** Colors in one-liners. @default whether the destination is a terminal */
  readonly color?: boolean;
  /** @default process.stderr: stdout is for data */
  readonly destination?: LogDestination;
  /** Name of the process, in each line, for example `worker`. @default none */
  readonly process?: string | undefined;
  /** Fields of what is in progress, read for each line. A line's own fields come first. @default none */
  readonly context?: (() => LogContext) | undefined;
}

/** See log-fields.ts. */
export type LogContext = Partial<Record<keyof typeof CONTEXT_FIELDS, string | number>>;

/**
 * Creates a pino logger that writes only known fields (see log-fields.ts), and redacts messages, fields, bindings and
 * errors (see redaction.ts).
 * Call it like pino: `log.info({ run, done }, 'page read')`, `log.error({ err }, 'sync failed')`.
 * @throws RangeError for an unknown level
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const level = options.level ?? 'info';
  if (!LEVELS.includes(level)) {
    throw new RangeError(`there is no log level "${level}"; use one of ${LEVELS.join(', ')}`);
  }
  const destination = options.destination ?? process.stderr;
  const pretty = options.pretty ?? destination.isTTY === true;
  const color = options.color ?? destination.isTTY === true;
  const context = options.context ?? (() => ({}));
  const logger = pino(
    {
      level,
      base: options.process === undefined ? null : { process: options.process },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
      },
      // The arguments are redacted and plain already; pino's own error serializer would undo that.
      serializers: { err: (value: unknown) => value, error: (value: unknown) => value },
      hooks: {
        logMethod(args, method) {
          const { fields, message } = redactCall(args, context());
          if (message === undefined) method.call(this, fields as object as never);
          else method.call(this, fields as object as never, message);
        },
      },
    },
    { write: (line: string) => void destination.write(pretty ? prettyLine(line, color) : line) },
  );
  return redactBindings(logger);
}

// pino has no hook for the bindings of children. Children inherit from their parent, so this covers all of them.
function redactBindings(logger: Logger): Logger {
  const { child, setBindings } = logger;
  const clean = (bindings: object) => knownFields(redact(bindings) as Record<string, unknown>);
  return Object.assign(logger, {
    child(this: Logger, bindings: object, options?: Parameters<typeof child>[1]) {
      return child.call(this, clean(bindings), options);
    },
    setBindings(this: Logger, bindings: object) {
      setBindings.call(this, clean(bindings));
    },
  });
}

interface Call {
  readonly fields: Record<string, unknown>;
  readonly message: string | undefined;
}

// pino's calls: (message, ...values), (fields, message?, ...values), (error, message?, ...values).
function redactCall(args: readonly unknown[], context: LogContext): Call {
  const [first, ...rest] = args;
  if (typeof first === 'string')
    return { fields: fieldsOf({}, context), message: redactText(formatValues(first, rest)) };
  const [template, ...values] = rest;
  const given = typeof template === 'string' ? redactText(formatValues(template, values)) : undefined;
  if (first instanceof Error)
    return { fields: fieldsOf({ err: first }, context), message: given ?? redactText(first.message) };
  return { fields: fieldsOf(Object(first) as object, context), message: given };
}

/** Random digits of a trace, of which eight decimal ones in a row would look like a phone. */
const HEX = /^(?:[0-9a-f]{16}){1,2}$/;

function fieldsOf(own: object, context: LogContext): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.assign({}, redact(context), redact(own));
  for (const name of ['trace_id', 'span_id'] as const) {
    const id = context[name];
    if (typeof id === 'string' && HEX.test(id)) fields[name] = id;
  }
  return knownFields(fields);
}

// Objects among the values are redacted first: formatted as text, they would lose their keys.
function formatValues(template: string, values: readonly unknown[]): string {
  if (values.length === 0) return template;
  return format(template, ...values.map((value) => (typeof value === 'object' ? redact(value) : value)));
}

const COLORS: Readonly<Record<string, Color>> = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/** Formats one JSON line of the logger for a person at a terminal: time, level, message, fields, then the error. */
function prettyLine(line: string, isColored: boolean): string {
  const { time, level, msg, err, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'string' ? `${time.slice(11, 23)} ` : '';
  const label = String(level).toUpperCase().padEnd(5);
  const color = isColored ? COLORS[String(level)] : undefined;
  const shown = Object.entries(fields).map(([key, value]) => `${neutralLine(key)}=${fieldText(value)}`);
  const head = [neutralLine(String(msg ?? '')), ...shown].filter((part) => part !== '').join('  ');
  return `${clock}${color === undefined ? label : paint(label, color)} ${head}\n${errorText(err ?? error)}`;
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
