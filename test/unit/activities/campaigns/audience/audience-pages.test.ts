// Pages of cards and contacts: what is asked for, and lists that change while they are read.
import { beforeEach, describe, expect, it } from 'vitest';
import { planningContext } from '../planning-context.ts';
import { NOW } from './audience-context.ts';
import { listedCard, listedContact } from './lists-service.ts';

const context = planningContext();
const { open } = context;
const cards = (over: Record<string, unknown> = {}) => ({
  campaign: { audience: [{ from: 'cards', ...over }] },
});

beforeEach(() => {
  context.service.tags = [
    { id: 1, name: 'vip' },
    { id: 2, name: 'Não Perturbe' },
    { id: 3, name: 'old' },
  ];
  context.service.pipelines = [
    {
      id: 1,
      name: 'Sales',
      stages: [{ id: 11, name: 'New', order: 1, probability: 1, isFinal: false, isWon: false }],
    },
    {
      id: 2,
      name: 'Support',
      stages: [{ id: 21, name: 'New', order: 1, probability: 1, isFinal: false, isWon: false }],
    },
  ];
  context.service.lostReasons = [{ id: 4, name: 'price' }, { id: 5 }];
});

/** Query of the first page of the audience. */
function asked(): Record<string, string> {
  const path = context.service.asked.find((each) => /^\/v1\/(cards|contacts)/.test(each)) ?? '';
  return Object.fromEntries(new URL(path, 'http://x').searchParams);
}

const iso = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

describe('each filter reaches the service under its own name', () => {
  it.each<[Record<string, unknown>, Record<string, string>]>([
    [{ pipeline: 'Sales' }, { pipelineId: '1' }],
    [{ pipeline: ' sALES' }, { pipelineId: '1' }],
    [{ pipeline: 2 }, { pipelineId: '2' }],
    [
      { pipeline: 'Support', stage: 'New' },
      { pipelineId: '2', stageId: '21' },
    ],
    [{ stage: 21 }, { stageId: '21' }],
    [{ source: 7 }, { sourceId: '7' }],
    [{ contact: 8 }, { contactId: '8' }],
    [{ user: 9 }, { userId: '9' }],
    [{ status: ['open', 'lost'] }, { status: 'open,lost' }],
    [{ lostReason: 'PRICE' }, { lostReasonId: '4' }],
    [{ lostReason: 5 }, { lostReasonId: '5' }],
    [{ tags: ['vip', 'old'] }, { contactTagId: '1,3' }],
    [{ withoutTags: ['não perturbe'] }, { notContactTagId: '2' }],
    [{ title: 'a&status=won #1' }, { searchParam: 'a&status=won #1' }],
    [{ created: { after: '90d' } }, { createdAtAfter: iso(90) }],
    [{ created: { before: '2026-11-01T00:00:00-03:00' } }, { createdAtBefore: '2026-11-01T03:00:00.000Z' }],
    [
      { closed: { after: '2026-10-01T00:00:00Z', before: '7d' } },
      { closedAtAfter: '2026-10-01T00:00:00.000Z', closedAtBefore: iso(7) },
    ],
  ])('cards %j', async (part, expected) => {
    await open(cards(part)).plan();
    expect(asked()).toEqual({
      pageNumber: '1',
      pageSize: '100',
      sortBy: 'createdAt',
      sortOrder: 'asc',
      ...expected,
    });
  });

  it.each<[Record<string, unknown>, Record<string, string>]>([
    [{}, {}],
    [{ tags: ['Old', 'vip'] }, { tagId: '3,1' }],
    [{ channel: 'waba' }, { channel: 'waba' }],
    [{ search: 'Zé & Cia?' }, { searchParam: 'Zé & Cia?' }],
    [{ email: '@acme.com' }, { email: '@acme.com' }],
  ])('contacts %j', async (part, expected) => {
    await open({ campaign: { audience: [{ from: 'contacts', ...part }] } }).plan();
    expect(asked()).toEqual({ pageNumber: '1', pageSize: '100', ...expected });
  });

  it('only the lists that names need are read', async () => {
    await open(cards({ status: ['lost'] })).plan();
    expect(context.service.asked.map((path) => path.split('?')[0])).toEqual(['/v1/connections', '/v1/cards']);
    context.service.asked.length = 0;
    const more = { ...cards({ lostReason: 'price', pipeline: 1 }), optOut: { tags: ['old'] } };
    await open(more).plan();
    expect(context.service.asked.map((path) => path.split('?')[0])).toEqual([
      '/v1/tags',
      '/v1/pipelines',
      '/v1/lost-reasons',
      '/v1/connections',
      '/v1/cards',
    ]);
  });

  it('an inverted span of time is an empty part, not an error', async () => {
    const plans = open(cards({ closed: { after: '1d', before: '9d' } }));
    const { run, found } = await plans.plan();
    expect(found).toEqual([0]);
    expect(await plans.members(run)).toEqual([]);
    expect((await plans.campaign(run)).planned_at).toEqual(new Date(NOW));
  });
});

