// A service in other shapes than assumed, seen through a campaign: triggers that find nobody pause it, the first one is
// verified, and lists of the audience are filtered again.
import { describe, expect, it } from 'vitest';
import {
  type ContextOptions,
  MEMBERS,
  openReshapedContext as open,
  REACHED,
} from '../../../../support/reshaped/reshaped-context.ts';
import {
  answerWith,
  eachItem,
  ignoreParameter,
  inputNamed,
  type Rule,
  refuseWith,
  rename,
} from '../../../../support/reshaped/reshaped-service.ts';

const LIST = /^GET \/v1\/conversations$/;
const TRIGGER = /^POST \/v1\/flows\/trigger$/;
const CONTACTS = /^GET \/v1\/contacts$/;
const CARDS = /^GET \/v1\/cards$/;

describe('a trigger that the service takes in another form', () => {
  const OTHER_FIELD = inputNamed(TRIGGER, 'contact', 'contactId');
  const OVERRIDE = { 'flows.contactField': 'contact' };

  it.each<[string, readonly Rule[], string]>([
    ['and says that a field is missing', [OTHER_FIELD], 'ERR_CONTACT_IDENTIFIER_REQUIRED'],
    [
      'and knows no contact',
      [OTHER_FIELD, refuseWith(TRIGGER, 404, { error: 'no', code: 'ERR_NO_CONTACT_FOUND' })],
      'ERR_NO_CONTACT_FOUND',
    ],
    [
      'and knows no ticket',
      [OTHER_FIELD, refuseWith(TRIGGER, 404, { error: 'no', code: 'ERR_NO_TICKET_FOUND' })],
      'ERR_NO_TICKET_FOUND',
    ],
    [
      'and has a code of its own',
      [OTHER_FIELD, refuseWith(TRIGGER, 400, { error: 'no', code: 'ERR_CONTACT_NEEDED' })],
      'ERR_CONTACT_NEEDED',
    ],
    ['and has no code', [OTHER_FIELD, refuseWith(TRIGGER, 422, { error: 'no' })], 'HTTP_422'],
  ])('%s: the first member pauses the campaign, and nobody fails', async (_, rules, code) => {
    const { worker, show, reached, report, service } = await open();
    show(...rules);
    const sluice = await worker();
    await sluice.poll();
    const plan = await sluice.plan();
    await sluice.start(plan.run);
    const stand = await sluice.run(plan.run);
    expect(stand).toMatchObject({ do: 'paused', reason: expect.stringContaining(code) });
    if (code !== 'ERR_CONTACT_IDENTIFIER_REQUIRED')
      expect(stand).toMatchObject({
        reason: expect.stringMatching(/flows.contactField.*flows.contactIdentity/),
      });
    const { total } = await report(plan.run);
    expect(total).toMatchObject({ waiting: 4, failed: {}, skipped: {} });
    expect(service.writes().length).toBeLessThanOrEqual(2);

    const mended = await worker(OVERRIDE);
    await mended.resume(plan.run);
    expect(await mended.run(plan.run)).toEqual({ do: 'finished' });
    expect(await reached()).toEqual(REACHED);
  });

  it('resumed unchanged, it lets two members fail, pauses at the third, and takes all of them back', async () => {
    const { worker, show, report } = await open();
    show(OTHER_FIELD, refuseWith(TRIGGER, 400, { error: 'no', code: 'ERR_CONTACT_NEEDED' }));
    const sluice = await worker();
    await sluice.poll();
    const { run } = await sluice.plan();
    await sluice.start(run);
    await sluice.run(run);
    await sluice.resume(run);
    expect(await sluice.run(run)).toMatchObject({
      do: 'paused',
      reason: expect.stringContaining('3 members in a row'),
    });
    expect((await report(run)).total).toMatchObject({ waiting: 4, failed: {} });
  });

  it('one member refused with an unlisted code among others fails alone, and its reason gives no advice that would break the others', async () => {
    const { worker, show, report, db } = await open();
    let calls = 0;
    show({
      on: TRIGGER,
      ask: (call) => {
        if (++calls === 2) call.path = '/v1/nowhere';
      },
      errors: true,
      answer: (answer) => {
        if (answer.status < 400) return;
        answer.status = 422;
        answer.body = {
          error: 'the contact Bia, +55 (11) 91234-5601, bia@x.com is spam',
          code: 'ERR_OF_THEIRS',
        };
      },
    });
    const sluice = await worker();
    await sluice.poll();
    const { run } = await sluice.plan();
    await sluice.start(run);
    expect(await sluice.run(run)).toEqual({ do: 'finished' });
    expect((await report(run)).total).toMatchObject({ triggered: 3, failed: { ERR_OF_THEIRS: 1 } });
    const [failed] = await db.query<{ reason: string }>(
      "select reason from campaign_members where run_id = $1 and state = 'failed'",
      [run],
    );
    expect(failed?.reason).toMatch(
      /^the service answered ERR_OF_THEIRS: "the contact •••, \+•••, ••• is spam"; the same request works for others$/,
    );
  });
});

