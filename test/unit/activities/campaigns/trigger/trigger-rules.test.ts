// What is checked just before a member is triggered: before a slot is spent, and once more when it is there.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { noteOptOuts } from '../../../../../src/core/store/opt-outs.ts';
import { openTriggerContext, type Person } from './trigger-context.ts';

const context = await openTriggerContext();
afterAll(context.close);
beforeEach(context.fresh);

const HOUR = 3_600_000;
const optOut = ({ key }: Person) =>
  noteOptOuts(context.db, 'acme', [key], 'reply', new Date(context.clock.ms));
/** Their opt-out as it is after an erasure; a sync has brought them again since. */
const optOutOfErased = async (person: Person) => {
  await optOut(person);
  await context.db.query('update opt_outs set key = sluice_pseudonym(account, key) where key = $1', [
    person.key,
  ]);
};
const setRun =
  (what: string) =>
  async ({ run }: Person) => {
    await context.db.query(`update campaigns set ${what} where run_id = $1`, [run]);
  };
const later = (hours: number) => async () => {
  context.clock.ms += hours * HOUR;
};
/** Another campaign reaches the same person. */
const reached =
  (ago = 0) =>
  async ({ contact }: Person) => {
    const other = await context.waiting({ cap: { times: 9 } }, { contact });
    await context.step('triggerMember', other);
    await context.db.query('update campaign_touches set at = $2 where member_id = $1', [
      other.member,
      new Date(context.clock.ms - ago * HOUR),
    ]);
    await context.requests();
  };
const wrote =
  (hoursAgo: number, over: object = {}) =>
  (person: Person) =>
    context.conversation(person, over as Record<string, unknown>, context.clock.ms - hoursAgo * HOUR);
const polled = async () => {
  await context.db.query(
    `insert into pollers (account, poller, run_id, complete_at) values ('acme', 'main', 'r', $1)
     on conflict (account, poller) do update set complete_at = excluded.complete_at`,
    [new Date(context.clock.ms)],
  );
};
const served = { chatbot: false, userId: 1 };

interface Config extends Record<string, unknown> {
  readonly conversationWindow?: string;
  readonly exclude?: object;
}
type Command = (person: Person) => Promise<unknown>;
type Case = readonly [
  name: string,
  config: Config,
  commands: readonly Command[],
  state: string,
  code: string | null,
];

const RULES: readonly Case[] = [
  ['FAULTS 47: they opt out', {}, [optOut], 'skipped', 'OPTED_OUT'],
  ['they were erased after an opt-out, and came back', {}, [optOutOfErased], 'skipped', 'OPTED_OUT'],
  ['the campaign is over', { end: '2026-12-02T15:30:00Z' }, [later(1)], 'skipped', 'CAMPAIGN_ENDED'],
  ['FAULTS 23: it is paused', {}, [setRun(`paused = '{"by": "ana", "reason": "wait"}'`)], 'waiting', null],
  ['FAULTS 25: the run is cancelled', {}, [setRun(`state = 'cancelled'`)], 'waiting', null],
  ['FAULTS 44: its window closes', {}, [later(9)], 'waiting', null],
  ['FAULTS 47: another campaign reaches them', {}, [reached()], 'skipped', 'FREQUENCY_CAP'],
  [
    'a campaign that this one leaves out reaches them',
    { cap: { times: 9 }, exclude: { campaigns: [] } },
    [reached()],
    'skipped',
    'EXCLUDED_CAMPAIGN',
  ],
  ['a person serves them, as last seen', {}, [wrote(1, served)], 'skipped', 'HUMAN_SERVICE'],
  [
    'a person serves them, and it is to be tried again',
    { humanService: { retryAfter: '1h' } },
    [wrote(1, served)],
    'waiting',
    null,
  ],
  [
    'a conversation is open',
    { exclude: { openConversation: true } },
    [wrote(1)],
    'skipped',
    'OPEN_CONVERSATION',
  ],
  [
    'FAULTS 45: the 24-hour window closes',
    { conversationWindow: 'open' },
    [polled, wrote(25)],
    'skipped',
    'WINDOW_CLOSED',
  ],
  [
    'FAULTS 45: nobody knows of the 24-hour window',
    { conversationWindow: 'open' },
    [],
    'skipped',
    'WINDOW_UNKNOWN',
  ],
];

