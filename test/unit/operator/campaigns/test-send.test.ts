// What a test send of a campaign refuses before anything is accepted, with the reason and without the number.
import { describe, expect, it } from 'vitest';
import { operatorContext } from '../../../support/operator/context.ts';

const OWN = '5511987650009';
const DRAFT = {
  account: 'acme',
  flow: 1,
  connection: 1,
  defaultCountry: 'BR',
  variables: { nome: 'name' },
  audience: [{ from: 'source', source: 'file', number: 'phone' }],
  windows: { days: { mon: ['09:00-18:00'] } },
};
const FIRST = { part: 0, contact: null, row: 1 };
const WITHOUT_NAME = { part: 0, contact: null, row: 2 };

const { db, operator } = operatorContext({
  yaml: {
    version: 1,
    accounts: {
      acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:A'], timeZone: 'America/Sao_Paulo' },
    },
    sources: { file: { type: 'csv', path: 'people.csv' } },
    campaigns: { autumn: DRAFT },
  },
  files: { 'people.csv': 'phone,name\n5511987650001,Ana\n5511987650002,\n' },
});

const send = (
  over: Record<string, unknown> = {},
  draft: Record<string, unknown> = {},
  as = operator.client,
) =>
  as.call('POST /campaign-drafts/test', {
    campaign: 'autumn',
    config: { ...DRAFT, ...draft },
    number: `+${OWN}`,
    key: 'k1',
    member: FIRST,
    ...over,
  });

describe('a test send is refused', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string, RegExp]>([
    ['a number of no carrier', { number: '+55 11 0000' }, {}, 'invalid_phone', /^number: /],
    [
      'a number without a country, where the campaign has none',
      { number: '(11) 98765-0009' },
      { defaultCountry: undefined },
      'invalid_phone',
      /country code/,
    ],
    ['a draft with a problem', {}, { flow: 'x y' }, 'DRAFT_PROBLEMS', /flow/],
    ['an account that is not configured', {}, { account: 'acne' }, 'UNKNOWN_NAME', /did you mean "acme"/],
    ['somebody without a value', { member: WITHOUT_NAME }, {}, 'VARIABLE_MISSING', /nome/],
    ['somebody who left the preview', { member: { ...FIRST, row: 9 } }, {}, 'PREVIEW_CHANGED', /preview/],
    ['a value that is missing', { member: undefined, variables: {} }, {}, 'VARIABLE_MISSING', /nome/],
    [
      'a variable that the campaign does not send',
      { member: undefined, variables: { nome: 'Eva', plan: 'a' } },
      {},
      'INPUT',
      /"plan"; it sends nome/,
    ],
    ['values and a person at once', { variables: { nome: 'Eva' } }, {}, 'INPUT', /either/],
    ['neither of both', { member: undefined }, {}, 'INPUT', /either/],
    [
      'a closed window, where the campaign needs an open one',
      {},
      { conversationWindow: 'open' },
      'WINDOW_UNKNOWN',
      /conversationWindow: open/,
    ],
  ])('%s', async (_, over, draft, code, message) => {
    const refusal = await send(over, draft).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((refusal as Error).message.replace(/\D/g, '')).not.toContain('98765');
    expect(await db.query('select 1 from events')).toEqual([]);
  });

  it.each(['5511987650009', '551187650009'])('%s, who opted out with the other form', async (typed) => {
    await db.query("insert into opt_outs (account, key, via, at) values ('acme', $1, 'reply', now())", [OWN]);
    await expect(send({ number: `+${typed}` })).rejects.toMatchObject({
      code: 'OPTED_OUT',
      message: expect.stringContaining('another number'),
    });
  });

  it('to an editor', async () => {
    await expect(send({}, {}, operator.as({ role: 'editor' }))).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('and the audit log has neither number nor values', async () => {
    await send({ member: undefined, variables: { nome: 'Eva', plan: 'a' } }).catch(() => undefined);
    await send({ member: WITHOUT_NAME }, {}, operator.as({ role: 'operator' })).catch(() => undefined);
    const lines = await db.query(
      "select outcome, details from operator_audit where action = 'POST /campaign-drafts/test' order by id",
    );
    expect(lines).toEqual([
      { outcome: 'failed', details: { campaign: 'autumn', kind: 'invalid', code: 'INPUT' } },
      {
        outcome: 'failed',
        details: { campaign: 'autumn', member: WITHOUT_NAME, kind: 'invalid', code: 'VARIABLE_MISSING' },
      },
    ]);
  });
});