describe('the first trigger is verified', () => {
  const silent = answerWith(TRIGGER, 202, undefined);
  async function begun(...rules: readonly Rule[]) {
    const opened = await open();
    const sluice = await opened.worker();
    await sluice.poll();
    const { run } = await sluice.plan();
    await sluice.start(run);
    opened.show(...rules);
    return { ...opened, sluice, run };
  }

  it('by one read of the conversations, if its response is empty', async () => {
    const { sluice, run, reached, report, service } = await begun(silent);
    service.calls.length = 0;
    expect(await sluice.run(run)).toEqual({ do: 'finished' });
    expect(await reached()).toEqual(REACHED);
    expect(service.calls.filter((call) => LIST.test(call))).toHaveLength(1);
    expect(await report(run)).toMatchObject({ verified: { how: 'conversation' } });
  });

  it('and the campaign is paused when no conversation shows it, until an operator has checked', async () => {
    const nothing = answerWith(LIST, 200, { count: 0, hasMore: false, conversations: [] });
    const { sluice, run, reached, report, show } = await begun(silent, nothing);
    expect(await sluice.run(run)).toMatchObject({
      do: 'paused',
      reason: expect.stringMatching(/^FIRST_UNVERIFIED: /),
    });
    expect(await reached()).toHaveLength(1);
    show(silent);
    await sluice.resume(run);
    expect(await sluice.run(run)).toEqual({ do: 'finished' });
    expect(await reached()).toEqual(REACHED);
    expect(await report(run)).toMatchObject({ verified: { how: 'operator' } });
  });

  it('and says so if nothing can be checked', async () => {
    const { sluice, run, report } = await begun(silent, {
      on: LIST,
      errors: true,
      answer: (answer) => {
        answer.status = 403;
        answer.body = { error: 'no', code: 'ERR_SCOPE_MISSING', requiredScope: 'conversations:read' };
      },
    });
    expect(await sluice.run(run)).toEqual({ do: 'finished' });
    expect(await report(run)).toMatchObject({
      verified: { how: 'none', reason: expect.stringContaining('conversations:read') },
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['contact', { contactId: 99 }],
    ['contact', { data: { contact: { number: '5511987654321' } } }],
    ['flow', { flowId: 9 }],
    ['connection', { run: { whatsappId: 9 } }],
  ])(
    'a response that names another %s pauses the campaign, and the member is unknown',
    async (what, body) => {
      const { sluice, run, reached, report } = await begun(answerWith(TRIGGER, 202, body));
      expect(await sluice.run(run)).toMatchObject({
        do: 'paused',
        reason: expect.stringContaining(`names another ${what}`),
      });
      expect(await reached()).toHaveLength(1);
      expect((await report(run)).total).toMatchObject({ unknown: 1, triggered: 0, waiting: 3 });
    },
  );
});

describe('an audience list that was not requested', () => {
  const cards = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      id: n + 1,
      contactId: (n % MEMBERS) + 1,
      pipelineId: 1,
      stageId: 11,
      title: n < 3 ? `Blue ${n}` : `Red ${n}`,
      ...(n === 4 ? { status: 'lost', lostReasonId: 1 } : {}),
    }));
  const untagged = Array.from({ length: 5 }, (_, n) => ({
    id: 50 + n,
    number: `1415555300${n}`,
    name: `Other ${n}`,
  }));

  it.each<[string, ContextOptions, readonly Rule[], { found: number; codes: readonly string[] }]>([
    [
      'the title is ignored',
      { account: { cards: cards(6) }, campaign: { audience: [{ from: 'cards', title: 'blue' }] } },
      [ignoreParameter(CARDS, 'searchParam')],
      { found: 3, codes: ['FILTER_IGNORED'] },
    ],
    [
      'the stage is ignored',
      {
        account: { cards: [...cards(3), { id: 9, contactId: 6, pipelineId: 1, stageId: 12, title: 'T' }] },
        campaign: { audience: [{ from: 'cards', pipeline: 'Sales', stage: 'New' }] },
      },
      [ignoreParameter(CARDS, 'stageId')],
      { found: 3, codes: ['FILTER_IGNORED'] },
    ],
    [
      'the status is ignored',
      { account: { cards: cards(6) }, campaign: { audience: [{ from: 'cards', status: ['open'] }] } },
      [ignoreParameter(CARDS, 'status')],
      { found: 5, codes: ['FILTER_IGNORED'] },
    ],
    [
      'the time is ignored',
      {
        account: { cards: cards(6) },
        campaign: { audience: [{ from: 'cards', created: { before: '30d' } }] },
      },
      [ignoreParameter(CARDS, 'createdAtBefore')],
      { found: 0, codes: ['FILTER_IGNORED'] },
    ],
    [
      'tags that are left out are ignored',
      { account: { cards: cards(6) }, campaign: { audience: [{ from: 'cards', withoutTags: ['crm'] }] } },
      [ignoreParameter(CARDS, 'notContactTagId')],
      { found: 0, codes: ['FILTER_IGNORED'] },
    ],
    [
      'the lost reason is not shown',
      {
        account: { cards: cards(6) },
        campaign: { audience: [{ from: 'cards', lostReason: 1 }] },
      },
      [eachItem(CARDS, 'cards', (c) => c.lostReason !== null && (c.lostReason = { label: 'price' }))],
      { found: 1, codes: ['FILTER_UNVERIFIED'] },
    ],
    [
      'tags of contacts are ignored',
      {
        account: {
          contacts: [
            ...Array.from({ length: 3 }, (_, n) => ({
              id: n + 1,
              number: `1415555200${n}`,
              name: 'P',
              tagIds: [1],
            })),
            ...untagged,
          ],
          conversations: [],
        },
      },
      [ignoreParameter(CONTACTS, 'tagId')],
      { found: 3, codes: ['FILTER_IGNORED'] },
    ],
    [
      'a search is ignored',
      { campaign: { audience: [{ from: 'contacts', search: 'person 5' }] } },
      [ignoreParameter(CONTACTS, 'searchParam')],
      { found: 1, codes: ['FILTER_IGNORED'] },
    ],
    [
      'the size of pages is ignored',
      {},
      [ignoreParameter(CONTACTS, 'pageSize')],
      { found: MEMBERS, codes: [] },
    ],
    [
      'order is ignored',
      { account: { cards: cards(6) }, campaign: { audience: [{ from: 'cards', status: ['open', 'lost'] }] } },
      [ignoreParameter(CARDS, 'sortBy'), ignoreParameter(CARDS, 'sortOrder')],
      { found: 6, codes: [] },
    ],
    [
      'more are said to follow, for ever',
      {},
      [{ on: CONTACTS, answer: ({ body }) => void (body.hasMore = true) }],
      { found: MEMBERS, codes: ['AUDIENCE_UNSTEADY'] },
    ],
    [
      'more are counted than are shown',
      {},
      [{ on: CONTACTS, answer: ({ body }) => void (body.count += 5) }],
      { found: MEMBERS, codes: ['AUDIENCE_UNSTEADY'] },
    ],
  ])('%s', async (_, options, rules, { found, codes }) => {
    const { worker, show } = await open({ words: [], ...options });
    show(...rules);
    const sluice = await worker();
    const plan = await sluice.plan();
    expect(plan.found).toBe(found);
    expect(plan.warnings.map(({ code }) => code).filter((code) => /^(FILTER|AUDIENCE)_/.test(code))).toEqual(
      codes,
    );
  });

  it.each<[string, Rule]>([
    ['tags', eachItem(CONTACTS, 'contacts', (c) => rename(c, 'tags', 'labels'))],
    ['numbers', eachItem(CONTACTS, 'contacts', (c) => rename(c, 'number', 'phone'))],
  ])('contacts whose %s cannot be read end the plan, with the field', async (_, rule) => {
    const { worker, show } = await open({ words: [] });
    show(rule);
    const sluice = await worker();
    await expect(sluice.plan()).rejects.toMatchObject({
      type: 'UNEXPECTED_SHAPE',
      nonRetryable: true,
      message: expect.stringMatching(/contacts\[\]\.(tags|number)/),
    });
  });

  it('a lookup by number that lists everybody is no proof that the contact is gone', async () => {
    const { worker, show, report, db } = await open({ words: [] });
    const sluice = await worker();
    const { run } = await sluice.plan();
    await sluice.start(run);
    await db.query(
      'update campaign_members set contact_id = null, number = $1, key = $1 where run_id = $2 and id = (select min(id) from campaign_members)',
      ['14155559999', run],
    );
    await db.query('delete from people');
    show(ignoreParameter(CONTACTS, 'number'));
    await sluice.run(run);
    expect((await report(run)).total.skipped).not.toHaveProperty('CONTACT_GONE');
  });
});
