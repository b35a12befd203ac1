// Who is left out when an audience is frozen, and why, and in which time zones the others are.

import { beforeEach, describe, expect, it } from 'vitest';
import { noteOptOuts } from '../../../../../src/core/store/opt-outs.ts';
import { memberCase } from '../../../../../src/jobs/campaigns/rules/member-case.ts';
import { addEvents } from '../../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../../src/jobs/events/store/intake-runs.ts';
import { searchPeople } from '../../../../../src/operator/store/people/people-search.ts';
import { erasePerson } from '../../../../../src/protect/person/erase-person.ts';
import { ALL_DAY } from '../../../../support/campaigns/windows.ts';
import { NOTHING } from '../../../../support/people-query.ts';
import { planningContext } from '../planning-context.ts';
import { type ContextOptions, daysAgo, type Member, NOW } from './audience-context.ts';
import { listedContact } from './lists-service.ts';

const context = planningContext();
const { open } = context;

beforeEach(() => {
  context.service.tags = [
    { id: 1, name: 'vip' },
    { id: 2, name: 'no-campaign' },
    { id: 3, name: 'old' },
  ];
  context.service.contacts = [contact('5511987650001'), contact('5511987650002')];
});

const ANA = '5511987650001';
const contact = (number: string, tags: readonly number[] = []) =>
  listedContact(Number(number.slice(-4)), {
    number,
    tags: tags.map((id) => ({ id, name: `t${id}`, color: '#000000' })),
  });

/** The verdict on Ana; everybody else waits. */
async function verdict(over: Record<string, unknown>, optOut?: ContextOptions['optOut']): Promise<Member> {
  const plans = open({ campaign: over, ...(optOut === undefined ? {} : { optOut }) });
  const { run } = await plans.plan();
  const members = await plans.members(run);
  expect(members.filter(({ key }) => key !== ANA).map(({ state }) => state)).toEqual(['waiting']);
  return members.find(({ key }) => key === ANA) as Member;
}

