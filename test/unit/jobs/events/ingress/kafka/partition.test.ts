// One partition against an acceptance that fails as it likes: offsets are committed in order, and never before acceptance.
import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import { NO_TRACING } from '../../../../../../src/core/tracing.ts';
import { RouteConfig } from '../../../../../../src/jobs/events/config.ts';
import type { EventDraft } from '../../../../../../src/jobs/events/contract/intake.ts';
import {
  type Acceptance,
  NotAcceptedError,
  type Route,
} from '../../../../../../src/jobs/events/ingress/intake.ts';
import {
  type PartitionOptions,
  readPartition,
  withinLimit,
} from '../../../../../../src/jobs/events/ingress/kafka/partition.ts';
import { createPauses, type Log } from '../../../../../../src/jobs/events/ingress/kafka/pauses.ts';
import { createGaps } from '../../../../../../src/jobs/events/ingress/kafka/positions.ts';
import { until } from '../../../../../support/until.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const route: Route = {
  name: 'leads',
  config: RouteConfig.parse({
    account: 'acme',
    kafka: { cluster: 'bus', topics: ['leads'] },
    action: { type: 'tags', number: 'phone' },
  }),
  read: async ({ about }) => ({ drafts: [{ id: String(about?.['offset']) } as EventDraft] }),
};

function partition(onAccept: (drafts: readonly EventDraft[]) => void | Promise<void>) {
  const accepted = new Set<number>();
  const given = new Set<number>();
  const commits: number[] = [];
  const fetching: boolean[] = [];
  const acceptance: Acceptance = {
    async accept(_route, drafts) {
      await onAccept(drafts);
      for (const { id } of drafts) accepted.add(Number(id));
      return drafts.map(({ id }) => ({ id, duplicate: false }));
    },
    requireCapacity: async () => {},
    loads: async () => [],
    ready: async () => {},
    close: async () => {},
  };
  const pauses = createPauses('bus', silent, () => {});
  const gaps = createGaps('bus', silent, () => {});
  const options: PartitionOptions = {
    topic: 'leads',
    partition: 0,
    route,
    acceptance,
    maxMessageBytes: 1e6,
    tracing: NO_TRACING,
    start: 0n,
    commitStart: false,
    pauses,
    gaps,
    limit: pLimit(1),
    log: silent,
    retry: { firstMs: 1, mostMs: 2 },
    writeDeadLetters: async () => {},
    count: () => {},
    fetch: (on) => void fetching.push(on),
    async commit(next) {
      for (const offset of given) if (offset < Number(next)) expect(accepted).toContain(offset);
      commits.push(Number(next));
    },
  };
  const reader = readPartition(options);
  const take: typeof reader.take = (records) => {
    for (const { offset } of records.messages) given.add(Number(offset));
    reader.take(records);
  };
  return { reader: { ...reader, take }, accepted, commits, fetching, pauses, gaps };
}

const fetched = (at: number, count: number, size = 1) => ({
  at: BigInt(at),
  messages: Array.from(
    { length: count },
    (_, n): KafkaMessage => ({
      key: null,
      value: Buffer.alloc(size),
      timestamp: '0',
      attributes: 0,
      headers: {},
      offset: String(at + n),
    }),
  ),
  next: BigInt(at + count),
});

describe('a partition', () => {
  it('commits only what is accepted, in order, whatever fails', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(fc.boolean(), { maxLength: 6 }), async (sizes, fails) => {
        let calls = 0;
        const { reader, commits } = partition(() => {
          if (fails[calls++]) throw new NotAcceptedError('TEMPORAL', 1, 'down');
        });
        let at = 0;
        for (const size of sizes) {
          reader.take(fetched(at, size));
          at += size;
        }
        await until('all is committed', () => commits.at(-1) === at);
        expect(commits).toEqual(commits.toSorted((a, b) => a - b));
        await reader.finish();
      }),
      { numRuns: 15 },
    );
  });

  it('stops fetching when enough waits, and resumes before the queue is empty', async () => {
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { reader, fetching, commits } = partition(() => gone);
    expect(fetching).toEqual([true]);
    reader.take(fetched(0, 600, 1000));
    expect(fetching).toEqual([true, false]);
    go();
    await until('all is committed', () => commits.at(-1) === 600);
    expect(fetching).toEqual([true, false, true]);
    await reader.finish();
  });

  it('that is taken away commits nothing any more, not even what is accepted a moment later', async () => {
    let answer = () => {};
    let asked = false;
    const { reader, accepted, commits } = partition(async () => {
      asked = true;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    });
    reader.take(fetched(0, 3));
    await until('it is at it', () => asked);
    const dropped = reader.drop();
    answer();
    await dropped;
    expect(accepted.size).toBe(3);
    expect(commits).toEqual([]);
  });

  it('that is asked to finish does not wait for the end of an outage', async () => {
    const { reader, pauses, commits } = partition(() => {
      throw new NotAcceptedError('TEMPORAL', 1e6, 'down');
    });
    reader.take(fetched(0, 3));
    await until('it stands still', () => pauses.all().length === 1);
    await reader.finish();
    expect(commits).toEqual([]);
  });

  it('reports deleted records and a topic that was created again; gaps of compaction do not count', async () => {
    const { reader, gaps, commits } = partition(() => {});
    reader.take({ ...fetched(0, 2), next: 5n });
    reader.skip(9n);
    reader.take(fetched(9, 1));
    await until('the holes are passed', () => commits.at(-1) === 10);
    expect(gaps.all()).toEqual([]);
    reader.take(fetched(20, 1));
    reader.take(fetched(0, 1));
    await until('the new one is read', () => commits.at(-1) === 1);
    expect(gaps.all()).toMatchObject([
      { from: '10', to: '20', count: 10 },
      { from: '21', to: '0', count: null },
    ]);
    await reader.finish();
  });
});

describe('work within a limit', () => {
  it('begins in order; what is given up never begins and leaves its place to the next', async () => {
    const limit = pLimit(1);
    const order: string[] = [];
    const never = new AbortController().signal;
    let free = () => {};
    const first = withinLimit(limit, never, () => new Promise<void>((resolve) => (free = resolve)));
    const giving = new AbortController();
    const second = withinLimit(limit, giving.signal, async () => order.push('second'));
    const third = withinLimit(limit, never, async () => order.push('third'));
    giving.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    free();
    await Promise.all([first, third]);
    await withinLimit(limit, never, async () => order.push('fourth'));
    expect(order).toEqual(['third', 'fourth']);
  });

  it('runs to its end if it began before the abort, and fails as it fails', async () => {
    const limit = pLimit(1);
    const giving = new AbortController();
    const begun = withinLimit(limit, giving.signal, async () => {
      giving.abort(new Error('enough'));
      return 'done';
    });
    expect(await begun).toBe('done');
    await expect(withinLimit(limit, giving.signal, async () => 'late')).rejects.toThrow('enough');
    const failing = withinLimit(limit, new AbortController().signal, () =>
      Promise.reject(new Error('broken')),
    );
    await expect(failing).rejects.toThrow('broken');
    expect([limit.activeCount, limit.pendingCount]).toEqual([0, 0]);
  });
});
