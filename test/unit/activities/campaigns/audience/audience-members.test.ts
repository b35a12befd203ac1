// Who is in an audience: several parts together, each person once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../../../src/sandbox/server.ts';
import { planningContext } from '../planning-context.ts';
import { listedCard } from './lists-service.ts';

const context = planningContext();
const { open } = context;

/** The long and the short form of one number. */
const LONG = '5511987650001';
const SHORT = '551187650001';
const OTHER = '5511987650002';

describe('of the service', () => {
  let dir: string;
  let sandbox: Sandbox;
  const stages = [
    { id: 11, name: 'New', order: 1 },
    { id: 12, name: 'Lost', order: 2, isFinal: true, isWon: false },
  ];
  const lost = { pipelineId: 1, stageId: 12, status: 'lost', lostReasonId: 1 };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-audience-'));
    const account = {
      id: 'acme',
      tokens: [
        { value: 'svc_test_a', scopes: ['contacts:read', 'cards:read', 'connections:read'] },
        { value: 'svc_test_b', scopes: ['contacts:read', 'connections:read'] },
      ],
      connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' }],
      tags: [
        { id: 1, name: 'vip' },
        { id: 2, name: 'worked' },
      ],
      lostReasons: [{ id: 1, name: 'price' }],
      pipelines: [{ id: 1, name: 'Sales', stages }],
      contacts: [
        { id: 1, number: LONG, name: 'Ana', tagIds: [1] },
        { id: 2, number: OTHER, name: 'Bia', tagIds: [2] },
        { id: 3, number: '5511987650003', name: 'Cid', tagIds: [] },
        { id: 4, number: '188459349434521', name: 'lid', tagIds: [1] },
        { id: 5, number: SHORT, name: 'Ana as well', tagIds: [2] },
      ],
      cards: [
        {
          id: 1,
          contactId: 1,
          ...lost,
          title: 'old',
          createdAt: '2026-01-01T10:00:00Z',
          closedAt: '2026-10-02T10:00:00Z',
        },
        {
          id: 2,
          contactId: 1,
          ...lost,
          title: 'new',
          createdAt: '2026-09-01T10:00:00Z',
          closedAt: '2026-10-01T10:00:00Z',
        },
        {
          id: 3,
          contactId: 2,
          ...lost,
          title: 'b',
          createdAt: '2026-09-02T10:00:00Z',
          closedAt: '2026-10-05T10:00:00Z',
        },
        {
          id: 4,
          contactId: 3,
          ...lost,
          title: 'c',
          createdAt: '2026-09-03T10:00:00Z',
          closedAt: '2026-07-01T10:00:00Z',
        },
        { id: 5, contactId: 3, pipelineId: 1, stageId: 11, title: 'c2', createdAt: '2026-09-04T10:00:00Z' },
      ],
    };
    sandbox = await startSandbox({ port: 0, dataDir: dir, fixture: { accounts: [account] }, rate: 0 });
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(dir, { recursive: true, force: true });
  });

  const LOST = {
    from: 'cards',
    status: ['lost'],
    lostReason: 'price',
    closed: { after: '60d', before: '30d' },
  };
  const variables = { title: ['card.title', 'contact.name'], hi: 'Hi {{contact.name}}' };

  it('lost in a period for a reason, by people without a tag: the newest card of each', async () => {
    const plans = open({
      baseUrl: sandbox.baseUrl,
      campaign: { audience: [{ ...LOST, withoutTags: ['worked'] }], variables },
    });
    const { run, found } = await plans.plan();
    expect(found).toEqual([2]);
    expect(await plans.members(run)).toMatchObject([
      {
        key: LONG,
        number: LONG,
        contact_id: 1,
        card_id: 2,
        part: 0,
        tag_ids: [1],
        state: 'waiting',
        variables: { title: 'new', hi: 'Hi Ana' },
        zones: 'America/Sao_Paulo',
        place: expect.any(Number),
      },
    ]);
    expect((await plans.campaign(run)).calls).toBe(4);
  });

  it('parts together: a person is one member, of the first part that found them', async () => {
    const sources = { list: [{ phone: '(11) 8765-0001' }, { phone: '+55 11 98765-0009' }] };
    const audience = [
      { from: 'contacts', tags: ['vip', 'worked'] },
      { from: 'source', source: 'list', number: 'phone' },
      LOST,
      { from: 'contacts' },
    ];
    const plans = open({ baseUrl: sandbox.baseUrl, sources, campaign: { audience, variables } });
    const { run, found } = await plans.plan();
    expect(found).toEqual([4, 2, 3, 5]);
    const members = await plans.members(run);
    expect(
      members.map(({ key, contact_id, card_id, part, row_no, code }) => [
        key,
        contact_id,
        card_id,
        part,
        row_no,
        code,
      ]),
    ).toEqual([
      [LONG, 1, 2, 0, 1, null],
      [OTHER, 2, 3, 0, null, null],
      [null, 4, null, 0, null, 'NUMBER_INVALID'],
      ['5511987650009', null, null, 1, 2, 'VARIABLE_MISSING'],
      ['5511987650003', 3, null, 3, null, null],
    ]);
    expect(members[0]?.variables).toEqual({ title: 'Ana', hi: 'Hi Ana' });
    expect(members[2]?.reason).not.toMatch(/\d/);
  });

  it('FAULTS 47: one phone in two formats is one member, with the tags of both contacts', async () => {
    const search = { from: 'contacts', search: 'Ana' };
    const plans = open({ baseUrl: sandbox.baseUrl, campaign: { audience: [search] } });
    const { run, found } = await plans.plan();
    expect(found).toEqual([2]);
    expect(await plans.members(run)).toMatchObject([
      { key: LONG, number: LONG, contact_id: 1, tag_ids: [1, 2] },
    ]);
  });

  it('a token that may not read cards ends the plan with the scope it lacks', async () => {
    const plans = open({
      baseUrl: sandbox.baseUrl,
      token: 'svc_test_b',
      campaign: { audience: [{ from: 'cards' }] },
    });
    await expect(plans.plan()).rejects.toMatchObject({ type: 'ERR_SCOPE_MISSING', nonRetryable: true });
  });
});

