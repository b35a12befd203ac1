// A restored ledger: what may have gone on after its backup is marked, and nothing is sent because it was forgotten.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeIntent } from '../../../../src/core/store/intents.ts';
import { addEvents, claimEvent, getEvent } from '../../../../src/jobs/events/store/events.ts';
import { STEP_BITS } from '../../../../src/jobs/sync/constants.ts';
import { openEventsAfter } from '../../../../src/protect/restore/open-events.ts';
import { endRestore, openRestore } from '../../../../src/protect/restore/restores.ts';
import { markRestored } from '../../../../src/protect/restore/suspect.ts';
import { freshAccount, type OpenDatabase, phone, runWith } from './support.ts';

const BACKUP = new Date(Date.now() - 3_600_000);

const REQUESTS = {
  message: { type: 'message', to: { number: '5511912345601', key: '5511912345601' }, text: 'Hello' },
  stage: { type: 'stage', of: { card: 7 }, stage: 12 },
  flow: { type: 'flow', number: '5511912345601', key: '5511912345601', flow: 1, connection: 1 },
  tags: { type: 'tags', number: '5511912345601', key: '5511912345601', add: ['vip'], remove: [] },
} as const;

export function restoreSuite(database: OpenDatabase): void {
  async function eventsOf(account: string): Promise<Record<keyof typeof REQUESTS, string>> {
    const db = database();
    await db.query(
      `insert into runs (id, account, sync, seq, spec, kind, status) values ($1, $2, '@orders', 1, '{}', 'intake', 'syncing')`,
      [`${account}/@orders/1`, account],
    );
    const kinds = Object.keys(REQUESTS) as (keyof typeof REQUESTS)[];
    await addEvents(
      db,
      `${account}/@orders/1`,
      kinds.map((kind) => ({
        account,
        route: 'orders',
        id: `${account}-${kind}`,
        subject: kind,
        rank: null,
        request: REQUESTS[kind] as never,
      })),
    );
    return Object.fromEntries(kinds.map((kind) => [kind, `${account}-${kind}`])) as never;
  }

  describe('a restored ledger', () => {
    // Rows of other suites need not be whole.
    beforeEach(async () => {
      await database().query('update runs set finished_at = now() where finished_at is null');
    });
    afterEach(async () => {
      while (await endRestore(database(), 'test'));
    });

    it('takes effects of open events for sent, whatever their intent was', async () => {
      const db = database();
      const account = freshAccount();
      const ids = await eventsOf(account);
      const intent = {
        account,
        kind: 'event-message',
        subject: ids.message,
        run: `${account}/@orders/1`,
      } as const;
      await db.query(
        `update events set state = 'accepted', workflow = 'w', progress = '{"step": "sendMessage"}'
                       where account = $1`,
        [account],
      );
      const before = await takeIntent(db, intent);
      await db.query(`update intents set state = 'open' where id = $1`, [before?.id]);
      const { events } = await markRestored(db, BACKUP);
      expect(events).toBeGreaterThanOrEqual(4);
      for (const kind of ['message', 'stage', 'flow'] as const) {
        const event = await getEvent(db, ids[kind]);
        expect([kind, event?.intent?.state, event?.intent?.sends]).toEqual([kind, 'sent', 1]);
        expect(event?.progress).toEqual({ since: expect.anything() });
        expect(Date.parse(String(event?.progress.since))).toBe(BACKUP.getTime());
        // Its old workflow does not own it any more.
        expect(event?.workflow).toBeNull();
      }
      expect((await getEvent(db, ids.tags))?.intent).toBeNull();
      expect(await takeIntent(db, intent)).toBeNull();
      const open = await openEventsAfter(db, 0, 10_000);
      expect(open.filter((event) => event.account === account)).toHaveLength(4);
    });

    it('restored once more, searches from the older backup', async () => {
      const db = database();
      const ids = await eventsOf(freshAccount());
      await markRestored(db, BACKUP);
      await markRestored(db, new Date());
      const event = await getEvent(db, ids.message);
      expect(Date.parse(String(event?.progress.since))).toBe(BACKUP.getTime());
      expect(Date.parse((await openRestore(db))?.restoredTo ?? '')).toBe(BACKUP.getTime());
    });

    it('names the backup to events that begin, until an operator ends the restore', async () => {
      const db = database();
      const ids = await eventsOf(freshAccount());
      const claimed = async () => (await claimEvent(db, ids.message, 'w'))?.restoredTo;
      expect(await claimed()).toBeNull();
      await markRestored(db, BACKUP);
      expect(await claimed()).toEqual(BACKUP);
      expect(await endRestore(db, 'user:ana')).toBe(true);
      expect(await claimed()).toBeNull();
      expect(await endRestore(db, 'user:ana')).toBe(false);
    });

    it('looks people and cards of open leads up again', async () => {
      const db = database();
      const { createCard, lookup, findCard, readBackCard, setTags } = STEP_BITS;
      const { account, run, ids } = await runWith(db, [
        createCard,
        createCard,
        createCard | readBackCard,
        setTags,
      ]);
      await db.query(`update runs set kind = 'intake' where id = $1`, [run.id]);
      await db.query(
        'insert into people (account, key, remote_id) values ($1, $2, 1), ($1, $3, 3), ($1, $4, 4)',
        [account, phone(0), phone(2), phone(3)],
      );
      for (const [n, record] of ids.entries())
        await db.query(
          `insert into events (id, account, route, run_id, action, subject, request, state, record_id)
           values ($1, $2, 'leads', $3, 'lead', $1, '{"type": "lead"}', 'accepted', $4)`,
          [`${account}-${n}`, account, run.id, record],
        );
      await markRestored(db, BACKUP);
      const rows = await db.query<{ todo: number }>(
        'select todo from run_records where run_id = $1 order by id',
        [run.id],
      );
      expect(rows.map(({ todo }) => todo)).toEqual([
        createCard | findCard,
        createCard | findCard | lookup,
        createCard | readBackCard,
        setTags,
      ]);
    });

    // An open retry would go on with the steps that it planned before the backup, without a search for what they did.
    it.each(['sync', 'retry'])('ends open runs (%s), and leaves routes open', async (kind) => {
      const db = database();
      const { run } = await runWith(db, [STEP_BITS.createCard]);
      await db.query('update runs set kind = $2 where id = $1', [run.id, kind]);
      const account = freshAccount();
      await eventsOf(account);
      const { runs } = await markRestored(db, BACKUP);
      expect(runs).toBeGreaterThanOrEqual(1);
      const rows = await db.query(
        'select id, status, finished_at is null as open from runs where id = any($1) order by 2',
        [[run.id, `${account}/@orders/1`]],
      );
      expect(rows).toEqual([
        { id: run.id, status: 'failed', open: false },
        { id: `${account}/@orders/1`, status: 'syncing', open: true },
      ]);
    });

    it('ends campaigns: members that were not triggered are unknown, and count as reached', async () => {
      const db = database();
      const account = freshAccount();
      const run = async (seq: number, state: string) => {
        const id = `${account}/+c${seq}/${seq}`;
        await db.query(
          `insert into runs (id, account, sync, seq, spec, kind, status) values ($1, $2, $3, $4, '{}', 'campaign', 'syncing')`,
          [id, account, `+c${seq}`, seq],
        );
        await db.query(
          `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by) values ($1, $2, $3, '', $4, now(), 'ana')`,
          [id, account, `c${seq}`, state],
        );
        return id;
      };
      const [running, planned] = [await run(1, 'running'), await run(2, 'planned')];
      for (const id of [running, planned])
        await db.query(
          `insert into campaign_members (run_id, key, number, part, state, sends) values
             ($1, '1', '1', 0, 'waiting', 0), ($1, '2', '2', 0, 'sending', 1), ($1, '3', '3', 0, 'triggered', 1), ($1, '4', '4', 0, 'excluded', 0)`,
          [id],
        );
      const { campaigns, members } = await markRestored(db, BACKUP);
      expect(campaigns).toBeGreaterThanOrEqual(2);
      expect(members).toBeGreaterThanOrEqual(2);
      const states = (id: string) =>
        db.query('select key, state, code from campaign_members where run_id = $1 order by key', [id]);
      expect(await states(running)).toEqual([
        { key: '1', state: 'unknown', code: 'RESTORED' },
        { key: '2', state: 'unknown', code: 'RESTORED' },
        { key: '3', state: 'triggered', code: null },
        { key: '4', state: 'excluded', code: null },
      ]);
      expect(await states(planned)).toMatchObject([{ state: 'waiting' }, {}, {}, {}]);
      expect(
        await db.query('select key from campaign_touches where account = $1 order by 1', [account]),
      ).toEqual([{ key: '1' }, { key: '2' }]);
      expect(
        await db.query('select state from campaigns where account = $1 order by campaign', [account]),
      ).toEqual([{ state: 'cancelled' }, { state: 'void' }]);
      expect(
        await db.query('select 1 from runs where account = $1 and finished_at is null', [account]),
      ).toEqual([]);
    });
  });
}
