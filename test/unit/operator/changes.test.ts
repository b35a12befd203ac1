// The watch of changes: what is announced, and that it costs nothing while nobody listens.
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/core/sql/database.ts';
import { watchChanges } from '../../../src/operator/service/changes.ts';
import { logCalls } from '../../../src/operator/store/calls.ts';
import type { Topic } from '../../../src/operator/store/change-marks.ts';
import { onBothLedgers } from '../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../support/postgres/ledger.ts';
import { fill } from './overview/rows.ts';
import { callOf } from './store/calls-suite.ts';

onBothLedgers((db) => {
  beforeEach(async () => {
    await emptyLedger(db);
    await fill(db);
  });

  /** A watch whose every statement is counted and can fail. */
  function watching() {
    let statements = 0;
    let broken = false;
    let read: () => void = () => undefined;
    const warned: object[] = [];
    const counting: Database = {
      ...db,
      async query(sql, params) {
        statements++;
        if (broken) {
          read();
          throw new Error('the ledger is away');
        }
        const rows = await db.query(sql, params);
        setImmediate(read);
        return rows as never;
      },
    };
    const log = { info() {}, error() {}, warn: (fields: object) => warned.push(fields) };
    const { subscribe } = watchChanges({ db: counting, log }, { checkMs: 5 });
    return {
      subscribe,
      warned,
      statements: () => statements,
      /** Resolves after the next statement. */
      nextRead: () =>
        new Promise<void>((resolve) => {
          read = resolve;
        }),
      break: (is: boolean) => {
        broken = is;
      },
    };
  }

  /** The first topics that are announced after this change. */
  async function announcedAfter(change: () => Promise<unknown>): Promise<readonly Topic[]> {
    const watch = watching();
    const ready = watch.nextRead();
    let stop = () => {};
    const announced = new Promise<readonly Topic[]>((resolve) => {
      stop = watch.subscribe(resolve);
    });
    await ready;
    await change();
    const topics = await announced;
    stop();
    return topics;
  }

  it.each<[string, string | (() => Promise<unknown>), Topic[]]>([
    ['a call', () => logCalls(db, [callOf({ age_ms: -1000 })], new Map()), ['overview']],
    [
      'a sync that makes calls',
      "update runs set calls = calls + 1 where id = 'acme/leads/2'",
      ['overview', 'syncs'],
    ],
    [
      'a pause',
      `update campaigns set paused = null where run_id = 'acme/+spring/1'`,
      ['overview', 'campaigns'],
    ],
    ['a wave', `update campaign_waves set ended_at = now() where wave = 2`, ['overview', 'campaigns']],
    ['a blocked event', `update events set block_code = 'X' where id = 'e3'`, ['overview', 'events']],
    ['a poll', 'update pollers set polls = polls + 1', ['overview', 'conversations']],
    ['a sent event', 'update sink_states set sent = sent + 1', ['overview', 'sinks']],
    ['a discarded event', `delete from outbox where state = 'dead'`, ['overview', 'sinks']],
    [
      'a command',
      `insert into operator_audit (action, target, outcome) values ('POST /x', '/x', 'ok')`,
      ['overview', 'audit'],
    ],
    [
      'a user',
      `insert into users (name, display_name, role) values ('ana', 'Ana', 'viewer')`,
      ['overview', 'settings'],
    ],
  ])('%s is announced', async (_what, change, topics) => {
    expect(await announcedAfter(typeof change === 'string' ? () => db.query(change) : change)).toEqual(
      topics,
    );
  });

  it('nothing is read before somebody listens, nor after the last one left', async () => {
    const { subscribe, statements, nextRead } = watching();
    expect(statements()).toBe(0);
    const first = nextRead();
    const stop = [subscribe(() => {}), subscribe(() => {})];
    await first;
    for (const each of stop) each();
    const before = statements();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(statements()).toBeLessThanOrEqual(before + 1);
  });

  it('many listeners share one statement, and each hears of a change once', async () => {
    const { subscribe, nextRead, statements } = watching();
    const heard: number[] = [];
    const ready = nextRead();
    const all = Promise.all(
      Array.from(
        { length: 20 },
        (_each, n) =>
          new Promise<() => void>((resolve) => {
            const stop = subscribe(() => {
              heard.push(n);
              resolve(stop);
            });
          }),
      ),
    );
    await ready;
    expect(statements()).toBe(1);
    await db.query('update pollers set polls = polls + 1');
    for (const stop of await all) stop();
    expect(heard.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_each, n) => n));
  });

  it('a change during an outage of the ledger is announced after it, with one warning', async () => {
    const watch = watching();
    const ready = watch.nextRead();
    let stop = () => {};
    const announced = new Promise<readonly Topic[]>((resolve) => {
      stop = watch.subscribe(resolve);
    });
    await ready;
    watch.break(true);
    await watch.nextRead();
    await watch.nextRead();
    await db.query('update pollers set polls = polls + 1');
    watch.break(false);
    expect(await announced).toContain('conversations');
    expect(watch.warned).toHaveLength(1);
    stop();
  });
});
