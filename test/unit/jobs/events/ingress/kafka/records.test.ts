// Records, dead letters and offsets: names that stay, headers from anybody, and where reading begins.
import { createRequire } from 'node:module';
import type { IHeaders } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { headersFrom, readHeaders, writableHeaders } from '../../../../../../src/connectors/kafka/headers.ts';
import { NotAcceptedError, RefusedError } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { BuryError } from '../../../../../../src/jobs/events/ingress/kafka/chunk.ts';
import {
  type DeadLetter,
  deadLetterMessage,
  markerMessage,
  readDeadLetter,
  readResolution,
  replayMessage,
  withoutRecord,
  withoutValue,
} from '../../../../../../src/jobs/events/ingress/kafka/dead-letter.ts';
import { describeKafkaError } from '../../../../../../src/jobs/events/ingress/kafka/errors.ts';
import { createPauses, diagnose } from '../../../../../../src/jobs/events/ingress/kafka/pauses.ts';
import { startOf } from '../../../../../../src/jobs/events/ingress/kafka/positions.ts';
import {
  type FoundDeadLetter,
  withoutRepetitions,
} from '../../../../../../src/jobs/events/ingress/kafka/read-dead-letters.ts';
import { deliveryOf, textHeaders } from '../../../../../../src/jobs/events/ingress/kafka/record.ts';

const require = createRequire(import.meta.url);
const RECORD = 'kafkajs/src/protocol/recordBatch/record/v0';
const encodeRecord = require(RECORD) as (record: object) => { buffer: Buffer };
const decodeRecord = require(`${RECORD}/decoder`) as (
  decoder: object,
  context: object,
) => { headers: IHeaders };
const Decoder = require('kafkajs/src/protocol/decoder') as new (buffer: Buffer) => { readVarInt(): number };

const DEAD_LETTER_CODE = 'sluice-error-code';

/** What a consumer gets of headers that kafkajs has written and read. */
function throughKafka(headers: IHeaders | undefined | object): IHeaders {
  const decoder = new Decoder(encodeRecord({ key: null, value: null, headers }).buffer);
  decoder.readVarInt();
  return decodeRecord(decoder, { firstOffset: '0', firstTimestamp: '0' }).headers;
}

const record = {
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  timestamp: '1732000000000',
  offset: '7',
  attributes: 0,
  headers: {},
};

describe('a delivery', () => {
  it('of a record has headers in lower case as text, the last of several', () => {
    const headers = {
      'Content-Type': Buffer.from('text/plain'),
      X: [Buffer.from('1'), 'é'],
      gone: undefined,
      ['__proto__']: 'p',
    };
    const delivery = deliveryOf('leads', 2, { ...record, headers });
    expect(Object.entries(delivery.headers)).toEqual([
      ['content-type', 'text/plain'],
      ['x', 'é'],
      ['__proto__', 'p'],
    ]);
    expect(Object.getPrototypeOf(delivery.headers)).toBeNull();
    expect(delivery).toMatchObject({
      via: 'kafka',
      fallbackKey: 'kafka:leads/2/7/1732000000000',
      about: { topic: 'leads', partition: 2, offset: 7, timestamp: '2024-11-19T07:06:40.000Z', key: 'k' },
    });
  });

  it('of a tombstone has no bytes, and one of old brokers no time', () => {
    const { body, about } = deliveryOf('leads', 0, { ...record, key: null, value: null, timestamp: '-1' });
    expect(body).toHaveLength(0);
    expect(about).toMatchObject({ key: null, timestamp: null });
  });

  it('of a topic that was created again is another one', () => {
    const again = deliveryOf('leads', 0, { ...record, timestamp: '1732000000001' });
    expect(again.fallbackKey).not.toBe(deliveryOf('leads', 0, record).fallbackKey);
  });
});