describe('several cards of one person', () => {
  const card = (id: number, made: string, number = LONG) =>
    listedCard(id, {
      createdAt: made,
      contact: {
        id: number === LONG ? 1 : 5,
        name: `n${id}`,
        number,
        email: null,
        tags: [{ id, name: 't' }],
      },
    });

  it.each<[string, [number, string, string?][], number]>([
    [
      'oldest first',
      [
        [1, '2026-01-01T00:00:00Z'],
        [2, '2026-02-01T00:00:00Z'],
      ],
      2,
    ],
    [
      'newest first',
      [
        [2, '2026-02-01T00:00:00Z'],
        [1, '2026-01-01T00:00:00Z'],
      ],
      2,
    ],
    [
      'made at once',
      [
        [9, '2026-01-01T00:00:00Z'],
        [4, '2026-01-01T00:00:00Z'],
      ],
      9,
    ],
    [
      'offsets',
      [
        [1, '2026-01-01T23:00:00-03:00'],
        [2, '2026-01-02T01:00:00Z'],
      ],
      1,
    ],
    [
      'of both forms of the number',
      [
        [1, '2026-01-01T00:00:00Z'],
        [2, '2026-02-01T00:00:00Z', SHORT],
      ],
      2,
    ],
  ])('%s: the newest counts, with its contact and its variables', async (_name, cards, wins) => {
    context.service.cards = cards.map(([id, made, number]) => card(id, made, number));
    const campaign = { audience: [{ from: 'cards' }], variables: { title: 'card.title' } };
    const plans = open({ campaign });
    const { run } = await plans.plan();
    const [member, ...others] = await plans.members(run);
    expect(others).toEqual([]);
    const number = cards.find(([id]) => id === wins)?.[2] ?? LONG;
    expect(member).toMatchObject({
      key: LONG,
      number,
      card_id: wins,
      contact_id: number === LONG ? 1 : 5,
      variables: { title: `T${wins}` },
      tag_ids: cards.map(([id]) => id).toSorted((a, b) => a - b),
    });
  });
});

