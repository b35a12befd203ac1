// People in the ledger as a part of an audience.
import { beforeEach, describe, expect, it } from 'vitest';
import { planningContext } from '../planning-context.ts';
import { daysAgo } from './audience-context.ts';

const context = planningContext();
const { open } = context;

/** Of the first of them the service has the old form. */
const SHORT = '551187650001';

describe('people of the ledger', () => {
  const KEYS = [1, 2, 3, 4, 5].map((n) => `551198765000${n}`) as [string, string, string, string, string];
  const [A, B, C, D, E] = KEYS;

  beforeEach(async () => {
    const people = [
      { key: A, id: 1, number: SHORT, tags: ['VIP'], by: 'leads', pipeline: 'Sales', stage: 'New' },
      { key: B, id: 2, number: B, tags: ['vip', 'x'], by: 'leads', pipeline: 'Sales', stage: '#12' },
      { key: C, id: 3, number: C, tags: [], by: 'other', pipeline: '#2', stage: 'New' },
      { key: D, id: null, number: null, tags: [], by: null, pipeline: null, stage: null },
    ];
    for (const { key, id, number, tags, by, pipeline, stage } of people) {
      const seen = key === A ? { name: 'Ana', email: 'a@x.com', tags: [{ id: 9, name: 'VIP' }] } : null;
      const [row] = await context.db.query<{ id: number }>(
        `insert into people (account, key, remote_id, remote_number, tags_added, created_by, seen)
         values ('acme', $1, $2, $3, $4, $5, $6) returning id`,
        [key, id, number, JSON.stringify(tags), by, seen === null ? null : JSON.stringify(seen)],
      );
      if (pipeline !== null)
        await context.db.query(
          `insert into cards (account, person_id, pipeline, remote_id, stage, adopted) values ('acme', $1, $2, $1, $3, false)`,
          [row?.id, pipeline, stage],
        );
    }
    const talks: [number, string, number | null, number, boolean][] = [
      [1, A, 40, 1, false],
      [2, A, 5, 5, false],
      [3, B, 40, 2, false],
      [4, B, null, 50, false],
      [5, C, 40, 1, true],
      [6, E, null, 30, false],
      [7, '', 90, 90, false],
    ];
    for (const [id, key, inbound, updated, todo] of talks) {
      await context.db.query(
        `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, inbound_at, todo_at)
         values ('acme', $1, 'main', 1, 'waba', $2, $3, 'p', $4, $5, $6)`,
        [
          id,
          key,
          daysAgo(updated),
          JSON.stringify({ state: { contact: { id: 70 + id, name: `N${id}` } } }),
          inbound === null ? null : daysAgo(inbound),
          todo ? daysAgo(0) : null,
        ],
      );
    }
    await earlierRun('spring', 1, daysAgo(90), [[E, 'triggered', null]]);
    await earlierRun('spring', 2, daysAgo(60), [
      [A, 'triggered', null],
      [B, 'triggered', null],
      [C, 'skipped', null],
      [D, 'triggered', daysAgo(59)],
    ]);
    await earlierRun('spring', 3, null, [[E, 'waiting', null]]);
  });

  async function earlierRun(
    name: string,
    seq: number,
    startedAt: Date | null,
    members: [string, string, Date | null][],
  ) {
    const run = `acme/+${name}/${seq}`;
    await context.db.query(
      `insert into runs (id, account, sync, seq, spec, kind, finished_at) values ($1, 'acme', $2, $3, '{}', 'campaign', now())`,
      [run, `+${name}`, seq],
    );
    await context.db.query(
      `insert into campaigns (run_id, account, campaign, digest, as_of, planned_by, started_at, state)
       values ($1, 'acme', $2, 'd', now(), 'ana', $3, 'finished')`,
      [run, name, startedAt],
    );
    for (const [key, state, replied] of members) {
      await context.db.query(
        `insert into campaign_members (run_id, key, number, part, state, triggered_at, replied_at)
         values ($1, $2, $2, 0, $3, $4, $5)`,
        [run, key, state, state === 'triggered' ? startedAt : null, replied],
      );
    }
  }

  it.each<[Record<string, unknown>, string[]]>([
    [{}, KEYS],
    [{ tags: ['vip'] }, [A, B]],
    [{ tags: ['X', 'none'] }, [B]],
    [{ pipeline: 'Sales' }, [A, B]],
    [{ pipeline: '2' }, [C]],
    [{ pipeline: 'Sales', stage: 'New' }, [A]],
    [{ pipeline: 'Sales', stage: '12' }, [B]],
    [{ createdBy: 'leads', tags: ['x'] }, [B]],
    [{ tags: ["x' or true --"] }, []],
    [{ silentFor: '30d' }, [B, E]],
    [{ silentFor: '3d' }, [A, B, E]],
    [{ silentFor: '30d', createdBy: 'leads' }, [B]],
    [{ campaign: { name: 'spring' } }, [A, B, D]],
    [
      { campaign: { name: 'spring', replied: true } },
      [A, B, D].filter((key) => key !== A || true).slice(0, 3),
    ],
    [{ campaign: { name: 'spring', replied: false } }, []],
    [{ campaign: { name: 'summer' } }, []],
  ])('%j', async (part, expected) => {
    const plans = open({ campaign: { audience: [{ from: 'ledger', ...part }], cap: { times: 99 } } });
    const { run, found } = await plans.plan();
    expect((await plans.members(run)).map(({ key }) => key)).toEqual(expected);
    expect(found).toEqual([expected.length]);
  });

  it('numbers, contacts and names are those that the ledger knows, and no call is made', async () => {
    const variables = { name: 'contact.name' };
    const plans = open({ campaign: { audience: [{ from: 'ledger' }], variables } });
    const { run } = await plans.steps.open();
    await plans.steps.rows(run, 0);
    for (let done = false; !done; ) ({ done } = await plans.steps.rows(run, 0));
    expect(await plans.members(run)).toMatchObject([
      { key: A, number: SHORT, contact_id: 1, tag_ids: [9], variables: { name: 'Ana' } },
      { key: B, number: B, contact_id: 2, tag_ids: null, variables: { name: 'N3' } },
      { key: C, number: C, contact_id: 3, variables: { name: 'N5' } },
      { key: D, number: D, contact_id: null, variables: {} },
      { key: E, number: E, contact_id: 76, variables: { name: 'N6' } },
    ]);
    expect((await plans.campaign(run)).calls).toBe(0);
  });
});
