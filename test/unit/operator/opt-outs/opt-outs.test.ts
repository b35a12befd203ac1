// The registry of opt-outs over the operator API: masked for viewers, and changed only with a name.
import { describe, expect, it } from 'vitest';
import { hasOptedOut, noteOptOuts } from '../../../../src/core/store/opt-outs.ts';
import type { Input } from '../../../../src/operator/contract/index.ts';

import { NOW, openRegistry, vera } from './registry.ts';

const NUMBER = '+55 11 98765-4321';
const KEY = '5511987654321';
const registry = openRegistry();
const { call, lines } = registry;

const add = (over: object = {}) =>
  call('POST /opt-outs/{account}', { account: 'acme', number: NUMBER, ...over });
const withdraw = (over: object = {}) =>
  call('POST /opt-outs/{account}/withdraw', { account: 'acme', number: NUMBER, reason: 'asked to', ...over });
const importRows = (rows: Input<'POST /opt-outs/{account}/import'>['rows'], over: object = {}) =>
  call('POST /opt-outs/{account}/import', { account: 'acme', rows, ...over });

describe('adding', () => {
  it('records who did it and what shows it; the audit log has ids and no number', async () => {
    const { result, id } = await add({ evidence: 'said so on the phone' });
    expect(result).toBe('added');
    const { optOuts } = await call('GET /opt-outs', { unmask: true });
    expect(optOuts).toEqual([
      {
        id,
        account: 'acme',
        person: expect.stringMatching(/^o[0-9a-f]{32}$/),
        number: `+${KEY}`,
        source: 'operator',
        at: new Date(NOW).toISOString(),
        evidence: 'said so on the phone',
        recordedBy: 'user:ana',
        recordedAt: expect.any(String),
        active: true,
        withdrawal: null,
      },
    ]);
    expect(lines.join()).toContain(`"id":${id}`);
    expect(lines.join()).not.toMatch(/98765|on the phone/);
  });

  it.each([
    [
      'a number without country',
      { number: '11 98765-4321' },
      /number: the number does not name its country; write \+ and the country code, or name the country$/,
    ],
    ['a number that is none', { number: 'nobody' }, /number: /],
    ['an unknown account', { account: 'acm' }, /did you mean "acme"/],
    ['a country that does not exist', { country: 'XX' }, /country: /],
    ['a time in the future', { at: '2026-06-02T00:00:00Z' }, /at: .*future/],
    ['an evidence of 201 characters', { evidence: 'x'.repeat(201) }, /evidence: /],
  ])('%s is refused, and nothing is recorded', async (_what, over, message) => {
    await expect(add(over)).rejects.toThrow(message);
    expect(await registry.db.query('select 1 from opt_outs')).toEqual([]);
  });
});

describe('withdrawing', () => {
  it('needs a reason, an opt-out, and the role operator', async () => {
    await expect(withdraw()).rejects.toMatchObject({ kind: 'conflict', code: 'NOT_OPTED_OUT' });
    await add();
    await expect(withdraw({ reason: '  ' })).rejects.toThrow(/reason: write why/);
    await expect(
      call('POST /opt-outs/{account}/withdraw', { account: 'acme', number: NUMBER, reason: 'x' }, vera),
    ).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(true);
    await withdraw();
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(false);
    const [entry] = (await call('GET /opt-outs', {})).optOuts;
    expect(entry).toMatchObject({
      active: false,
      withdrawal: { at: new Date(NOW).toISOString(), by: 'user:ana', reason: 'asked to' },
    });
  });
});

