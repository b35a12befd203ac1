// Chunks of a partition, in whatever mix: nothing is committed that was not accepted or buried, and nothing is buried twice.
import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { NO_TRACING } from '../../../../../../src/core/tracing.ts';
import { RouteConfig } from '../../../../../../src/jobs/events/config.ts';
import type { EventDraft } from '../../../../../../src/jobs/events/contract/intake.ts';
import {
  type Acceptance,
  NotAcceptedError,
  RefusedError,
  type Route,
} from '../../../../../../src/jobs/events/ingress/intake.ts';
import {
  BuryError,
  type ChunkWork,
  workChunk,
} from '../../../../../../src/jobs/events/ingress/kafka/chunk.ts';

type Kind = 'good' | 'refused' | 'nothing' | 'broken';

const message = (kind: Kind, offset: number): KafkaMessage => ({
  key: null,
  value: Buffer.from(`${kind}-${offset}`),
  timestamp: '0',
  attributes: 0,
  headers: {},
  offset: String(offset),
});

const config = RouteConfig.parse({
  account: 'acme',
  kafka: { cluster: 'bus', topics: ['leads'] },
  action: { type: 'tags', number: 'phone' },
});

const route: Route = {
  name: 'leads',
  config,
  async read({ body }) {
    const text = Buffer.from(body).toString();
    if (text.startsWith('refused')) throw new RefusedError('SCHEMA', 422, 'no');
    if (text.startsWith('broken')) throw new TypeError(text);
    if (text.startsWith('nothing')) return { drafts: [], skipped: 'a deletion' };
    return { drafts: [{ id: text, subject: text } as EventDraft] };
  },
};

/** A partition's surroundings; `fails` says which of the calls of acceptance and burial, in order, fail. */
function surroundings(fails: readonly boolean[] = []) {
  const log: string[] = [];
  let calls = 0;
  const maybeFail = (error: Error) => {
    if (fails[calls++]) throw error;
  };
  const acceptance: Acceptance = {
    async accept(_route, drafts) {
      maybeFail(new NotAcceptedError('TEMPORAL', 1, 'down'));
      log.push(...drafts.map(({ id }) => id));
      return drafts.map(({ id }) => ({ id, duplicate: false }));
    },
    requireCapacity: async () => {},
    loads: async () => [],
    ready: async () => {},
    close: async () => {},
  };
  const counts: string[] = [];
  const work: ChunkWork = {
    topic: 'leads',
    partition: 0,
    route,
    acceptance,
    maxMessageBytes: 100,
    tracing: NO_TRACING,
    buried: new Set(),
    async writeDeadLetters(deadLetters) {
      maybeFail(new Error('away'));
      log.push(...deadLetters.map(({ message: { value } }) => String(value)));
    },
    count: (outcome) => counts.push(outcome),
  };
  return { work, log, counts };
}

const messagesOf = (...kinds: Kind[]) => kinds.map(message);

describe('a chunk', () => {
  it.each<[string, Kind[], boolean[], string[], number, unknown]>([
    ['all good', ['good', 'good'], [], ['good-0', 'good-1'], 2, null],
    [
      'a refused one is buried before what stands behind it is accepted',
      ['good', 'refused', 'good', 'refused'],
      [],
      ['good-0', 'refused-1', 'refused-3', 'good-2'],
      4,
      null,
    ],
    [
      'dead letters that can not be written stop it at the first',
      ['good', 'refused', 'good'],
      [false, true],
      ['good-0'],
      1,
      BuryError,
    ],
    [
      'an acceptance that fails behind a dead letter keeps the dead letter',
      ['refused', 'good'],
      [false, true],
      ['refused-0'],
      1,
      NotAcceptedError,
    ],
    [
      'a record that breaks the reading stops it there',
      ['good', 'broken', 'good'],
      [],
      ['good-0'],
      1,
      TypeError,
    ],
    ['nothing to do is done', ['nothing', 'nothing'], [], [], 2, null],
    ['an acceptance that fails at once leaves all', ['good', 'refused'], [true], [], 0, NotAcceptedError],
  ])('%s', async (_what, kinds, fails, expected, done, error) => {
    const { work, log } = surroundings(fails);
    const result = await workChunk(work, messagesOf(...kinds));
    expect(log).toEqual(expected);
    expect(result.done).toBe(done);
    if (error === null) expect(result.failure).toBeNull();
    else expect(result.failure?.error).toBeInstanceOf(error);
  });

  it('refuses a value that is one byte too long, and takes the longest', async () => {
    const { work, counts } = surroundings();
    const of = (length: number, n: number) => ({ ...message('good', n), value: Buffer.alloc(length, 'g') });
    await workChunk(work, [of(100, 0), of(101, 1)]);
    expect(counts).toEqual(['accepted', 'dead_letter']);
  });

  it('whatever fails and however often, ends with each record accepted in order or buried once', async () => {
    const kinds = fc.array(fc.constantFrom<Kind>('good', 'refused', 'nothing'), { maxLength: 12 });
    const fails = fc.array(fc.boolean(), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(kinds, fails, async (kinds, fails) => {
        const { work, log } = surroundings(fails);
        let left = kinds.map(message);
        let tries = 0;
        while (left.length > 0) {
          expect(tries++).toBeLessThan(30);
          const { done, failure } = await workChunk(work, left);
          const values = left.slice(0, done).map(({ value }) => String(value));
          // What is committed is there.
          for (const value of values) if (!value.startsWith('nothing')) expect(log).toContain(value);
          left = left.slice(done);
          if (left.length > 0) expect(failure).not.toBeNull();
        }
        const good = [...new Set(log.filter((value) => value.startsWith('good')))];
        expect(good).toEqual(
          kinds.map((kind, n) => `${kind}-${n}`).filter((value) => value.startsWith('good')),
        );
        const deadLetters = log.filter((value) => value.startsWith('refused'));
        expect(deadLetters).toEqual([...new Set(deadLetters)]);
        expect(deadLetters).toHaveLength(kinds.filter((kind) => kind === 'refused').length);
      }),
    );
  });
});

it('hands the trace context in the headers of each record to its events', async () => {
  const { work } = surroundings();
  const traces: unknown[] = [];
  const acceptance: Acceptance = {
    ...work.acceptance,
    async accept(_route, drafts) {
      traces.push(...drafts.map(({ trace }) => trace));
      return drafts.map(({ id }) => ({ id, duplicate: false }));
    },
  };
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const headers = { Traceparent: Buffer.from(traceparent), tracestate: ['old=1', 'vendor=1'] };
  const broken = { traceparent: Buffer.from([0xff, 0xfe]) };
  const [first, second, third] = messagesOf('good', 'good', 'good') as [
    KafkaMessage,
    KafkaMessage,
    KafkaMessage,
  ];
  const records = [{ ...first, headers }, { ...second, headers: broken }, third] as KafkaMessage[];
  await workChunk({ ...work, acceptance }, records);
  expect(traces).toEqual([{ traceparent, tracestate: 'vendor=1' }, null, null]);
});
