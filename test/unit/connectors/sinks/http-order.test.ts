// Order over HTTP: whatever fails where, each conversation stands in its order at the receiver, and blocks no other.
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpSink } from '../../../../src/connectors/sinks/http.ts';
import { publishedEvent } from './published-event.ts';
import { type Receiver, startReceiver } from './receiver.ts';

interface Arrival {
  readonly id: string;
  readonly key: string;
}

/** Of the round that runs now. */
let round: {
  statuses: ReadonlyMap<string, number>;
  arrivals: Arrival[];
  busy: Set<string>;
  clashes: string[];
};
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver(async (response, { body }) => {
    const { id, partitionkey: key } = JSON.parse(body) as { id: string; partitionkey: string };
    if (round.busy.has(key)) round.clashes.push(key);
    round.busy.add(key);
    round.arrivals.push({ id, key });
    // Lets others in between: an answer must be there before the next of its key is.
    await delay(round.arrivals.length % 3);
    round.busy.delete(key);
    response.writeHead(round.statuses.get(id) ?? 204).end();
  });
});
afterAll(() => receiver.stop());

const OK = 204;
const batch = fc.array(
  fc.record({
    conversation: fc.integer({ min: 0, max: 4 }),
    status: fc.oneof(
      { weight: 24, arbitrary: fc.constant(OK) },
      { weight: 3, arbitrary: fc.constant(422) },
      { weight: 3, arbitrary: fc.constant(413) },
      { weight: 1, arbitrary: fc.constant(500) },
    ),
  }),
  { minLength: 1, maxLength: 25 },
);

describe('events of one conversation', () => {
  it('stay in order, and a failure blocks those behind it alone', async () => {
    await fc.assert(
      fc.asyncProperty(batch, fc.integer({ min: 1, max: 6 }), async (given, concurrency) => {
        const events = given.map(({ conversation }, n) => publishedEvent({ n, conversation }));
        const statuses = new Map(events.map(({ id }, n) => [id, given[n]?.status ?? OK]));
        round = { statuses, arrivals: [], busy: new Set(), clashes: [] };
        const sink = httpSink(
          { type: 'http', url: receiver.url, secrets: ['env:A'], timeout: '5s', concurrency, retry: ['1s'] },
          { keys: [Buffer.alloc(24)] },
        );
        const sent = await sink.send(events, { signal: new AbortController().signal });
        await sink.close();

        expect(round.clashes).toEqual([]);
        const trouble = round.arrivals.some(({ id }) => statuses.get(id) === 500);
        for (const key of new Set(events.map(({ partitionkey }) => partitionkey))) {
          const own = events.flatMap((event, at) =>
            event.partitionkey === key
              ? [{ id: event.id, status: statuses.get(event.id) as number, state: sent[at]?.state }]
              : [],
          );
          const arrived = round.arrivals.filter((each) => each.key === key).map(({ id }) => id);
          expect(arrived).toEqual(own.slice(0, arrived.length).map(({ id }) => id));
          const stop = own.findIndex(({ status }) => status === 422 || status === 500);
          const most = stop === -1 ? own.length : stop + 1;
          // Trouble of the whole receiver may end it earlier, never later.
          if (trouble) expect(arrived.length).toBeLessThanOrEqual(most);
          else expect(arrived.length).toBe(most);
          expect(own.map(({ state }) => state)).toEqual(
            own.map(({ status }, at) =>
              at >= arrived.length ? 'skipped' : status === OK ? 'sent' : 'failed',
            ),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
