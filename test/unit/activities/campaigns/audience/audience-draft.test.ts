// The count of a draft and the plan of the same campaign: the same people, for the same reasons.
import { beforeEach, expect, it } from 'vitest';
import { countDraft } from '../../../../../activities/campaigns/audience/draft.ts';
import { DRAFT_LIMITS } from '../../../../../activities/campaigns/audience/draft-context.ts';
import { emptyLedger, testLedger } from '../../../../support/postgres/ledger.ts';
import { type ContextOptions, daysAgo, openAudienceContext } from './audience-context.ts';

const db = await testLedger();
beforeEach(() => emptyLedger(db));

/** São Paulo, with and without the ninth digit for the same people. */
const numberOf = (n: number) => `551198${String(1_000_000 + n).slice(1)}`;
const keyOf = (n: number) => `5511998${String(1_000_000 + n).slice(1)}`;

const rows = Array.from({ length: 2500 }, (_, n) => ({
  phone: n % 50 === 0 ? 'no number' : n % 3 === 0 ? keyOf(n) : numberOf(n),
  name: n % 40 === 0 ? '' : `P${n}`,
  zone: n % 7 === 0 ? 'America/Manaus' : '',
}));
/** The same people again, who now have a name. */
const again = rows.slice(0, 600).map(({ phone }, n) => ({ phone, name: `Q${n}`, zone: 'Asia/Tokyo' }));

const CAMPAIGN = {
  audience: [
    { from: 'source', source: 'one', number: 'phone' },
    { from: 'source', source: 'two', number: 'phone' },
    { from: 'ledger', tags: ['vip'] },
  ],
  variables: { name: 'name' },
  exclude: {
    numbers: { source: 'barred', number: 'phone' },
    campaigns: ['autumn'],
    contactedWithin: '30d',
    openConversation: true,
  },
  holdout: 0.1,
  windows: { zone: { field: 'zone' }, days: { mon: ['09:00-18:00'] } },
} as const;

async function fill(): Promise<void> {
  const insert = async (sql: string, numbers: readonly number[]) =>
    await db.query(sql, [numbers.map(keyOf), daysAgo(3)]);
  const every = (step: number) => Array.from({ length: 2500 }, (_, n) => n).filter((n) => n % step === 1);
  await insert(
    `insert into opt_outs (account, key, via, at) select 'acme', k, 'word', $2 from unnest($1::text[]) k`,
    every(31),
  );
  await insert(
    `insert into campaign_touches (member_id, account, key, campaign, run_id, at)
     select -n, 'acme', k, case n % 2 when 0 then 'autumn' else 'other' end, 'r', $2
       from unnest($1::text[]) with ordinality as u(k, n)`,
    every(37),
  );
  await insert(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item)
     select 'acme', n, 'chats', 1, 'waba', k, $2,  'f', '{"state": {"status": "open"}}' from unnest($1::text[]) with ordinality as u(k, n)`,
    every(41),
  );
  await insert(
    `insert into people (account, key, tags_added, seen) select 'acme', k, '["VIP"]', '{"name": "x", "at": ""}'
       from unnest($1::text[]) k where $2::timestamptz is not null`,
    [...every(43), 9001, 9002],
  );
}

async function both(options: Omit<ContextOptions, 'db'>) {
  await fill();
  const audience = openAudienceContext({ db, ...options });
  const planning = await audience.steps.open();
  const { run } = planning;
  for (let part = 0; part < planning.parts.length; part++) await audience.readPart(planning, part);
  await audience.steps.freeze(run);
  const members = await audience.members(run);
  await db.query('delete from campaign_members');
  const drafted = await counted(audience, DRAFT_LIMITS.entries);
  await audience.close();
  return { members, drafted };
}

/** A slow machine has all the time that it needs. */
async function counted({ deps, context }: ReturnType<typeof openAudienceContext>, entries: number) {
  const never = new AbortController().signal;
  return await countDraft({
    deps,
    spec: context.spec,
    calls: {
      left: 0,
      made: 0,
      make: () => Promise.reject(new Error('no calls')),
    },
    pages: { get: () => null, set: () => undefined },
    limits: { ...DRAFT_LIMITS, entries, partMs: 60_000, totalMs: 60_000 },
    signal: never,
    replaced: never,
  });
}

it('counts what a plan freezes', async () => {
  const { members, drafted } = await both({
    campaign: CAMPAIGN,
    sources: { one: rows, two: again, barred: rows.filter((_, n) => n % 29 === 1) },
  });
  const planned: Record<string, number> = {};
  for (const { state, code } of members) {
    const key = state === 'excluded' ? (code ?? '') : state;
    planned[key] = (planned[key] ?? 0) + 1;
  }
  const { holdout, waiting, ...excluded } = planned;
  expect(drafted.audience).toMatchObject({
    isComplete: true,
    people: members.length,
    controlGroup: holdout,
    eligible: waiting,
    estimate: null,
  });
  expect(
    Object.fromEntries(drafted.audience?.excluded.map(({ code, members: n }) => [code, n]) ?? []),
  ).toEqual(excluded);
  // Each rule has somebody, or the comparison shows nothing about it.
  expect(Object.keys(excluded).sort()).toEqual([
    'CONTACTED_LATELY',
    'EXCLUDED_CAMPAIGN',
    'EXCLUDED_NUMBER',
    'NUMBER_INVALID',
    'OPEN_CONVERSATION',
    'OPTED_OUT',
    'VARIABLE_MISSING',
  ]);
  const left = await db.query('select count(*)::int as n from campaign_members');
  expect(left, 'a count stores nobody').toEqual([{ n: 0 }]);
});

it('more rows than one count reads are not read, and nothing is extrapolated', async () => {
  const audience = openAudienceContext({
    db,
    campaign: { audience: [{ from: 'source', source: 'one', number: 'phone' }], holdout: 0.5 },
    sources: { one: Array.from({ length: 5000 }, (_, n) => ({ phone: numberOf(n) })) },
  });
  const { audience: found } = await counted(audience, 4000);
  expect(found).toMatchObject({
    found: 4000,
    read: 4000,
    isComplete: false,
    isMore: true,
    estimate: null,
    parts: [{ basis: 'start', note: { code: 'LIMIT' } }],
  });
  expect(found?.controlGroup).toBeGreaterThan(1600);
  expect((found?.controlGroup ?? 0) + (found?.eligible ?? 0)).toBe(4000);
  await audience.close();
});