describe('a dead letter', () => {
  const refusedAs = (
    message: { offset?: string; headers: IHeaders },
    problems: RefusedError['problems'] = [],
  ) =>
    deadLetterMessage(
      {
        topic: 'leads',
        partition: 2,
        route: 'r',
        message: { ...record, ...message },
        error: new RefusedError('SCHEMA', 422, 'field "phone" is missing', problems),
      },
      new Date(0),
    );
  const read = (message: { headers?: object; key?: unknown; value: unknown }) =>
    readDeadLetter(1, { ...message, offset: '5' } as never) as DeadLetter;

  it('says where the record stood and what was wrong, and never a value', () => {
    const problem = { field: 'contact.name', code: 'invalid', reason: 'bad', value: 'Maria' };
    const message = refusedAs(record, [problem]);
    expect(message.headers).toEqual({
      'sluice-origin-topic': 'leads',
      'sluice-origin-partition': '2',
      'sluice-origin-offset': '7',
      'sluice-origin-timestamp': '2024-11-19T07:06:40.000Z',
      'sluice-error-code': 'SCHEMA',
      'sluice-error-reason': 'field "phone" is missing (contact.name: invalid)',
      'sluice-route': 'r',
      'sluice-failed-at': '1970-01-01T00:00:00.000Z',
    });
    expect(read(message)).toMatchObject({
      id: '1-5',
      origin: { topic: 'leads', partition: 2, offset: '7', timestamp: '1732000000000' },
      code: 'SCHEMA',
      omitted: null,
    });
  });

  it('carries headers of the record along, but none that would pass for one of Sluice', () => {
    const headers = { 'Sluice-Resolution': 'replayed', 'sluice-letter': '0-1', 'X-Own': ['a', 'b'] };
    const message = refusedAs({ headers });
    expect(readResolution(message as never)).toBeNull();
    expect(read(message).headers).toEqual({ 'X-Own': ['a', 'b'] });
  });

  it('replayed any number of times keeps the name of its first record, and gives back key, value and headers', () => {
    const once = replayMessage(read(refusedAs({ headers: { own: 'x' } })));
    expect(once).toMatchObject({
      key: record.key,
      value: record.value,
      headers: { own: 'x', 'sluice-replay-of': 'kafka:leads/2/7/1732000000000' },
    });
    const again = { ...record, offset: '90', headers: once.headers ?? {} };
    expect(replayMessage(read(refusedAs(again))).headers).toEqual(once.headers);
    expect(deliveryOf('leads', 2, again).fallbackKey).toBe(deliveryOf('leads', 2, record).fallbackKey);
  });

  it('without its value says how long that was', () => {
    expect(read(withoutValue(refusedAs(record)))).toMatchObject({ value: null, omitted: 1 });
  });

  it('without its oversized key and headers still says where the record is', () => {
    const deadLetter = withoutRecord(refusedAs({ headers: { big: 'x', 'sluice-replay-of': 'x' } }));
    expect(deadLetter).toMatchObject({ key: 'leads/2/7', value: null });
    expect(Object.keys(deadLetter.headers ?? {}).filter((name) => !/^sluice-(?!replay)/.test(name))).toEqual(
      [],
    );
    expect(read(deadLetter)).toMatchObject({
      origin: { topic: 'leads', offset: '7' },
      code: 'SCHEMA',
      omitted: 1,
    });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'keeps a header named %s, through the dead letter and its replay',
    (name) => {
      const first = throughKafka(headersFrom([[name, 'x']]));
      const letter = throughKafka(refusedAs({ headers: first }).headers);
      expect(readHeaders(letter)[name]).toEqual(Buffer.from('x'));
      expect(textHeaders(letter)[DEAD_LETTER_CODE]).toBe('SCHEMA');
      const replayed = throughKafka(replayMessage(read({ ...record, headers: letter })).headers);
      expect(readHeaders(replayed)[name]).toEqual(Buffer.from('x'));
      expect(deliveryOf('leads', 2, { ...record, headers: replayed }).headers[name.toLowerCase()]).toBe('x');
    },
  );

  it('has a header without a value where the record had one, each time it is encoded', () => {
    const given = headersFrom([
      ['none', null],
      ['some', ['a', null, 'b']],
      ['constructor', null],
      ['empty', ''],
    ]);
    const first = throughKafka(writableHeaders(given));
    const message = refusedAs({ headers: first });
    throughKafka(message.headers);
    const again = readHeaders(throughKafka(message.headers));
    expect(again['none']).toBeNull();
    expect(again['some']).toEqual([Buffer.from('a'), null, Buffer.from('b')]);
    expect(again['constructor']).toBeNull();
    expect(again['empty']).toEqual(Buffer.from(''));
  });

  it('in its shortest form has a key, and no header over 200 characters', () => {
    const message = refusedAs({ headers: {} }, [
      { field: '🙂'.repeat(400), code: 'invalid', reason: 'bad', value: 'x' },
    ]);
    const short = withoutRecord(message);
    expect(short).toMatchObject({ key: 'leads/2/7', value: null });
    for (const value of Object.values(short.headers ?? {})) {
      expect([...String(value)].length).toBeLessThanOrEqual(200);
      expect(() => encodeURIComponent(String(value))).not.toThrow();
    }
  });

  it('is resolved by a marker in its own partition', () => {
    const resolution = { deadLetter: '3-12', how: 'discarded', by: 'ana', at: 'now', reason: 'ç' } as const;
    const message = markerMessage(resolution);
    expect(message).toMatchObject({ partition: 3, value: null });
    expect(readResolution(message as never)).toEqual(resolution);
    expect(readDeadLetter(3, message as never)).toBeNull();
  });

  it('about the same record as one before is not listed, unless that one was dealt with first', () => {
    const resolved = {
      deadLetter: '0-0',
      how: 'replayed',
      by: 'ana',
      at: '2026-01-02',
      reason: null,
    } as const;
    const deadLetter = (
      id: string,
      failedAt: string,
      resolution: FoundDeadLetter['resolution'] = null,
    ): FoundDeadLetter => ({
      ...read(refusedAs(record)),
      id,
      failedAt,
      resolution,
    });
    const ids = (...deadLetters: FoundDeadLetter[]) => withoutRepetitions(deadLetters).map(({ id }) => id);
    expect(ids(deadLetter('1-0', '2026-01-01T01'), deadLetter('0-0', '2026-01-01'))).toEqual(['0-0']);
    expect(ids(deadLetter('0-0', '2026-01-01', resolved), deadLetter('1-0', '2026-01-03'))).toEqual([
      '0-0',
      '1-0',
    ]);
    const both = [deadLetter('0-0', '2026-01-01'), deadLetter('1-0', '2026-01-01T01', resolved)];
    expect(withoutRepetitions(both)).toMatchObject([{ id: '0-0', resolution: resolved }]);
  });
});

describe('reading begins', () => {
  const bounds = { low: 10n, high: 20n };
  it.each([
    ['where the group stands', 15n, 'latest', 15n, false, null],
    ['at the end of what is there, with nothing to read', 20n, 'earliest', 20n, false, null],
    ['at the earliest, where the group is new', -1n, 'earliest', 10n, true, null],
    ['at the latest, where it is new and that is wanted', -1n, 'latest', 20n, true, null],
    ['at the earliest, with a gap, where records expired', 4n, 'latest', 10n, true, 4n],
    ['at the earliest, with a gap, where the topic was made anew', 21n, 'latest', 10n, true, 21n],
    ['at the earliest, where kafkajs had given up', -2n, 'latest', 10n, true, null],
  ] as const)('%s', (_what, committed, from, position, commit, missedFrom) => {
    expect(startOf(committed, bounds, from)).toEqual({ position, commit, missedFrom });
  });
});

describe('what stops a partition', () => {
  it.each([
    [new NotAcceptedError('BUSY', 70, 'too much is open'), 'BUSY', 70],
    [
      new BuryError('no', { cause: Object.assign(new Error('x'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' }) }),
      'DEAD_LETTERS',
      null,
    ],
    [new TypeError('cannot read Maria'), 'ERROR', null],
    ['Maria', 'ERROR', null],
  ])('%s is named, without what may be a value', (error, why, retryAfterMs) => {
    const diagnosis = diagnose(error);
    expect(diagnosis).toMatchObject({ why, retryAfterMs });
    expect(JSON.stringify(diagnosis)).not.toContain('Maria');
  });

  it('is said once until it ends, and again when the reason is another', () => {
    const said: string[] = [];
    const say = (level: string) => (fields: object) => void said.push(`${level} ${JSON.stringify(fields)}`);
    const log = { debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') };
    const changes: string[] = [];
    const pauses = createPauses('bus', log, (_place, { why }, is) => void changes.push(`${why} ${is}`));
    const place = { topic: 'leads', partition: 0 };
    const down = diagnose(new NotAcceptedError('TEMPORAL', 1, 'down'));
    for (const _ of [1, 2, 3]) pauses.begin(place, '5', down);
    pauses.begin(place, '5', diagnose(new TypeError('x')));
    pauses.end(place);
    pauses.end(place);
    expect(said.map((line) => line.split(' ')[0])).toEqual(['warn', 'error', 'info']);
    expect(changes).toEqual(['TEMPORAL true', 'TEMPORAL false', 'ERROR true', 'ERROR false']);
  });
});

describe('an error of kafkajs', () => {
  it.each([
    [
      new Error('outer', {
        cause: Object.assign(new Error('inner'), { type: 'TOPIC_AUTHORIZATION_FAILED' }),
      }),
      'TOPIC_AUTHORIZATION_FAILED',
      /grant READ/,
    ],
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED', /connect/],
    [Object.assign(new Error('t'), { name: 'KafkaJSRequestTimeoutError' }), 'TIMEOUT', /no answer/],
    [Object.assign(new Error('Snappy'), { name: 'KafkaJSNotImplemented' }), 'COMPRESSION', /gzip/],
    ['text', 'UNKNOWN', /text/],
  ])('%s reports its root cause', (error, code, message) => {
    expect(describeKafkaError(error)).toEqual({ code, message: expect.stringMatching(message) as string });
  });
});
