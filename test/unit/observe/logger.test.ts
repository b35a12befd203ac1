import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from '../../../src/observe/logger.ts';
import { temporalLogger } from '../../../src/observe/temporal-logger.ts';

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

describe('fields', () => {
  it('that are not known are omitted, and only their names are written', () => {
    const { log, json, lines } = record();
    log.warn({ run: 'acme/leads/7', customer: 'Zuleica Quaresma', 'Cel 5511987654321': 1 }, 'page read');
    expect(json()).toMatchObject([{ run: 'acme/leads/7', omitted: ['customer', 'Cel [phone]'] }]);
    expect(lines.join('')).not.toContain('Zuleica');
    log.child({ customer: 'Zuleica' }).info('child');
    expect(lines.join('')).not.toContain('Zuleica');
  });

  it('have no objects, except for the error', () => {
    const { log, json } = record();
    const row = { name: 'Zuleica' };
    log.warn({ record: row, event: [row], member: [1, 'a'], at: null }, 'page read');
    expect(json()).toMatchObject([{ member: [1, 'a'], at: null, omitted: ['record', 'event'] }]);
  });

  it('of an error are its codes: drivers add rows, parameters, bodies and headers', () => {
    const { log, lines, json } = record();
    const found = {
      detail: 'Zuleica',
      params: ['Zuleica'],
      body: { name: 'Zuleica' },
      code: '23514',
      table: 'people',
    };
    log.error(
      { err: Object.assign(new Error('no'), found, { cause: Object.assign(new Error('why'), found) }) },
      'x',
    );
    const err = { code: '23514', table: 'people' };
    expect(json()).toMatchObject([{ err: { ...err, cause: err } }]);
    expect(lines.join('')).not.toContain('Zuleica');
  });

  it.each([
    '{"name": Zuleica}',
    'Zuleica',
    '["Zuleica", "Quaresma", "Maria da Silva Souza", oops, 1, 2, 3, 4, 5]',
  ])('of the error for %s, which is not JSON, do not quote it', (text) => {
    const { log, lines, json } = record();
    try {
      JSON.parse(text);
    } catch (error) {
      log.error({ err: error }, 'x');
    }
    expect(lines.join('')).not.toMatch(/Zuleica|Quaresma|Maria/);
    expect(json()).toMatchObject([
      { err: { type: 'SyntaxError', message: expect.stringMatching(/^Unexpected token .* in JSON$/) } },
    ]);
  });

  it('name the process and what is in progress; those of the line come first', () => {
    const { log, json } = record({
      process: 'worker',
      context: () => ({
        account: 'acme',
        workflowId: 'crm-sync/acme/leads',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
        span_id: 'ab55119876543210',
      }),
    });
    log.info('one');
    log.info({ account: 'globex' }, 'two');
    const [one, two] = json();
    expect(one).toMatchObject({
      process: 'worker',
      account: 'acme',
      workflowId: 'crm-sync/acme/leads',
      msg: 'one',
    });
    expect([one?.trace_id, one?.span_id]).toEqual(['4bf92f3577b34da6a3ce929d0e0e4736', 'ab55119876543210']);
    expect(two).toMatchObject({ process: 'worker', account: 'globex', msg: 'two' });
  });

  it('of the Temporal SDK name the account, the workflow and its run, as those of Sluice do', () => {
    const { log, json } = record();
    temporalLogger(log).warn('slow', {
      workflowId: 'crm-sync/acme/leads',
      workflowRunId: 'r1',
      taskToken: 'x',
    });
    temporalLogger(log).warn('slow', { workflowId: 'outbox/bus', runId: 'r2' });
    expect(json()).toMatchObject([
      { account: 'acme', workflowId: 'crm-sync/acme/leads', runId: 'r1', omitted: ['taskToken'] },
      { workflowId: 'outbox/bus', runId: 'r2' },
    ]);
    expect(json()[1]).not.toHaveProperty('account');
  });
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
    log.info({ run: 'leads-7', count: 5, reason: 'two words' }, 'page read');
    expect(lines.join('')).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} \S*INFO \S* page read {2}run=leads-7 {2}count=5 {2}reason="two words"\n$/,
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