describe('Sluice itself checks when a card entered its stage', () => {
  it.each<[string, object, number[]]>([
    ['after', { after: '10d' }, [3, 4]],
    ['before', { before: '10d' }, [1, 2, 3]],
    ['both', { after: '20d', before: '10d' }, [2, 3]],
    ['neither', { after: '1d' }, []],
  ])(
    '%s: both limits count, and a card that does not say is in no span',
    async (_name, inStageSince, ids) => {
      const entered = [30, 20, 10, 5].map((days, n) => listedCard(n + 1, { stageEnteredAt: iso(days) }));
      context.service.cards = [...entered, listedCard(5, { stageEnteredAt: null })];
      const plans = open(cards({ inStageSince }));
      const { run, found } = await plans.plan();
      expect(found).toEqual([ids.length]);
      expect((await plans.members(run)).map(({ card_id }) => card_id)).toEqual(ids);
    },
  );
});

describe('FAULTS 15: pages shift while they are read', () => {
  const fill = (count: number) => {
    context.service.contacts = Array.from({ length: count }, (_, n) => listedContact(n + 1));
  };
  const contacts = { campaign: { audience: [{ from: 'contacts' }] } };

  it.each<[string, (calls: number) => void]>([
    ['one of the first page leaves at each call', () => void context.service.contacts.splice(3, 1)],
    [
      'forty of the first page leave at once',
      (calls) => void (calls === 2 && context.service.contacts.splice(0, 40)),
    ],
    [
      'as many come at the end as leave in front: the count never changes',
      (calls) => {
        context.service.contacts.splice(0, 30);
        context.service.contacts.push(
          ...Array.from({ length: 30 }, (_, n) => listedContact(9000 + calls * 100 + n)),
        );
      },
    ],
    [
      'others come in front, until the last page',
      (calls) => void (calls < 6 && context.service.contacts.unshift(listedContact(5000 + calls))),
    ],
    ['the last page is gone', (calls) => void (calls === 3 && context.service.contacts.splice(350))],
    ['the service gives smaller pages', () => void (context.service.cap = 33)],
  ])('%s: whoever stays is found', async (_name, change) => {
    fill(430);
    context.service.before = change;
    const plans = open(contacts);
    const { run } = await plans.plan({ freeze: false });
    const found = new Set((await plans.members(run)).map(({ contact_id }) => contact_id));
    expect(context.service.contacts.filter(({ id }) => id <= 430 && !found.has(id))).toEqual([]);
    expect(await plans.warnings(run)).toEqual([]);
  });

  it('a list that grows as fast as it is read ends with a warning', async () => {
    fill(250);
    context.service.before = (calls) => {
      context.service.contacts.push(
        ...Array.from({ length: 150 }, (_, n) => listedContact(1000 + calls * 150 + n)),
      );
    };
    const plans = open(contacts);
    const { run } = await plans.plan({ freeze: false });
    expect(context.service.asked.length).toBeLessThan(160);
    expect((await plans.warnings(run)).map(({ code }) => code)).toEqual(['AUDIENCE_UNSTEADY']);
  });

  it('identical pages end the reading with a warning', async () => {
    fill(100);
    const body = () => ({ count: 300, hasMore: true, contacts: context.service.contacts });
    context.service.bend = (path) => (path === '/v1/contacts' ? { status: 200, body: body() } : null);
    const plans = open(contacts);
    const { run, found } = await plans.plan({ freeze: false });
    expect(found).toEqual([100]);
    expect((await plans.warnings(run)).map(({ code }) => code)).toEqual(['AUDIENCE_UNSTEADY']);
  });

  it('items that differ from the API text are counted, and the others are taken', async () => {
    fill(150);
    context.service.contacts[7] = { id: 8, name: 'no number' };
    context.service.contacts[120] = { id: 121, number: 7 };
    const plans = open(contacts);
    const { run, found } = await plans.plan();
    expect(found).toEqual([148]);
    const [warning] = await plans.warnings(run);
    expect(warning).toMatchObject({
      code: 'AUDIENCE_UNREADABLE',
      reason: expect.stringContaining('2 items'),
    });
  });

  it('a recorded page whose response was lost is not read twice', async () => {
    fill(250);
    const plans = open(contacts);
    const planning = await plans.steps.open();
    // Both attempts have asked before the first one hears an answer, however late one of them starts.
    const both = Promise.withResolvers<void>();
    let pages = 0;
    context.service.ready = async (path) => {
      if (path !== '/v1/contacts') return;
      pages += 1;
      if (pages === 2) both.resolve();
      await both.promise;
    };
    const [a, b] = await Promise.all([plans.steps.page(planning.run, 0), plans.steps.page(planning.run, 0)]);
    expect([a, b]).toEqual([
      { done: false, found: 100 },
      { done: false, found: 100 },
    ]);
    expect(await plans.readPart(planning, 0)).toBe(250);
    expect(await plans.steps.page(planning.run, 0)).toEqual({ done: true, found: 250 });
    expect(await plans.members(planning.run)).toHaveLength(250);
  });
});

