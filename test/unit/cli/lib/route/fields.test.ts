// Options made of the fields of a contract: what they take, refuse, show and send.
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Fields, readFields, withFields } from '../../../../../src/cli/lib/route/fields.ts';
import { Time } from '../../../../../src/core/endpoint.ts';

const INPUT = z.strictObject({
  account: z.string().min(1).optional().describe('Only events of this account.'),
  url: z.string().optional().describe('URL of the sink.'),
  nothing: z.string().optional(),
  codes: z.array(z.string()).min(1).readonly().nullable().default(null),
  rows: z.array(z.int32().min(1)).min(1).readonly(),
  source: z.enum(['reply', 'tag']).optional(),
  overlap: z.enum(['skip', 'all']).default('skip'),
  status: z.int().min(100).max(599).optional(),
  count: z.int().min(1).optional(),
  since: Time.optional(),
  unmask: z.boolean().default(false),
  reason: z.string().trim().min(1),
  note: z.string().default(''),
});

function run(fields: Fields<z.input<typeof INPUT>>, ...argv: string[]) {
  const command = withFields(new Command('list').exitOverride(), INPUT, fields);
  command.configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  command.parse(argv, { from: 'user' });
  return readFields(command.opts(), INPUT, fields);
}

const CODES = { codes: ['--code <code>', 'only with this code'] } as const;
const ROWS = { rows: ['--row <numbers...>', 'rows'] } as const;
const STATUS = { status: ['--status <number>', 'status'] } as const;
const COUNT = { count: ['--count <n>', 'count'] } as const;
const SOURCE = { source: ['--source <source>', 'source'] } as const;
const OVERLAP = { overlap: ['--overlap <policy>', 'overlap'] } as const;
const REASON = { reason: ['--reason <text>', 'why'] } as const;
const SINCE = { since: ['--since <when>', 'since'] } as const;

describe('an option', () => {
  it.each<[string, Fields<z.input<typeof INPUT>>, string[], object]>([
    ['text that nobody gave is left out', { account: '--account <name>' }, [], { account: undefined }],
    ['a list is repeated', CODES, ['--code', 'A', '--code', 'B'], { codes: ['A', 'B'] }],
    ['a list that nobody began is left out', CODES, [], { codes: undefined }],
    ['numbers of a list are numbers', ROWS, ['--row', '3', '4', '--row', '5'], { rows: [3, 4, 5] }],
    ['a number is a number', STATUS, ['--status', '599'], { status: 599 }],
    ['a default of the contract is sent', OVERLAP, [], { overlap: 'skip' }],
    ['a flag that is not set is false', { unmask: ['--unmasked', 'in clear'] }, [], { unmask: false }],
    [
      'a flag has the name of its field',
      { unmask: ['--unmasked', 'in clear'] },
      ['--unmasked'],
      { unmask: true },
    ],
    ['a default of the command comes before', { count: ['--count <n>', 'count', 7] }, [], { count: 7 }],
    [
      'a time is sent as ISO 8601 in UTC',
      SINCE,
      ['--since', '2026-11-20T06:00:00-03:00'],
      { since: '2026-11-20T09:00:00.000Z' },
    ],
  ])('%s', (_, fields, argv, sent) => expect(run(fields, ...argv)).toEqual(sent));

  it.each<[string, Fields<z.input<typeof INPUT>>, string[], RegExp]>([
    ['a value that the enum lacks', SOURCE, ['--source', 'mail'], /Allowed choices are reply, tag/],
    ['a number below its bound', STATUS, ['--status', '99'], /whole number from 100 to 599/],
    ['a number above it', STATUS, ['--status', '600'], /whole number from 100 to 599/],
    ['a number with a fraction', COUNT, ['--count', '1.5'], /whole number from 1\./],
    ['a number of a list', ROWS, ['--row', '1', '0'], /whole number from 1 to 2147483647/],
    ['a time without an offset', SINCE, ['--since', '2026-11-20T06:00:00'], /time with its offset/],
    ['a field that is missing', REASON, [], /required option '--reason <text>'/],
    ['a list that is missing', ROWS, [], /required option '--row <numbers...>'/],
  ])('refuses %s', (_, fields, argv, message) => expect(() => run(fields, ...argv)).toThrow(message));
});

describe('help', () => {
  const helpOf = (fields: Fields<z.input<typeof INPUT>>) =>
    withFields(new Command(), INPUT, fields).options.map(({ description }) => description);

  it.each<[string, Fields<z.input<typeof INPUT>>, string]>([
    [
      'of flags alone is the description of the contract',
      { account: '--account <name>' },
      'only events of this account',
    ],
    ['keeps an abbreviation', { url: '--url <url>' }, 'URL of the sink'],
    ['says that a list is repeatable', CODES, 'only with this code; repeatable'],
    ['says it where one option takes several values not', ROWS, 'rows'],
  ])('%s', (_, fields, help) => expect(helpOf(fields)).toEqual([help]));

  it('that nobody wrote is an error of the program', () =>
    expect(() => helpOf({ nothing: '--nothing <x>' })).toThrow('the contract does not describe nothing'));
});