describe('what forbids a trigger', () => {
  it.each(RULES)('%s: no call is spent', async (_, config, commands, state, code) => {
    const person = await arrange(config);
    for (const command of commands) await command(person);
    const before = await slots();
    expect(await context.step('triggerMember', person)).toMatchObject({ state, next: null });
    expect(await facts(person)).toEqual({ state, code, touched: false });
    expect(await slots()).toEqual(before);
    for (const step of ['findMember', 'recheckMember'] as const)
      expect(await context.step(step, person)).toMatchObject({ state, next: null });
    expect(await context.requests()).toEqual([]);
  });

  it('the reason of the cap names the campaign that reached them', async () => {
    const person = await arrange({});
    await reached(1)(person);
    await context.step('triggerMember', person);
    const [member] = await context.db.query<{ reason: string }>(
      'select reason from campaign_members where id = $1',
      [person.member],
    );
    expect(member?.reason).toMatch(/^the campaign "[\w-]+" reached them once within \w+, on 2026-.*Z$/);
  });

  it.each(RULES.filter(([, , commands]) => commands.length > 0))(
    '%s, while it waits for its slot: called off',
    async (_, config, commands, state, code) => {
      const person = await arrange(config);
      if (config.conversationWindow === 'open') await wrote(23)(person);
      let between = true;
      const db: Database = {
        ...context.db,
        async query<Row>(sql: string, params?: readonly unknown[]) {
          const rows = await context.db.query<Row>(sql, params);
          if (between && sql.includes('sluice_take_slot')) {
            between = false;
            await context.db.query('delete from conversations');
            for (const command of commands) await command(person);
          }
          return rows;
        },
      };
      expect(await context.worker({ db }).step('triggerMember', person)).toMatchObject({ state, next: null });
      expect(await facts(person)).toEqual({ state, code, touched: false });
      expect(await context.requests()).toEqual([]);
    },
  );
});

describe('what does not', () => {
  it.each<readonly [string, Record<string, unknown>, readonly Command[]]>([
    ['another campaign reached them, longer ago than the cap says', { cap: { within: '2d' } }, [reached(49)]],
    ['another campaign reached them, and twice is allowed', { cap: { times: 2 } }, [reached()]],
    ['the chatbot has their conversation', {}, [wrote(1)]],
    ['a person serves them, and nobody minds', { exclude: { humanService: false } }, [wrote(1, served)]],
    ['the conversation that a person had is closed', {}, [wrote(1, { ...served, status: 'closed' })]],
    ['FAULTS 45: the 24-hour window is open', { conversationWindow: 'open' }, [wrote(23)]],
    ['the campaign ends in a moment', { end: '2026-12-02T15:00:01Z' }, []],
    ['it began this moment', { start: '2026-12-02T15:00:00Z' }, []],
  ])('%s', async (_, config, commands) => {
    const person = await context.waiting(config);
    for (const command of commands) await command(person);
    expect(await context.step('triggerMember', person)).toEqual({ state: 'triggered', next: null });
  });
});

it.each([
  ['in the zone of the account', '', 'triggered'],
  ['in its own zone', 'Europe/Lisbon', 'triggered'],
  ['FAULTS 43: in one of the zones that it may be in', 'America/Sao_Paulo,Asia/Tokyo', 'waiting'],
])('a window that is open or closed %s', async (_, zones, state) => {
  const person = await context.waiting({}, { zones });
  expect(await context.step('triggerMember', person)).toMatchObject({ state, next: null });
});

it('nobody is triggered before the campaign begins', async () => {
  const person = await context.waiting({ start: '2026-12-02T15:00:01Z' });
  expect(await context.step('triggerMember', person)).toEqual({
    state: 'waiting',
    next: null,
    left: 'campaign',
  });
});

it('FAULTS 47: two concurrent campaigns trigger a person once, in both forms of the number', async () => {
  const [one, two] = [await context.campaign(), await context.campaign()];
  const first = await context.member(one, { number: '5511987655001', key: '5511987655001' });
  const { contact } = first;
  const second = await context.member(two, { contact, number: '551187655001', key: '5511987655001' });
  const answers = await Promise.all([first, second].map((each) => context.step('triggerMember', each)));
  expect(answers.map(({ state }) => state).sort()).toEqual(['skipped', 'triggered']);
  expect(await context.runsOf(first)).toHaveLength(1);
  expect(await context.touchesOf(first)).toBe(1);
});

it('FAULTS 47: a touch that was certainly refused blocks no other campaign', async () => {
  const first = await context.waiting();
  await context.refuseWith(400, 'ERR_NUMBER_INVALID');
  expect(await context.step('triggerMember', first)).toEqual({ state: 'failed', next: null });
  const second = await context.waiting({}, { contact: first.contact });
  expect(await context.step('triggerMember', second)).toEqual({ state: 'triggered', next: null });
});

it('FAULTS 47: a touch with an unknown outcome counts', async () => {
  const first = await context.waiting();
  await context.arm({ kind: 'reset-before' });
  expect(await context.step('triggerMember', first)).toEqual({ state: 'unknown', next: null });
  const second = await context.waiting({}, { contact: first.contact });
  expect(await context.step('triggerMember', second)).toEqual({ state: 'skipped', next: null });
  expect(await context.runsOf(second)).toHaveLength(0);
});

async function arrange(config: Config): Promise<Person> {
  await context.db.query('delete from conversations');
  await context.db.query('delete from pollers');
  const exclude = config.exclude as { campaigns?: string[] } | undefined;
  if (exclude?.campaigns === undefined) return await context.waiting(config);
  // The next campaign after this one is the one that reaches them.
  return await context.waiting({ ...config, exclude: { campaigns: [context.nameOf(2)] } });
}

async function facts(person: Person) {
  const { state, code } = await context.rowOf(person);
  const touches = await context.db.query('select 1 from campaign_touches where member_id = $1', [
    person.member,
  ]);
  return { state, code, touched: touches.length > 0 };
}

const slots = () => context.db.query('select * from slots');