describe('refusals', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ['tag', cards({ tags: ['vop'] }), 'UNKNOWN_TAG', '"vip" (1)'],
    ['tag to be without', cards({ withoutTags: ['vip', 'x'] }), 'UNKNOWN_TAG', 'audience.0.withoutTags'],
    ['pipeline', cards({ pipeline: 'Seles' }), 'UNKNOWN_PIPELINE', '"Support" (2)'],
    ['pipeline by id', cards({ pipeline: 77 }), 'UNKNOWN_PIPELINE', 'names 77'],
    ['stage of another pipeline', cards({ pipeline: 'Sales', stage: 21 }), 'UNKNOWN_STAGE', '"New" (11)'],
    ['stage of no pipeline', cards({ stage: 99 }), 'UNKNOWN_STAGE', 'names 99'],
    ['lost reason', cards({ lostReason: 'cost' }), 'UNKNOWN_LOST_REASON', '"price" (4)'],
    ['excluded tag', { campaign: { exclude: { tags: ['nope'] } } }, 'UNKNOWN_TAG', 'exclude.tags'],
    ['tag afterwards', { campaign: { after: { tags: ['nope'] } } }, 'UNKNOWN_TAG', 'after.tags'],
    [
      'stage afterwards',
      { campaign: { after: { stage: { pipeline: 'Sales', stage: 'Gone' } } } },
      'UNKNOWN_STAGE',
      'after.stage.stage',
    ],
    ['opt-out tag', { optOut: { tags: ['never'] } }, 'UNKNOWN_TAG', 'accounts.acme.optOut.tags'],
  ])(
    'an unknown %s ends the plan before a page is read, and says what there is',
    async (_name, over, type, words) => {
      const plans = open(over);
      await expect(plans.plan()).rejects.toMatchObject({
        type,
        nonRetryable: true,
        message: expect.stringContaining(words),
      });
      expect(context.service.asked.filter((path) => /cards|contacts/.test(path))).toEqual([]);
    },
  );

  it('lost reasons without names can be named by id only', async () => {
    context.service.lostReasons = [{ id: 4 }, { id: 5, name: null }];
    await expect(open(cards({ lostReason: 'price' })).plan()).rejects.toMatchObject({
      type: 'UNKNOWN_LOST_REASON',
      message: expect.stringContaining('one of 4, 5'),
    });
  });

  it('a refusal of the service concerns the plan as a whole', async () => {
    const body = { error: 'no', code: 'ERR_SCOPE_MISSING', requiredScope: 'cards:read' };
    context.service.bend = (path) => (path === '/v1/cards' ? { status: 403, body } : null);
    await expect(open(cards()).plan()).rejects.toMatchObject({
      type: 'ERR_SCOPE_MISSING',
      nonRetryable: true,
      details: [{ scope: 'run', step: 'readAudience' }],
    });
  });

  it('an error of the service is retried', async () => {
    context.service.contacts = [listedContact(1)];
    let failed = false;
    context.service.bend = (path) => {
      if (path !== '/v1/contacts' || failed) return null;
      failed = true;
      return { status: 500, body: { error: 'oops' } };
    };
    const plans = open();
    const planning = await plans.steps.open();
    await expect(plans.steps.page(planning.run, 0)).rejects.toMatchObject({ nonRetryable: false });
    expect(await plans.steps.page(planning.run, 0)).toEqual({ done: true, found: 1 });
  });
});
