// The call log, spending and failures on both databases.
import { beforeAll, expect, it } from 'vitest';

import type { OVERVIEW } from '../../../../src/operator/contract/overview.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { askOverview } from './overview-context.ts';
import { fill, PERSON } from './rows.ts';

onBothLedgers((db) => {
  beforeAll(() => fill(db));

  const ask = <R extends keyof typeof OVERVIEW>(route: R, input: object = {}) =>
    askOverview({ db, warned: [] }, route, input);

  it.each([
    [60, 1, 60],
    [1440, 5, 288],
    [10_000, 60, 167],
    [129_600, 1440, 90],
  ])('the chart of %i minutes has steps of %i', async (minutes, stepMinutes, steps) => {
    const chart = await ask('GET /calls/minutes', { minutes });
    expect(chart.stepMinutes).toBe(stepMinutes);
    expect(chart.minutes).toHaveLength(steps);
    const sum = (lane: 'reply' | 'poll' | 'campaign' | 'backfill') =>
      chart.minutes.reduce((total, { calls }) => total + (calls[lane] ?? 0), 0);
    expect([sum('reply'), sum('poll'), sum('campaign'), sum('backfill')]).toEqual([1, 30, 20, 82]);
    // What failed is among the calls of its lane, and never among those with success.
    const all = (of: (minute: (typeof chart.minutes)[number]) => number) =>
      chart.minutes.reduce((total, minute) => total + of(minute), 0);
    expect([
      all(({ succeeded }) => succeeded.backfill ?? 0),
      all(({ limited }) => limited),
      all(({ failed }) => failed),
    ]).toEqual([80, 1, 1]);
    expect(chart.minutes.at(-1)?.limit).toBe(100 * stepMinutes);
    // Before the first answer, the configured limit holds.
    expect(chart.minutes[0]?.limit).toBe((steps === 1 ? 100 : 120) * stepMinutes);
  });

  it.each([
    [{ request: 'limited' }, 1],
    [{ outcome: 'limited' }, 1],
    [{ outcome: 'lost' }, 1],
    [{ outcome: 'failed' }, 1],
    [{ status: 429 }, 1],
    [{ status: 200, run: 'acme/~chats/1' }, 30],
    [{ event: 'e4' }, 1],
    [{ event: 'nobody' }, 0],
    [{ run: `'; drop table calls; --` }, 0],
    [{ person: 'p999999' }, 0],
    [{ account: 'beta' }, 0],
    [{ since: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' }, 0],
  ])('the call log filtered by %j has %i calls', async (filter, n) => {
    expect((await ask('GET /calls', filter)).calls).toHaveLength(n);
  });

  it('the call log masks the person unless asked otherwise, and finds their calls', async () => {
    const [row] = await db.query<{ id: number }>('select id from people where key = $1', [PERSON]);
    const person = `p${row?.id}`;
    const { calls } = await ask('GET /calls', { person });
    expect(calls).toMatchObject([
      {
        personId: person,
        person: '+55 11 9••••-0001',
        event: 'e4',
        conversation: 3,
        lane: 'reply',
        position: 1,
      },
    ]);
    expect((await ask('GET /calls', { person, unmask: true })).calls).toMatchObject([{ person: PERSON }]);
  });

  it('pages of the call log name every call once, though many went out at one time', async () => {
    const ids: number[] = [];
    let before: string | undefined;
    do {
      const page = await ask('GET /calls', before === undefined ? { limit: 7 } : { limit: 7, before });
      ids.push(...page.calls.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(new Set(ids).size).toBe(133);
    expect(ids).toHaveLength(133);
  });

  it.each(['x', '2026-99-99T00:00:00.000000Z_1', "2026-11-20T10:00:00.000000Z_1' or true"])(
    'a cursor %j that no page named is refused',
    async (before) => {
      await expect(ask('GET /calls', { before })).rejects.toMatchObject({ kind: 'invalid', code: 'CURSOR' });
    },
  );

  it('spending shows which job spent most; what follows a campaign is its own', async () => {
    const { calls, items } = await ask('GET /spending');
    expect(calls).toBe(133);
    expect(items.map(({ kind, name, calls: n, run }) => [kind, name, n, run])).toEqual([
      ['sync', 'leads', 82, null],
      ['poller', 'chats', 30, null],
      ['campaign', 'spring', 20, null],
      ['route', 'signup', 1, null],
    ]);
    expect(items[0]).toMatchObject({ lanes: { backfill: 82 }, limited: 1, failed: 1, waitMs: 10 });
    expect(items.map(({ nextLane }) => nextLane)).toEqual(['lead', null, null, null]);
    const byRun = await ask('GET /spending', { by: 'run', limit: 2 });
    expect(byRun.items.map(({ run }) => run)).toEqual(['acme/leads/2', 'acme/~chats/1']);
    expect(byRun.more).toBe(true);
  });

  it('failures of all kinds are listed by code', async () => {
    const { failures, repaired, problems } = await ask('GET /failures');
    expect(
      failures.map(({ kind, name, outcome, code, count }) => [kind, name, outcome, code, count]),
    ).toEqual(
      expect.arrayContaining([
        ['run', 'leads', 'failed', 'RUN_FAILED', 1],
        ['record', 'leads', 'failed', 'ERR_INVALID_NUMBER', 1],
        ['record', 'leads', 'unknown', 'ERR_INVALID_NUMBER', 1],
        ['row', 'leads', 'failed', 'NUMBER_INVALID', 2],
        ['event', 'signup', 'unknown', 'LOST', 1],
        ['member', 'spring', 'unknown', 'LOST', 1],
        ['member', 'spring', 'failed', 'ERR_FLOW', 1],
        ['call', 'POST /v1/cards', 'unknown', 'TRANSPORT_RESET', 1],
        ['outbox', 'crm', 'failed', 'HTTP_400', 2],
      ]),
    );
    expect(failures).toHaveLength(10);
    // A later run of the sync "old" went well, and a 429 is no failure.
    expect({ repaired, problems }).toEqual({ repaired: 1, problems: [] });
    const since = '2020-01-01T00:00:00Z';
    const old = await ask('GET /failures', { since, until: '2020-01-02T00:00:00Z' });
    expect(old.failures).toEqual([]);
    await expect(ask('GET /failures', { since, until: since })).rejects.toMatchObject({ kind: 'invalid' });
  });
});
