// Several workers at one PostgreSQL: what happens to a statement that waited for another one's row.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeEvent } from '../../../activities/events/intake.ts';
import { LANES } from '../../../src/core/lanes.ts';
import { type Database, openPostgres, type Queryable } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { takeIntent } from '../../../src/core/store/intents.ts';
import { endEvent, lockEvent } from '../../../src/jobs/events/store/event-end.ts';
import { addEvents, getEvent, markAccepted } from '../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../src/jobs/events/store/intake-runs.ts';
import { takeBack, takeDue } from '../../../src/jobs/sync/store/due-records.ts';
import { getRecord } from '../../../src/jobs/sync/store/record-rows.ts';
import { endRecord, settleStep } from '../../../src/jobs/sync/store/records.ts';
import { closeRun } from '../../../src/jobs/sync/store/run-end.ts';
import { lockRun } from '../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { logCalls } from '../../../src/operator/store/calls.ts';
import { createBudget } from '../../../src/service/budget/slots.ts';
import { unleased } from '../../support/postgres/ledger.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';
import { failureOf, freshAccount, phone, recordOf, runWith } from '../../unit/core/sql/support.ts';
import { slotsSuite } from '../../unit/service/budget/slots-suite.ts';
import { planOf, recordSlots, scheduled, takeOne } from '../../unit/service/budget/slots-support.ts';
import { tokensSuite } from '../../unit/service/budget/tokens-suite.ts';

let server: TestPostgres;
let db: Database;
let other: Database;
const broken: Error[] = [];
beforeAll(async () => {
  server = await startPostgres();
  db = await openPostgres(server.url, (error) => broken.push(error));
  other = await openPostgres(server.url, (error) => broken.push(error));
  await migrate(db);
  await recordSlots(db);
});
afterAll(async () => {
  await Promise.all([db, other].map((each) => each.close()));
  await server.stop();
});

/** Holds what `first` locked until `second` waits for it; then does `last` and lets go. */
async function behind<T>(
  first: (tx: Queryable) => Promise<unknown>,
  second: () => Promise<T>,
  last?: (tx: Queryable) => Promise<unknown>,
): Promise<T> {
  let result: Promise<T> | undefined;
  await db.transaction(async (tx) => {
    await first(tx);
    result = second();
    result.catch(() => undefined);
    await untilOneWaits();
    await last?.(tx);
  });
  return await (result as Promise<T>);
}

