import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from '../../../src/observability/logger.ts';
import { temporalLogger } from '../../../src/observability/temporal-logger.ts';

function record(options: LoggerOptions & { tty?: boolean } = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line), isTTY: options.tty ?? false };
  const log = createLogger({ level: 'trace', ...options, destination });
  return { log, lines, json: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const SECRETS = ['5511987654321', 'svc_test_CANARY', 'bia@acme.com'];
const ALL = SECRETS.join(' ');

describe('every way to call it redacts', () => {
  const { log, lines, json } = record();
  log.info(ALL);
  log.info('%s and %j', ALL, { contact: ALL, x: [ALL] });
  log.info({ a: ALL, n: 5511987654321 }, ALL);
  log.info({ a: { b: new Error(ALL, { cause: ALL }) } });
  log.error(new Error(ALL));
  log.error(new Error(ALL), 'failed for %s', ALL);
  log.error({ err: Object.assign(new Error(ALL), { response: { body: ALL } }) }, 'failed');
  log.child({ who: ALL }).warn({ error: new TypeError(ALL) }, 'child');
  log
    .child({ err: new Error(ALL) })
    .child({ deeper: ALL })
    .warn('child');
  const bound = log.child({});
  bound.setBindings({ late: ALL });
  bound.warn('late');
  log.info([ALL] as unknown as object);
  temporalLogger(log).error(ALL, { error: new Error(ALL), taskQueue: 'api', workflowId: ALL });

  it('and logs a line each', () => {
    expect(lines).toHaveLength(12);
    expect(json().every(({ time, level }) => typeof time === 'string' && typeof level === 'string')).toBe(
      true,
    );
  });
  it.each(SECRETS)('%s', (secret) => {
    expect(lines.join('')).not.toContain(secret);
  });
});

it('keeps the shape of pino: level, time, message, fields, err with type, stack and cause', () => {
  const { log, json } = record();
  log.error({ run: 'r1', err: new TypeError('no', { cause: new Error('deeper') }) }, '100% of %d', 5);
  expect(json()).toEqual([
    {
      level: 'error',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      run: 'r1',
      err: {
        type: 'TypeError',
        message: 'no',
        stack: expect.stringContaining('logger.test.ts'),
        cause: { type: 'Error', message: 'deeper', stack: expect.any(String) },
      },
      msg: '100% of 5',
    },
  ]);
});

it('says nothing below its level', () => {
  const { log, lines } = record({ level: 'warn' });
  log.info('quiet');
  temporalLogger(log).debug('quiet');
  expect(lines).toEqual([]);
});

it('refuses a level that does not exist, naming those that do', () => {
  expect(() => createLogger({ level: 'loud' })).toThrow(/"loud".*trace, debug, info/);
});

describe('at a terminal', () => {
  it('prints a line a person can read', () => {
    const { log, lines } = record({ tty: true });
    log.info({ run: 'leads-7', done: 5, note: 'two words' }, 'page read');
    expect(lines.join('')).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} \S*INFO \S* page read {2}run=leads-7 {2}done=5 {2}note="two words"\n$/,
    );
  });

  it('prints an error with its stack and cause', () => {
    const { log, lines } = record({ tty: true });
    log.error({ err: new Error('no', { cause: new Error('deeper') }) }, 'failed');
    expect(lines.join('')).toMatch(/failed\n {6}Error: no\n {10}at .*[\s\S]*caused by Error: deeper/);
  });

  it('lets no data move the cursor or forge a line', () => {
    const { log, lines } = record({ pretty: true });
    log.info({ x: '\u001b[2J', 'k\n': 1 }, 'a\u001b[31m\r\nfake line\u009b');
    const text = lines.join('').replaceAll('\u001b[32m', '').replaceAll('\u001b[0m', '');
    expect(text.trimEnd()).not.toMatch(/\p{Cc}/u);
  });
});