async function conversation(state: Record<string, unknown>, inboundAt: Date | null = null): Promise<void> {
  await context.db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, inbound_at)
     values ('acme', 77, 'main', 1, 'waba', $1, $2, 'p', $3, $4)`,
    [ANA, daysAgo(1), JSON.stringify({ state: { id: 77, ...state } }), inboundAt],
  );
}

async function message(fromMe: boolean, at: Date): Promise<void> {
  await conversation({ status: 'closed', chatbot: false, userId: null });
  await context.db.query(
    "insert into messages (account, conversation_id, key, at, from_me) values ('acme', 77, 'id:a', $1, $2)",
    [at, fromMe],
  );
}

async function touch(campaign: string, at: Date, member = 900): Promise<void> {
  await context.db.query(
    "insert into campaign_touches (member_id, account, key, campaign, run_id, at) values ($3, 'acme', $1, $2, 'r', $4)",
    [ANA, campaign, member, at],
  );
}

/** A message that an event sent. */
async function event(sentAt: Date, state = 'done'): Promise<void> {
  const run = await openIntakeRun(context.db, { account: 'acme', sync: '@route' });
  const request = { type: 'flow' as const, number: ANA, key: ANA, flow: 1, connection: 1, variables: {} };
  const draft = { account: 'acme', route: 'route', id: 'event-1', rank: null, subject: `person/${ANA}` };
  await addEvents(context.db, run, [{ ...draft, request }]);
  await context.db.query(
    "insert into intents (account, kind, subject, run_id, state, sent_at) values ('acme', 'event-flow', 'event-1', $1, $2, $3)",
    [run, state, sentAt],
  );
}

describe('each exclusion has a code and a reason', () => {
  const exclude = (over: Record<string, unknown>) => ({ exclude: over });

  it.each<[string, string, RegExp, Record<string, unknown>, () => unknown]>([
    [
      'a variable without a value',
      'VARIABLE_MISSING',
      /^no value for "mail", "plan"$/,
      { variables: { name: 'contact.name', plan: 'contact.plan', mail: 'contact.email' } },
      () => {
        context.service.contacts[1] = { ...contact('5511987650002'), plan: 'pro', email: 'b@acme.com' };
      },
    ],
    [
      'who opted out by a reply',
      'OPTED_OUT',
      /they said so on 2026-11-18T13:00:00.000Z/,
      {},
      () => noteOptOuts(context.db, 'acme', [ANA], 'reply', daysAgo(2)),
    ],
    [
      'who opted out and was erased since',
      'OPTED_OUT',
      /they said so on 2026-11-18T13:00:00.000Z/,
      {},
      async () => {
        await noteOptOuts(context.db, 'acme', [ANA], 'reply', daysAgo(2));
        const [found] = await searchPeople(context.db, { ...NOTHING, accounts: ['acme'], keys: [ANA] }, 1);
        expect(await erasePerson(context.db, 'acme', found?.ref ?? '')).toMatchObject({ optOutKept: true });
      },
    ],
    [
      'a number',
      'EXCLUDED_NUMBER',
      /exclude\.numbers/,
      exclude({ numbers: ['+55 (11) 8765-0001'] }),
      () => {},
    ],
    [
      'a tag',
      'EXCLUDED_TAG',
      /^has the tag "old"$/,
      exclude({ tags: ['vip', 'old'] }),
      () => {
        context.service.contacts[0] = contact(ANA, [3]);
      },
    ],
    [
      'a campaign',
      'EXCLUDED_CAMPAIGN',
      /^the campaign "spring" reached them on 2026-10-21T13:00:00.000Z$/,
      exclude({ campaigns: ['summer', 'spring'] }),
      () => touch('spring', daysAgo(30)),
    ],
    [
      'a campaign lately',
      'CONTACTED_LATELY',
      /^the campaign "spring" reached them on/,
      { ...exclude({ contactedWithin: '30d' }), cap: { times: 9 } },
      () => touch('spring', daysAgo(30)),
    ],
    [
      'a message lately',
      'CONTACTED_LATELY',
      /^a message went out to them on 2026-11-15/,
      exclude({ contactedWithin: '30d' }),
      () => message(true, daysAgo(5)),
    ],
    [
      'a flow of an event lately',
      'CONTACTED_LATELY',
      /^an event sent them a message or a flow on 2026-11-15/,
      exclude({ contactedWithin: '30d' }),
      () => event(daysAgo(5)),
    ],
    [
      'an event whose outcome is unknown',
      'CONTACTED_LATELY',
      /an event/,
      exclude({ contactedWithin: '30d' }),
      () => event(daysAgo(5), 'unknown'),
    ],
    [
      'an open conversation',
      'OPEN_CONVERSATION',
      /^has the open conversation 77, as it was seen last/,
      exclude({ openConversation: true }),
      () => conversation({ status: 'open', chatbot: true, userId: null }),
    ],
    [
      'human service',
      'HUMAN_SERVICE',
      /^a person serves conversation 77/,
      {},
      () => conversation({ status: 'open', chatbot: false, userId: 3 }),
    ],
    [
      'the frequency cap',
      'FREQUENCY_CAP',
      /^campaigns reached them 2 times within 7d, last "spring" on 2026-11-19/,
      { cap: { times: 2, within: '7d' } },
      async () => {
        await touch('spring', daysAgo(1), 900);
        await touch('summer', daysAgo(6), 901);
      },
    ],
    [
      'the frequency cap, reached once',
      'FREQUENCY_CAP',
      /^the campaign "spring" reached them once within 7d, on 2026-11-19/,
      { cap: { times: 1, within: '7d' } },
      async () => await touch('spring', daysAgo(1), 900),
    ],
  ])('%s', async (_name, code, reason, over, given) => {
    await given();
    const ana = await verdict(over);
    expect(ana).toMatchObject({
      state: 'excluded',
      code,
      reason: expect.stringMatching(reason),
      place: null,
    });
    expect(ana.reason).not.toContain('876');
    // What stays in English is the service's own text.
    if (code !== 'REPLIES_UNREAD') expect(memberCase(code, ana.reason)).toBeDefined();
  });

  it.each<[string, Record<string, unknown>, () => unknown]>([
    ['a message long ago', exclude({ contactedWithin: '4d' }), () => message(true, daysAgo(5))],
    ['a message of hers', exclude({ contactedWithin: '30d' }), () => message(false, daysAgo(5))],
    ['an event that was never sent', exclude({ contactedWithin: '30d' }), () => event(daysAgo(5), 'open')],
    ['an event long ago', exclude({ contactedWithin: '4d' }), () => event(daysAgo(5))],
    ['another campaign', exclude({ campaigns: ['autumn'] }), () => touch('spring', daysAgo(30))],
    ['touches outside of the cap', { cap: { within: '7d' } }, () => touch('spring', daysAgo(7))],
    [
      'a conversation in the hands of the bot',
      {},
      () => conversation({ status: 'open', chatbot: true, userId: 3 }),
    ],
    ['one that nobody has taken', {}, () => conversation({ status: 'open', chatbot: false, userId: null })],
    ['one that is closed', {}, () => conversation({ status: 'closed', chatbot: false, userId: 3 })],
    [
      'human service, where that is allowed',
      exclude({ humanService: false }),
      () => conversation({ status: 'open', chatbot: false, userId: 3 }),
    ],
  ])('%s leaves nobody out', async (_name, over, given) => {
    await given();
    expect(await verdict(over)).toMatchObject({ state: 'waiting', code: null, reason: null });
  });

  it('an opt-out tag is remembered, so that no later campaign reaches them without it', async () => {
    context.service.contacts[0] = contact(ANA, [2]);
    const ana = await verdict({}, { tags: ['no-campaign'] });
    expect(ana).toMatchObject({ code: 'OPTED_OUT', reason: 'has the tag "no-campaign"' });
    context.service.contacts[0] = contact(ANA);
    const plans = open({ name: 'other' });
    const { run } = await plans.plan();
    expect((await plans.members(run)).find(({ key }) => key === ANA)).toMatchObject({
      code: 'OPTED_OUT',
      reason: `a tag that says so was seen on ${new Date(NOW).toISOString()}`,
    });
  });

  it('an excluded number may come from a source; an unreadable one there is reported', async () => {
    const sources = { stop: [{ phone: '(11) 98765-0001' }, { phone: 'none' }, { phone: '' }] };
    const numbers = { source: 'stop', number: 'phone' };
    const plans = open({ sources, campaign: { exclude: { numbers } } });
    const { run, found } = await plans.plan();
    expect(found).toEqual([2, 3]);
    expect((await plans.members(run)).map(({ code }) => code)).toEqual(['EXCLUDED_NUMBER', null]);
    expect(await plans.warnings(run)).toMatchObject([
      { code: 'EXCLUSION_UNREADABLE', reason: expect.stringContaining('2 numbers') },
    ]);
    expect(await context.db.query('select 1 from campaign_barred')).toEqual([]);
  });

  it('what Sluice tagged counts where the audience lists no tags', async () => {
    await context.db.query("insert into people (account, key, tags_added) values ('acme', $1, '[\"OLD\"]')", [
      ANA,
    ]);
    const sources = { list: [{ phone: ANA }] };
    const audience = [{ from: 'source', source: 'list', number: 'phone' }];
    const plans = open({ sources, campaign: { audience, exclude: { tags: ['old'] } } });
    const { run } = await plans.plan();
    expect((await plans.members(run))[0]).toMatchObject({ code: 'EXCLUDED_TAG' });
  });
});

it('of several rules that exclude a person, the first one gives the code', async () => {
  context.service.contacts = [contact(ANA, [2, 3]), contact('5511987650002')];
  await noteOptOuts(context.db, 'acme', [ANA], 'reply', daysAgo(2));
  await touch('spring', daysAgo(1));
  await conversation({ status: 'open', chatbot: false, userId: 3 });
  const exclude: Record<string, unknown> = {
    numbers: [ANA],
    tags: ['old'],
    campaigns: ['spring'],
    contactedWithin: '9d',
    openConversation: true,
  };
  const codes: (string | null)[] = [];
  const check = async (over: Record<string, unknown> = {}, optOut?: ContextOptions['optOut']) => {
    codes.push((await verdict({ exclude, ...over }, optOut)).code);
  };
  context.service.contacts[1] = { ...contact('5511987650002'), plan: 'pro' };
  await check({ variables: { plan: 'contact.plan' } }, { tags: ['no-campaign'] });
  await check({}, { tags: ['no-campaign'] });
  await context.db.query('delete from opt_outs');
  for (const [key, off] of [
    ['numbers', undefined],
    ['tags', undefined],
    ['campaigns', undefined],
    ['contactedWithin', undefined],
    ['openConversation', false],
    ['humanService', false],
  ] as const) {
    await check();
    exclude[key] = off;
  }
  await check();
  await check({ cap: { times: 2 } });
  expect(codes).toEqual([
    'VARIABLE_MISSING',
    'OPTED_OUT',
    'EXCLUDED_NUMBER',
    'EXCLUDED_TAG',
    'EXCLUDED_CAMPAIGN',
    'CONTACTED_LATELY',
    'OPEN_CONVERSATION',
    'HUMAN_SERVICE',
    'FREQUENCY_CAP',
    null,
  ]);
});

describe('time zones', () => {
  const zonesOf = async (windows: Record<string, unknown>, contacts = context.service.contacts) => {
    context.service.contacts = [...contacts];
    const plans = open({ campaign: { windows: { days: ALL_DAY, ...windows } } });
    const { run } = await plans.plan();
    return (await plans.members(run)).map(({ zones, code }) => code ?? zones);
  };

  it('by number: several zones if the number does not show a single one', async () => {
    const contacts = [contact(ANA), contact('5581987650003'), contact('14155550004')];
    const [one, two, many] = await zonesOf({}, contacts);
    expect([one, two]).toEqual(['America/Sao_Paulo', 'America/Noronha,America/Recife']);
    expect(many?.split(',').length).toBeGreaterThan(5);
  });

  it("the account's", async () => {
    expect(await zonesOf({ zone: 'account' })).toEqual(['America/Sao_Paulo', 'America/Sao_Paulo']);
  });

  it('by a field, and by number where that names no zone', async () => {
    const contacts = ['Europe/Lisbon', ' Asia/Tokyo ', 'Mars/Base', '-03:00', null, 7].map((document, n) => ({
      ...contact(`551198765100${n}`),
      document: document === 7 ? '7' : (document as string | null),
    }));
    expect(await zonesOf({ zone: { field: 'contact.document' } }, contacts)).toEqual([
      'Europe/Lisbon',
      'Asia/Tokyo',
      'America/Sao_Paulo',
      'America/Sao_Paulo',
      'America/Sao_Paulo',
      'America/Sao_Paulo',
    ]);
  });

  it('who has no window in common is left out', async () => {
    const days = { mon: ['09:00-10:00'] };
    const contacts = [contact(ANA), contact('14155550004')];
    expect(await zonesOf({ days }, contacts)).toEqual(['America/Sao_Paulo', 'NO_COMMON_WINDOW']);
  });
});

it('a contact in the ledger is reused, so that no call looks it up again', async () => {
  const sources = { list: [{ phone: ANA }, { phone: '5511987650002' }, { phone: '5511987650003' }] };
  await context.db.query("insert into people (account, key, remote_id) values ('acme', $1, 42)", [ANA]);
  await conversation({ status: 'closed', contact: { id: 43 } });
  await context.db.query("update conversations set person_key = '5511987650002'");
  const audience = [{ from: 'source', source: 'list', number: 'phone' }];
  const plans = open({ sources, campaign: { audience } });
  const { run } = await plans.plan();
  expect((await plans.members(run)).map(({ contact_id }) => contact_id)).toEqual([42, 43, null]);
});
