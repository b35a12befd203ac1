// Opt-outs and their withdrawal: what counts, in whatever order it is seen.
import { describe, expect, it } from 'vitest';
import {
  hasOptedOut,
  MAX_EVIDENCE,
  noteOptOuts,
  recordOptOuts,
  withdrawOptOut,
} from '../../../../src/core/store/opt-outs.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { freshAccount, phone } from '../sql/support.ts';

const db = await testLedger();

const KEY = phone(1);
const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const note = async (account: string, n: number, via: 'reply' | 'tag' | 'import' = 'import') => {
  const recorded = await recordOptOuts(db, account, [{ key: KEY, at: day(n) }], { via, by: 'user:ana' });
  return recorded.map(({ result }) => result);
};
const withdraw = (account: string, n: number) =>
  withdrawOptOut(db, account, KEY, { at: day(n), by: 'user:bia', reason: 'asked to' });
const erase = (account: string) =>
  db.query('update opt_outs set key = sluice_pseudonym(account, key) where account = $1', [account]);
const counts = (account: string) => hasOptedOut(db, account, KEY);

describe('a withdrawal', () => {
  it('takes the opt-out back, and stays known with who and why', async () => {
    const account = freshAccount();
    await note(account, 3);
    expect(await counts(account)).toBe(true);
    expect(await withdraw(account, 5)).toHaveLength(1);
    expect(await counts(account)).toBe(false);
    expect(
      await db.query(
        'select at, recorded_by, withdrawn_at, withdrawn_by, withdrawn_reason from opt_outs where account = $1',
        [account],
      ),
    ).toEqual([
      {
        at: day(3),
        recorded_by: 'user:ana',
        withdrawn_at: day(5),
        withdrawn_by: 'user:bia',
        withdrawn_reason: 'asked to',
      },
    ]);
  });

  it('of somebody who did not opt out, or of another account, is none', async () => {
    const account = freshAccount();
    expect(await withdraw(account, 5)).toEqual([]);
    await note(account, 3);
    expect(await withdraw(freshAccount(), 5)).toEqual([]);
    await withdraw(account, 5);
    expect(await withdraw(account, 6)).toEqual([]);
    expect(await counts(account)).toBe(false);
  });

  it('of an opt-out whose time is ahead of the clock counts, too', async () => {
    const account = freshAccount();
    await note(account, 9);
    await withdraw(account, 5);
    expect(await counts(account)).toBe(false);
  });

  it.each([
    ['an older reply', 4, 'reply', 'withdrawn'],
    ['an import of the same time', 5, 'import', 'withdrawn'],
    ['a later reply', 6, 'reply', 'added'],
    ['a tag that is seen again', 6, 'tag', 'added'],
    ['a newer import', 6, 'import', 'added'],
  ] as const)('is followed by %s', async (_what, at, via, result) => {
    for (const erased of [false, true]) {
      const account = freshAccount();
      await note(account, 3);
      await withdraw(account, 5);
      if (erased) await erase(account);
      expect(await note(account, at, via)).toEqual([result]);
      expect(await counts(account)).toBe(result === 'added');
    }
  });

  it('of somebody who opted out, was erased and came back counts for both rows', async () => {
    const account = freshAccount();
    await note(account, 3);
    await erase(account);
    await note(account, 4);
    expect(await withdraw(account, 5)).toHaveLength(2);
    expect(await counts(account)).toBe(false);
  });

  it('and a new opt-out do not lose one another', async () => {
    const account = freshAccount();
    await note(account, 3);
    await withdraw(account, 5);
    await note(account, 7);
    expect(await note(account, 6)).toEqual(['known']);
    expect(await note(account, 4)).toEqual(['known']);
    const [row] = await db.query<{ at: Date }>('select at from opt_outs where account = $1', [account]);
    expect(row?.at).toEqual(day(6));
    expect(await counts(account)).toBe(true);
  });
});

describe('recording', () => {
  it('answers for each entry, also for a person who is named several times', async () => {
    const account = freshAccount();
    await note(account, 3);
    await withdraw(account, 5);
    const entries = [
      { key: KEY, at: day(7) },
      { key: phone(2), at: day(1) },
      { key: KEY, at: day(4) },
      { key: phone(2), at: day(2) },
    ];
    const recorded = await recordOptOuts(db, account, entries, { via: 'import' });
    expect(recorded.map(({ result }) => result)).toEqual(['added', 'added', 'withdrawn', 'known']);
    // What did not change has no row.
    expect(recorded.map(({ row }) => row !== null)).toEqual([true, true, false, false]);
  });

  it.each([
    ['an earlier time without evidence changes the time alone', null, false, ['reply', 'STOP', 2]],
    [
      'an earlier time with evidence replaces what shows it',
      'list of 2025',
      false,
      ['import', 'list of 2025', 2],
    ],
    ['nothing of a withdrawn opt-out stays', null, true, ['import', null, 7]],
  ] as const)('%s', async (_what, evidence, withdrawn, [via, shown, at]) => {
    const account = freshAccount();
    await noteOptOuts(db, account, [KEY], 'reply', day(4), 'STOP');
    if (withdrawn) await withdraw(account, 5);
    const entry = { key: KEY, at: day(at), evidence };
    await recordOptOuts(db, account, [entry], { via: 'import', by: 'user:ana' });
    const rows = await db.query(
      'select via, evidence, at, recorded_by = $2 as imported from opt_outs where account = $1',
      [account, 'user:ana'],
    );
    expect(rows).toEqual([{ via, evidence: shown, at: day(at), imported: via === 'import' ? true : null }]);
  });

  it('keeps no more of the evidence than its limit, and no half of a character', async () => {
    const account = freshAccount();
    await noteOptOuts(db, account, [KEY], 'reply', day(1), '\u{1f6d1}'.repeat(MAX_EVIDENCE + 1));
    const [row] = await db.query<{ evidence: string }>('select evidence from opt_outs where account = $1', [
      account,
    ]);
    expect(row?.evidence).toBe('\u{1f6d1}'.repeat(MAX_EVIDENCE));
  });
});