describe('of sources', () => {
  const list = (rows: readonly Record<string, unknown>[], over: Record<string, unknown> = {}) => ({
    sources: { list: rows },
    campaign: { audience: [{ from: 'source', source: 'list', number: ['phone', 'mobile'] }], ...over },
  });

  it('all forms of a number are one person; an invalid number is reported with its row', async () => {
    const forms = [
      '11987650001',
      '+55 (11) 8765-0001',
      '0xx11 98765 0001',
      '5511987650001',
      '=CMD()',
      '123',
      '',
    ];
    const plans = open({
      ...list([...forms.map((phone) => ({ phone })), { mobile: LONG }, {}]),
      broken: [9],
    });
    const { run, found } = await plans.plan();
    expect(found).toEqual([9]);
    const members = await plans.members(run);
    expect(members.map(({ key, row_no, code }) => [key, row_no, code])).toEqual([
      [LONG, 1, null],
      [null, 5, 'NUMBER_INVALID'],
      [null, 6, 'NUMBER_INVALID'],
      [null, 7, 'NUMBER_INVALID'],
      [null, 9, 'NUMBER_INVALID'],
    ]);
    for (const { reason } of members.slice(1)) expect(reason).not.toMatch(/CMD|123/);
    expect(members[4]?.reason).toBe('the row has too many fields');
  });

  it('a truncated list of excluded numbers ends the plan, so nobody on it is triggered', async () => {
    const sources = { list: [{ phone: LONG }], stop: [{ phone: OTHER }] };
    const exclude = { numbers: { source: 'stop', number: 'phone' } };
    const plans = open({ ...list([], { exclude }), sources, cutOff: 'stop' });
    await expect(plans.plan()).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringMatching(/exclude\.numbers can't be read completely: .*row 2/),
    });
    await expect(open({ ...list([], { exclude }), sources }).plan()).resolves.toMatchObject({
      found: [1, 1],
    });
  });

  it('variables keep their kind, by any form of expression; a later row adds what the first one lacks', async () => {
    const rows = [
      { phone: LONG, Name: ' Ana  \n', score: 7, ok: false, list: ['a', 'b'], x: { y: 1 } },
      { phone: SHORT, late: 'yes', score: 9 },
    ];
    const variables = {
      name: 'name',
      score: 'score',
      ok: 'ok',
      list: 'list',
      late: 'late',
      none: 'none',
      object: 'x',
      sum: '= score + 1',
      fixed: { const: 'f' },
      mapped: { path: 'score', map: { '7': 'seven' }, default: 'none' },
    };
    const plans = open(list(rows, { variables }));
    const { run } = await plans.plan();
    expect(await plans.members(run)).toMatchObject([
      {
        code: 'VARIABLE_MISSING',
        reason: 'no value for "none", "object"',
        variables: {
          name: 'Ana',
          score: 7,
          ok: false,
          list: ['a', 'b'],
          late: 'yes',
          sum: 8,
          fixed: 'f',
          mapped: 'seven',
        },
      },
    ]);
  });

  it('text that no database takes does not stop the reading', async () => {
    const plans = open(list([{ phone: LONG, name: 'a\u0000b\ud800' }], { variables: { name: 'name' } }));
    const { run } = await plans.plan();
    expect((await plans.members(run))[0]?.variables).toEqual({ name: 'ab' });
  });

  it('20,000 rows, a tenth of them twice, are as many members as people', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({
      phone: `5511${980_000_000 + (n % 18_000)}`,
      n,
    }));
    const plans = open(list(rows, { variables: { n: 'n' } }));
    const { run, found } = await plans.plan({ freeze: false });
    expect(found).toEqual([20_000]);
    const [count] = await context.db.query<{ n: number; rows: number }>(
      'select count(*)::int as n, max(row_no) as rows from campaign_members where run_id = $1',
      [run],
    );
    expect(count).toEqual({ n: 18_000, rows: 18_000 });
  });

  it('two who read one page at once read it once', async () => {
    const plans = open(list(Array.from({ length: 9000 }, (_, n) => ({ phone: `5511${980_000_000 + n}` }))));
    const planning = await plans.steps.open();
    await Promise.all([plans.steps.rows(planning.run, 0), plans.steps.rows(planning.run, 0)]);
    expect(await plans.readPart(planning, 0)).toBe(9000);
    expect(await plans.members(planning.run)).toHaveLength(9000);
  });
});
