// Events in the ledger: each once, one owner, one at a time a subject, remembered and forgotten.
import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../../../../src/jobs/events/contract/intake.ts';
import { endEvent, forgetEvents } from '../../../../../src/jobs/events/store/event-end.ts';
import { listEvents, reopenEvents } from '../../../../../src/jobs/events/store/event-queries.ts';
import {
  addEvents,
  claimEvent,
  countOpen,
  getEvent,
  markAccepted,
  nextInQueue,
  tracedEvent,
} from '../../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../../src/jobs/events/store/intake-runs.ts';
import { freshAccount, type OpenDatabase, phone, recordOf } from '../../../core/sql/support.ts';

export function eventsSuite(database: OpenDatabase): void {
  const draftsOf = (account: string, count: number, subject = (n: number) => `person/${phone(n)}`) =>
    Array.from(
      { length: count },
      (_, n): EventDraft => ({
        account,
        route: 'site',
        id: `${account}-${n}`,
        subject: subject(n),
        rank: null,
        request: { type: 'lead', record: recordOf(phone(n)) },
      }),
    );
  const opened = async (count: number, over: Partial<EventDraft> = {}) => {
    const account = freshAccount();
    const run = await openIntakeRun(database(), { account, sync: '@site' });
    const drafts = draftsOf(account, count).map((draft) => ({ ...draft, ...over }));
    await addEvents(database(), run, drafts);
    return { account, run, drafts, ids: drafts.map(({ id }) => id) };
  };
  const eventOf = async (id: string) => {
    const event = await getEvent(database(), id);
    if (event === null) throw new Error(`no event ${id}`);
    return event;
  };

  describe('the trace of an event', () => {
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };

    it('is stored with it, survives its end, and a repetition does not replace it', async () => {
      const { run, drafts, ids } = await opened(1, { trace });
      const other = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
      await addEvents(
        database(),
        run,
        drafts.map((draft) => ({ ...draft, trace: other })),
      );
      await endEvent(database(), ids[0] as string, { outcome: 'done' });
      expect(await tracedEvent(database(), ids[0] as string)).toEqual({
        route: 'site',
        action: 'lead',
        trace,
        ageMs: expect.any(Number),
      });
    });

    it('is null for an event without one, and there is none for an unknown event', async () => {
      const { ids } = await opened(1);
      expect((await tracedEvent(database(), ids[0] as string))?.trace).toBeNull();
      expect(await tracedEvent(database(), 'nobody')).toBeNull();
    });
  });

  describe('events', () => {
    it('are stored once, in the given order, and a repetition returns their state', async () => {
      const { account, run, drafts, ids } = await opened(3);
      await markAccepted(database(), [ids[0] as string]);
      await endEvent(database(), ids[1] as string, { outcome: 'done' });
      const more = draftsOf(account, 5).toReversed();
      expect(await addEvents(database(), run, more)).toEqual([
        'received',
        'received',
        'received',
        'ended',
        'accepted',
      ]);
      const rows = await database().query<{ id: string }>(
        'select id from events where account = $1 order by seq',
        [account],
      );
      expect(rows.map(({ id }) => id)).toEqual([
        ...drafts.map(({ id }) => id),
        `${account}-4`,
        `${account}-3`,
      ]);
    });

    it('are stored once when two processes store them at the same time', async () => {
      const account = freshAccount();
      const runs = await Promise.all(
        [1, 2, 3].map(() => openIntakeRun(database(), { account, sync: '@site' })),
      );
      expect(new Set(runs).size).toBe(1);
      await Promise.all(runs.map((run) => addEvents(database(), run, draftsOf(account, 20))));
      const rows = await database().query('select 1 from events where account = $1', [account]);
      expect(rows).toHaveLength(20);
    });

    it('belong to one workflow, even if others were started for them', async () => {
      const { ids } = await opened(1);
      const [id = ''] = ids;
      expect(await claimEvent(database(), id, 'one')).toMatchObject({ id, ahead: 0 });
      expect(await claimEvent(database(), id, 'two')).toBeNull();
      expect(await claimEvent(database(), id, 'one')).toMatchObject({ id, ahead: 0 });
      await endEvent(database(), id, { outcome: 'done' });
      expect(await claimEvent(database(), id, 'one')).toBeNull();
    });

    it('wait only for events of their subject, and the first one waiting is next', async () => {
      const { ids } = await opened(3, { subject: 'person/1' });
      await markAccepted(database(), ids.slice(1));
      const [first, second, third] = await Promise.all(ids.map(eventOf));
      if (first === undefined || second === undefined || third === undefined) throw new Error('three');
      // Received only: its sender was asked to come again, and may never do.
      await database().query(`update events set received_at = now() - interval '1 minute' where id = $1`, [
        first.id,
      ]);
      expect(await claimEvent(database(), second.id, 'w2')).toMatchObject({ ahead: 0, arriving: false });
      expect(await nextInQueue(database(), second)).toBeNull();
      expect(await claimEvent(database(), third.id, 'w3')).toMatchObject({ ahead: 1 });
      expect(await nextInQueue(database(), second)).toEqual({ id: third.id, workflow: 'w3' });
      await endEvent(database(), second.id, { outcome: 'done' });
      expect(await claimEvent(database(), third.id, 'w3')).toMatchObject({ ahead: 0 });
    });

    it.each([
      ['done', true],
      ['unchanged', true],
      ['unknown', true],
      ['failed', false],
      ['discarded', false],
    ] as const)('that are older than one that ended as %s are superseded: %s', async (outcome, expected) => {
      const { account, run, ids } = await opened(1, { rank: 20, subject: 'person/1' });
      await endEvent(database(), ids[0] as string, { outcome });
      const [older] = draftsOf(account, 2).slice(1);
      await addEvents(database(), run, [{ ...(older as EventDraft), rank: 10, subject: 'person/1' }]);
      expect(await claimEvent(database(), `${account}-1`, 'w')).toMatchObject({ superseded: expected });
    });

    it('keep their request only while somebody may need it, and keep their first end', async () => {
      const { account, ids } = await opened(3);
      const ends = ['done', 'failed', 'unknown'] as const;
      for (const [n, outcome] of ends.entries())
        await endEvent(database(), ids[n] as string, { outcome, code: 'X', reason: 'because' });
      await endEvent(database(), ids[1] as string, { outcome: 'done' });
      const events = await Promise.all(ids.map(eventOf));
      expect(events.map(({ outcome, request }) => [outcome, request !== null])).toEqual([
        ['done', false],
        ['failed', true],
        ['unknown', true],
      ]);
      expect((await countOpen(database())).some((each) => each.account === account)).toBe(false);
    });

    const age = (id: string, column: string, days: number) =>
      database().query(`update events set ${column} = now() - make_interval(days => $2) where id = $1`, [
        id,
        days,
      ]);

    it('are deleted after their retention time, and not before', async () => {
      const { account, ids } = await opened(4);
      for (const id of ids.slice(0, 2)) await endEvent(database(), id, { outcome: 'done' });
      await markAccepted(database(), [ids[2] as string]);
      await age(ids[0] as string, 'ended_at', 91);
      await age(ids[1] as string, 'ended_at', 89);
      await age(ids[2] as string, 'accepted_at', 400);
      await age(ids[3] as string, 'received_at', 2);
      await forgetEvents(database(), 90);
      const rows = await database().query<{ id: string }>(
        'select id from events where account = $1 order by seq',
        [account],
      );
      expect(rows.map(({ id }) => id)).toEqual(ids.slice(1, 3));
    });

    it('of Sluice itself have no sender to repeat them, so they are kept while they wait', async () => {
      const { account, ids } = await opened(2, { route: '+win-back' });
      await age(ids[0] as string, 'received_at', 91);
      await age(ids[1] as string, 'received_at', 2);
      await forgetEvents(database(), 90);
      expect(await database().query('select id from events where account = $1', [account])).toEqual([
        { id: ids[1] },
      ]);
    });

    it('are listed for operators, and reopened only if there is something to retry', async () => {
      const { account, ids } = await opened(4);
      const [done = '', failed = '', unknown = '', open = ''] = ids;
      await endEvent(database(), done, { outcome: 'done' });
      await endEvent(database(), failed, { outcome: 'failed', code: 'ERR_A', reason: 'refused' });
      await endEvent(database(), unknown, { outcome: 'unknown', code: 'LOST' });
      await claimEvent(database(), open, 'w');
      const find = async (states: Parameters<typeof listEvents>[1]['states'], codes?: string[]) =>
        (await listEvents(database(), { account, states, codes }, { limit: 10 })).events.map(({ id }) => id);
      expect(await find(['failed', 'unknown'])).toEqual([unknown, failed]);
      expect(await find(['failed', 'unknown'], ['ERR_A'])).toEqual([failed]);
      expect(await find(['open'])).toEqual([open]);
      expect(await find(['blocked'])).toEqual([]);
      const text = JSON.stringify(await listEvents(database(), { ids }, { limit: 10 }));
      expect(text).not.toContain(phone(0));
      const reopen = (key: string, gone: string[] = []) =>
        reopenEvents(
          database(),
          { ids },
          { limit: 10, gone, workflowOf: (_, route) => `${route}/${account}-${key}` },
        );
      const again = [{ account, route: 'site', lane: 'lead', events: [failed, unknown] }];
      expect(await reopen('1')).toEqual(again);
      expect(await find(['open'])).toEqual([open, unknown, failed]);
      // Their workflow has them, unless it was never started.
      expect(await reopen('2')).toEqual([]);
      expect(await reopen('2', [`site/${account}-1`])).toEqual(again);
      // Its workflow was terminated.
      expect(await reopen('3', ['w'])).toEqual([{ account, route: 'site', lane: 'lead', events: [open] }]);
      expect(await claimEvent(database(), open, 'w')).toBeNull();
    });

    it('wait for an earlier one whose start is not recorded yet', async () => {
      const { ids } = await opened(2, { subject: 'person/1' });
      const [first, second] = await Promise.all(ids.map(eventOf));
      const claim = () => claimEvent(database(), second?.id ?? '', 'w2');
      expect(await claim()).toMatchObject({ ahead: 0, arriving: true });
      await claimEvent(database(), first?.id ?? '', 'w1');
      expect(await claim()).toMatchObject({ ahead: 1, arriving: false });
      await endEvent(database(), first?.id ?? '', { outcome: 'done' });
      expect(await claim()).toMatchObject({ ahead: 0, arriving: false });
    });

    it('are not deleted once their sender has repeated them', async () => {
      const { account, run, drafts, ids } = await opened(1);
      await database().query(`update events set received_at = now() - interval '2 days' where id = any($1)`, [
        ids,
      ]);
      expect(await addEvents(database(), run, drafts)).toEqual(['received']);
      await forgetEvents(database(), 90);
      expect(await database().query('select id from events where account = $1', [account])).toEqual([
        { id: ids[0] },
      ]);
    });
  });

  describe('the run of a route', () => {
    it('is the same until the route changes', async () => {
      const account = freshAccount();
      const open = (mode: string) =>
        openIntakeRun(database(), { account, sync: '@site', options: { mode } } as never);
      expect([await open('upsert'), await open('upsert'), await open('insert')]).toEqual([
        `${account}/@site/1`,
        `${account}/@site/1`,
        `${account}/@site/2`,
      ]);
    });
  });
}