describe('an import', () => {
  const ROWS = [
    { number: NUMBER, at: '2026-01-01T00:00:00Z', evidence: 'old list' },
    { number: '+49 151 23456789', at: '2026-05-01T10:00:00-03:00' },
    { number: '11 98765-4321', at: '2026-01-01T00:00:00Z' },
    { number: '+55 11 91234-5678', at: '01/05/2026' },
    { number: '+55 11 91234-5678', at: '2027-01-01T00:00:00Z' },
    { number: '+55 11 91234-5678', at: '2026-01-01T00:00:00Z', evidence: 'x'.repeat(201) },
    { number: '+49 151 23456789', at: '2026-05-02T10:00:00-03:00' },
  ];

  it('answers what became of each row; what was withdrawn later stays withdrawn', async () => {
    await add({ at: '2026-02-01T00:00:00Z' });
    await withdraw();
    const answer = {
      added: 1,
      known: 1,
      withdrawn: 1,
      rejected: [
        { row: 3, code: 'invalid_phone', reason: expect.stringMatching(/country/) },
        { row: 4, code: 'OPT_OUT_TIME', reason: expect.any(String) },
        { row: 5, code: 'OPT_OUT_AHEAD', reason: expect.any(String) },
        { row: 6, code: 'OPT_OUT_EVIDENCE', reason: expect.any(String) },
      ],
    };
    expect(await importRows(ROWS, { dryRun: true })).toEqual(answer);
    expect(await hasOptedOut(registry.db, 'acme', '4915123456789')).toBe(false);
    expect(await importRows(ROWS)).toEqual(answer);
    expect(await hasOptedOut(registry.db, 'acme', '4915123456789')).toBe(true);
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(false);
    expect(await hasOptedOut(registry.db, 'other', '4915123456789')).toBe(false);
  });

  it('never guesses a number that can be read in two ways', async () => {
    const [one, other] = await Promise.all([
      importRows([{ number: '4930123456', at: '2026-01-01T00:00:00Z' }], { country: 'BR', dryRun: true }),
      importRows([{ number: '+4930123456', at: '2026-01-01T00:00:00Z' }], { country: 'BR', dryRun: true }),
    ]);
    expect(one).toMatchObject({ added: 0, rejected: [{ row: 1, code: 'ambiguous_phone' }] });
    expect(other).toMatchObject({ added: 1, rejected: [] });
  });

  it('takes 10,000 rows, and no more', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      number: `+55119${80_000_000 + index * 7}`,
      at: '2026-01-01T00:00:00Z',
    }));
    expect(await importRows(rows, { dryRun: true })).toMatchObject({ added: 10_000, rejected: [] });
    await expect(importRows([...rows, rows[0] as never])).rejects.toThrow(/rows: /);
  });
});

describe('the list', () => {
  it('hides number and evidence from a viewer, who may not reveal them', async () => {
    await add({ evidence: 'said so on the phone' });
    const { optOuts } = await call('GET /opt-outs', {}, vera);
    expect(optOuts).toMatchObject([{ number: '+55 11 9••••-4321', evidence: '•••' }]);
    await expect(call('GET /opt-outs', { unmask: true }, vera)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(call('POST /opt-outs/{account}/export', { account: 'acme' }, vera)).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  it('of an erased person has no number', async () => {
    await add();
    await registry.db.query('update opt_outs set key = sluice_pseudonym(account, key)');
    expect((await call('GET /opt-outs', { unmask: true })).optOuts).toMatchObject([{ number: null }]);
    expect((await withdraw()).ids).toHaveLength(1);
  });

  it('has pages and filters', async () => {
    const key = (n: number) => `55119876543${10 + n}`;
    for (const n of [0, 1, 2])
      await noteOptOuts(registry.db, 'acme', [key(n)], 'reply', new Date(Date.UTC(2026, 0, n + 1)));
    await noteOptOuts(registry.db, 'other', [key(9)], 'tag', new Date(NOW));
    const numbers = async (input: Input<'GET /opt-outs'>) =>
      (await call('GET /opt-outs', { ...input, unmask: true })).optOuts.map(({ number }) =>
        number?.slice(-2),
      );
    expect(await numbers({})).toEqual(['19', '12', '11', '10']);
    expect(await numbers({ account: 'acme', since: '2026-01-02T00:00:00Z' })).toEqual(['12', '11']);
    expect(await numbers({ source: 'tag' })).toEqual(['19']);
    expect(await numbers({ state: 'withdrawn' })).toEqual([]);
    const first = await call('GET /opt-outs', { limit: 3 });
    const rest = await call('GET /opt-outs', { limit: 3, before: first.next ?? '' });
    expect([first.optOuts.length, rest.optOuts.length, rest.next]).toEqual([3, 1, null]);
    await expect(call('GET /opt-outs', { before: 'x' })).rejects.toMatchObject({ code: 'CURSOR' });
    const one = await call('POST /opt-outs/{account}/export', { account: 'acme', limit: 2 });
    const two = await call('POST /opt-outs/{account}/export', {
      account: 'acme',
      limit: 2,
      after: one.next ?? '',
    });
    expect([...one.optOuts, ...two.optOuts].map(({ number }) => number?.slice(-2))).toEqual([
      '10',
      '11',
      '12',
    ]);
  });
});
