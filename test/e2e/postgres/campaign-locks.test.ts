// Statements that change many members of a campaign lock them in the order of their ids, whatever the plan: a batch renews its
// leases while the run is changed, and PostgreSQL would end one of two that wait for each other.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Database, openPostgres, type Queryable } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { cancelMembers, giveUpLost } from '../../../src/jobs/campaigns/store/commands.ts';
import { renewMembers, returnMembers } from '../../../src/jobs/campaigns/store/member-checks.ts';
import { freeStranded, skipMembers } from '../../../src/jobs/campaigns/store/next.ts';
import { takeBackSuspects } from '../../../src/jobs/campaigns/store/suspects.ts';
import { moveOn } from '../../../src/jobs/campaigns/store/waves.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';

const RUN = 'acme/+win/1';
const AT = new Date('2026-11-16T12:00:00Z');
const NOBODY = { hears: () => false, ended() {} };
let server: TestPostgres;
let db: Database;

beforeAll(async () => {
  server = await startPostgres();
  const url = new URL(server.url);
  // Rows come in the order in which they lie in the table, as they may with any plan.
  url.searchParams.set('options', '-c enable_indexscan=off -c enable_bitmapscan=off');
  db = await openPostgres(url.href, () => undefined);
  await migrate(db);
});
afterAll(async () => {
  await db?.close();
  await server?.stop();
});

/** Members 1, 2 and 3, which lie in the table as 3, 2, 1. */
beforeEach(async () => {
  await db.query('truncate runs, campaigns, campaign_members, campaign_waves restart identity cascade');
  await db.query(
    "insert into runs (id, account, sync, seq, spec, kind) values ($1, 'acme', '+win', 1, '{}', 'campaign')",
    [RUN],
  );
  await db.query(
    "insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by) values ($1, 'acme', 'win', '', 'running', $2, 'ana')",
    [RUN, AT],
  );
  await db.query(
    "insert into campaign_members (run_id, part, state, holder) select $1, 0, 'found', 'me' from generate_series(1, 3)",
    [RUN],
  );
});

const layDown = async (state: string) => {
  await db.query(
    "insert into campaign_waves (run_id, wave, kind, size, started_at, ended_at) values ($1, 1, 'wave', 3, $2, $2)",
    [RUN, AT],
  );
  for (const id of [3, 2, 1])
    await db.query('update campaign_members set state = $2, wave = 1 where id = $1', [id, state]);
};

const IDS = [1, 2, 3];
const LEASE = { holder: 'me', until: AT };

it.each<[string, string, (tx: Queryable) => Promise<unknown>]>([
  ['a renewal', 'waiting', (tx) => renewMembers(tx, IDS, LEASE)],
  ['a return', 'waiting', (tx) => returnMembers(tx, IDS, 'me')],
  ['a skipped wave', 'waiting', (tx) => skipMembers(tx, RUN, { wave: 1 }, 'WAVE_SKIPPED', AT, NOBODY)],
  ['a cancellation', 'waiting', (tx) => cancelMembers(tx, RUN, AT)],
  ['members of a wave that ended', 'waiting', (tx) => freeStranded(tx, RUN)],
  ['members who come again', 'waiting', (tx) => moveOn(tx, RUN, 'humanService', 'true', [])],
  ['lost calls', 'sending', (tx) => giveUpLost(tx, RUN, { seconds: 60, code: 'X' }, AT, NOBODY)],
  ['suspects', 'failed', (tx) => takeBackSuspects(tx, RUN, { code: 'X', assumed: '', members: IDS })],
])('%s', async (_, state, change) => {
  await layDown(state);
  const lying = await db.query<{ id: number }>('select id from campaign_members');
  expect(lying.map(({ id }) => id)).toEqual([3, 2, 1]);
  let changed: Promise<unknown> = Promise.resolve();
  await db.transaction(async (other) => {
    await other.query('select 1 from campaign_members where id = 2 for update');
    changed = db.transaction(change);
    await until('it waits for the second member', async () => {
      const waiting = await db.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waiting.length > 0 ? true : null;
    });
    const free = await db.query<{ id: number }>('select id from campaign_members for update skip locked');
    expect(free.map(({ id }) => id)).toEqual([3]);
  });
  await changed;
});