async function untilOneWaits(): Promise<void> {
  for (;;) {
    const [row] = await other.query<{ n: number }>(
      "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if ((row?.n ?? 0) > 0) return;
  }
}

describe('a step that waited for another one at the same record', () => {
  it('adds to its result', async () => {
    const { run, ids } = await runWith(db, [1 | 4 | 8]);
    const id = ids[0] as number;
    const answer = await behind(
      (tx) => settleStep(tx, unleased(id), { clear: 1, add: 16, created: true }),
      () => settleStep(other, unleased(id), { clear: 4, touched: true }),
    );
    expect(answer).toEqual({ todo: 8 | 16 });
    expect(await getRecord(db, run.id, id)).toMatchObject({ todo: 8 | 16, created: true, touched: true });
  });

  it('gets the end if the other one ended the record', async () => {
    const { run, ids } = await runWith(db, [4 | 8]);
    const id = ids[0] as number;
    const answer = await behind(
      (tx) => endRecord(tx, unleased(id), { status: 'failed', step: 's', code: 'C', reason: 'r' }),
      () => settleStep(other, unleased(id), { clear: 12, touched: true }),
    );
    expect(answer).toEqual({ todo: 12, ended: 'failed' });
    expect(await getRecord(db, run.id, id)).toMatchObject({ status: 'failed', touched: false });
  });
});

it('a caller that waited for an intent that another one took does not get it', async () => {
  const intent = { account: 'a', kind: 'card', subject: '1/x', run: 'r' } as const;
  expect(
    await behind(
      (tx) => takeIntent(tx, intent),
      () => takeIntent(other, intent),
    ),
  ).toBeNull();
});

it('the call log waits for its runs in the order of everybody else', async () => {
  const account = freshAccount();
  const [later, earlier] = [`${account}/z/1`, `${account}/a/1`];
  // In this order in the table, which is how a statement without an order finds them. With too few rows, it does not.
  const others = Array.from({ length: 20 }, (_, n) => `${account}/m${n}/1`);
  for (const id of [later, earlier, ...others])
    await db.query(
      "insert into runs (id, account, sync, seq, spec, kind, status) values ($1, $2, $1, 1, '{}', 'sync', 'syncing')",
      [id, account],
    );
  await db.query('analyze runs');
  const started = new Map([later, earlier].map((id) => [id, 1]));
  const lock = (tx: Queryable, id: string) => tx.query('select 1 from runs where id = $1 for update', [id]);
  await behind(
    (tx) => lock(tx, earlier),
    () => logCalls(other, [], started),
    (tx) => lock(tx, later),
  );
  expect(await db.query('select calls from runs where id = any($1)', [[later, earlier]])).toEqual([
    { calls: 1 },
    { calls: 1 },
  ]);
});

it('a batch that takes records while it is taken back loses them', async () => {
  const { account, run, ids } = await runWith(db, [8]);
  const lease = { holder: 'r/batch-1/1', seconds: 60, limit: 1 };
  const place = { id: run.id, account, pipeline: '' };
  await behind(
    async (tx) => expect(await takeDue(tx, place, lease)).toHaveLength(1),
    () => takeBack(other, run.id, 'r/batch-1/'),
  );
  expect(await getRecord(db, run.id, ids[0] as number)).toMatchObject({ holder: null });
  const late = await behind(
    (tx) => takeBack(tx, run.id, 'r/batch-2/'),
    () => takeDue(other, place, { ...lease, holder: 'r/batch-2/1' }),
  );
  expect(late).toEqual([]);
});

describe('an event that is cancelled while an attempt is about to send', () => {
  const accepted = async () => {
    const account = freshAccount();
    const run = await openIntakeRun(db, { account, sync: '@route' });
    const request = {
      type: 'flow',
      number: phone(1),
      key: phone(1),
      flow: 1,
      connection: 1,
      variables: {},
    } as const;
    await addEvents(db, run, [{ account, route: 'route', id: account, subject: 's', rank: null, request }]);
    await markAccepted(db, [account]);
    return { account, kind: 'event-flow', subject: account, run } as const;
  };
  const outcomeOf = async (id: string) => (await getEvent(db, id))?.outcome;

  it('has an unknown outcome if the attempt was first', async () => {
    const intent = await accepted();
    await behind(
      async (tx) => expect(await takeIntent(tx, intent)).not.toBeNull(),
      () => closeEvent({ db: other }, { event: intent.subject, cancelled: true }),
    );
    expect(await outcomeOf(intent.subject)).toBe('unknown');
  });

  it('is discarded if the cancellation was first, and the attempt does not send', async () => {
    const intent = await accepted();
    const taken = await behind(
      async (tx) => {
        await lockEvent(tx, intent.subject);
        await endEvent(tx, intent.subject, { outcome: 'discarded' });
      },
      () => takeIntent(other, intent),
    );
    expect(taken).toBeNull();
  });
});

it('a page that is planned while its run is closed locks nobody out', async () => {
  const { run } = await runWith(db, [8]);
  let closing: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await lockRun(tx, run.id);
    closing = other.transaction((second) => closeRun(second, run.id, { status: 'cancelled', stopped: 8 }));
    closing.catch(() => undefined);
    await untilOneWaits();
    await stageRecords(tx, run.id, [{ key: phone(0), row: 1, record: recordOf(phone(0)), todo: 8 }]);
  });
  expect(await closing).toMatchObject({ unchanged: 1, pending: 0 });
});

describe('a connection that breaks inside a transaction', () => {
  const kill = (pid: number) => other.query('select pg_terminate_backend($1)', [pid]);
  const pidOf = async (tx: Queryable) =>
    (await tx.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid as number;

  it('fails that transaction alone: the process lives and the next one works', async () => {
    const { ids } = await runWith(db, [4]);
    const { error } = await failureOf(
      db.transaction(async (tx) => {
        await settleStep(tx, unleased(ids[0] as number), { clear: 4 });
        await kill(await pidOf(tx));
        await tx.query('select 1');
      }),
    );
    expect(error).toMatchObject({ name: 'LedgerError' });
    expect(await db.query('select todo from run_records where id = $1', [ids[0]])).toEqual([{ todo: 4 }]);
    expect(await db.transaction((tx) => tx.query('select 7 as n'))).toEqual([{ n: 7 }]);
    expect(broken.length).toBeGreaterThan(0);
  });
});

describe('a host that vanishes silently', () => {
  /** Passes bytes on until it is asked to swallow those of the connections that it has. */
  async function wire() {
    const target = new URL(server.url);
    const sockets = new Set<Socket>();
    const proxy = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((listening) => {
      proxy.listen(0, '127.0.0.1', listening);
    });
    const url = new URL(server.url);
    url.hostname = '127.0.0.1';
    url.port = String((proxy.address() as AddressInfo).port);
    return {
      url: url.href,
      swallow() {
        for (const socket of sockets) socket.unpipe();
        for (const socket of sockets) socket.resume();
      },
      close() {
        for (const socket of sockets) socket.destroy();
        proxy.close();
      },
    };
  }

  it('delays one statement and one transaction, and the next ones get new connections', async () => {
    const line = await wire();
    const far = await openPostgres(line.url, (error) => broken.push(error), 300);
    try {
      await far.query('select 1');
      line.swallow();
      await expect(far.query('select 2')).rejects.toMatchObject({ name: 'LedgerError' });
      expect(await far.query('select 3 as n')).toEqual([{ n: 3 }]);
      const stuck = far.transaction(async (tx) => {
        await tx.query('select 4');
        line.swallow();
        await tx.query('select 5');
      });
      await expect(stuck).rejects.toMatchObject({ name: 'LedgerError' });
      expect(await far.transaction((tx) => tx.query('select 6 as n'))).toEqual([{ n: 6 }]);
    } finally {
      await far.close();
      line.close();
    }
  });

  it('keeps no row locked for hours: the server ends an abandoned transaction', async () => {
    const [row] = await db.transaction((tx) =>
      tx.query<{ limit: string }>("select current_setting('idle_in_transaction_session_timeout') as limit"),
    );
    expect(row).toEqual({ limit: '5min' });
  });
});

describe('a frequent statement', () => {
  const SQL = 'select $1::int + 1 as n';
  const PREPARED = 'select count(*) as n from pg_prepared_statements where statement = $1';

  it('is prepared at its tenth use, and sent in full again after a pooler has lost it', async () => {
    const own = await openPostgres(server.url, (error) => broken.push(error));
    try {
      const add = (n: number) => own.query<{ n: number }>(SQL, [n]);
      for (let i = 0; i < 9; i++) await add(i);
      expect(await own.query(PREPARED, [SQL])).toEqual([{ n: 0 }]);
      expect(await add(9)).toEqual([{ n: 10 }]);
      expect(await own.query(PREPARED, [SQL])).toEqual([{ n: 1 }]);
      await own.query('deallocate all');
      expect(await add(10)).toEqual([{ n: 11 }]);
      expect(await own.query(PREPARED, [SQL])).toEqual([{ n: 0 }]);
    } finally {
      await own.close();
    }
  });

  it('fails a transaction once when a pooler has lost it', async () => {
    const own = await openPostgres(server.url, (error) => broken.push(error));
    try {
      for (let i = 0; i < 10; i++) await own.query(SQL, [i]);
      await own.query('deallocate all');
      const add = () => own.transaction((tx) => tx.query(SQL, [1]));
      await expect(add()).rejects.toMatchObject({ name: 'LedgerError', code: '26000' });
      expect(await add()).toEqual([{ n: 2 }]);
    } finally {
      await own.close();
    }
  });
});

it('the error of an unreachable server names its address and code', async () => {
  const nobody = await openPostgres('postgres://u:hidden@127.0.0.1:1/x', () => undefined);
  for (const ask of [nobody.query('select 1'), nobody.transaction((tx) => tx.query('select 1'))]) {
    const { error, shown } = await failureOf(ask);
    expect(error).toMatchObject({ name: 'LedgerError', code: 'ECONNREFUSED' });
    expect(shown).toContain('127.0.0.1:1');
    expect(shown).not.toContain('hidden');
  }
  await nobody.close();
});

slotsSuite(
  () => db,
  () => [other],
);
tokensSuite(() => db);

describe('a caller that waited for the row of its token', () => {
  const begin = (token: string, limit: number) =>
    db.query('insert into slots (token, call_limit) values ($1, $2)', [token, limit]);

  it('gets a slot based on the time it got the row, without an extra wait', async () => {
    await begin('waited', 120);
    let released = 0;
    const slot = await behind(
      (tx) => tx.query("select 1 from slots where token = 'waited' for update"),
      () => createBudget(other, () => planOf(120)).reserve(['waited'], LANES.lead),
      async (tx) => {
        const [now] = await tx.query<{ at: number }>(
          'select (extract(epoch from clock_timestamp()) * 1e6)::int8 as at',
        );
        released = now?.at as number;
      },
    );
    // Calls are 500 ms apart; the clocks of two processes are compared within less than that.
    expect(slot.dueAt - performance.now()).toBeLessThan(400);
    const [at] = await scheduled(db, 'waited');
    expect(at).toBeGreaterThanOrEqual(released);
  });

  it('and finds the slot taken is refused at least until it may ask again', async () => {
    await begin('full', 1);
    const slot = await behind(
      async (tx) => {
        expect((await takeOne(tx, 'full', 1)).taken).toBe(true);
      },
      () => takeOne(other, 'full', 1, LANES.lead),
    );
    expect(slot.taken).toBe(false);
    expect(slot.wait_s).toBeGreaterThanOrEqual(10);
    expect(await scheduled(db, 'full')).toHaveLength(1);
  });
});
