// Imports of uploaded files, and people who are named by their id.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasOptedOut, noteOptOuts } from '../../../../src/core/store/opt-outs.ts';
import { NOW, openRegistry, vera } from './registry.ts';

const KEY = '5511987654321';
const folder = mkdtempSync(join(tmpdir(), 'sluice-optout-'));
afterAll(() => rmSync(folder, { recursive: true }));

const registry = openRegistry();
const { call, lines } = registry;

function upload(text: string): void {
  const path = join(folder, 'list.csv');
  writeFileSync(path, text);
  registry.uploads.set('u1', path);
}
const importFile = (over: object = {}, caller?: typeof vera) =>
  call(
    'POST /uploads/{upload}/opt-outs',
    { upload: 'u1', account: 'acme', number: 'phone', time: 'when', ...over },
    caller as never,
  );
const withdraw = (number: string, over: object = {}) =>
  call('POST /opt-outs/{account}/withdraw', { account: 'acme', number, reason: 'asked to', ...over });

describe('an uploaded file', () => {
  const ROWS = [
    'phone;when;why',
    `'+${KEY};2026-01-01;SAIR`,
    '11 91234-5678;2026-01-01 10:00;',
    '4930123456;2026-01-01;',
    '+49 151 23456789;2027-01-01;',
    'too;many;cells;here',
    '+49 151 23456789;01/02/2026;',
    `+49 151 23456789;${'9'.repeat(5000)};`,
    '+49 151 23456789;2026-02-01T10:00:00Z;by mail',
    `${'1'.repeat(5000)};2026-01-01;`,
  ].join('\n');
  const HOW = { evidence: 'why', country: 'BR', offset: '-03:00' };

  it('is checked first, then recorded and deleted; rows have the numbers of the file, reasons no values', async () => {
    await noteOptOuts(registry.db, 'acme', [KEY], 'reply', new Date(Date.UTC(2026, 3, 1)));
    await withdraw(`+${KEY}`);
    upload(ROWS);
    const answer = {
      added: 2,
      known: 0,
      withdrawn: 1,
      rejectedRows: 6,
      rejected: [
        { row: 3, code: 'ambiguous_phone', reason: expect.any(String) },
        { row: 4, code: 'OPT_OUT_AHEAD', reason: expect.any(String) },
        { row: 5, code: expect.any(String), reason: expect.any(String) },
        { row: 6, code: 'OPT_OUT_TIME', reason: expect.any(String) },
        { row: 7, code: 'OPT_OUT_TIME', reason: expect.any(String) },
        { row: 9, code: 'invalid_phone', reason: expect.any(String) },
      ],
    };
    expect(await importFile({ ...HOW, dryRun: true })).toEqual(answer);
    expect(await hasOptedOut(registry.db, 'acme', '5511912345678')).toBe(false);
    const done = await importFile(HOW);
    expect(done).toEqual(answer);
    expect(JSON.stringify(done.rejected)).not.toContain('23456789');
    expect(await hasOptedOut(registry.db, 'acme', '5511912345678')).toBe(true);
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(false);
    const { optOuts } = await call('GET /opt-outs', { state: 'active', unmask: true });
    expect(
      optOuts.map(({ at, evidence, recordedBy, source }) => ({ at, evidence, recordedBy, source })),
    ).toEqual(
      expect.arrayContaining([
        { at: '2026-02-01T10:00:00.000Z', evidence: 'by mail', recordedBy: 'user:ana', source: 'import' },
        { at: '2026-01-01T13:00:00.000Z', evidence: null, recordedBy: 'user:ana', source: 'import' },
      ]),
    );
    expect(lines.join()).toContain('"added":2');
    expect(lines.join()).not.toMatch(/912345678|by mail/);
    await expect(importFile(HOW)).rejects.toMatchObject({ kind: 'notFound', code: 'NO_UPLOAD' });
  });

  it.each([
    ['a column that it does not have', { number: 'fone' }, { code: 'NO_COLUMN' }],
    ['the name of an inherited property as a column', { evidence: 'constructor' }, { code: 'NO_COLUMN' }],
    ['an offset that no zone has', { offset: '-99:00' }, { kind: 'invalid' }],
    ['an encoding that does not exist', { encoding: 'klingon' }, { kind: 'invalid' }],
    ['an unknown account', { account: 'acm' }, { kind: 'notFound' }],
    ['a country that does not exist', { country: 'XX' }, { kind: 'invalid' }],
    ['an upload that is gone', { upload: 'u2' }, { code: 'NO_UPLOAD' }],
  ])('%s is refused, and nothing is recorded', async (_what, over, error) => {
    upload(ROWS);
    await expect(importFile(over)).rejects.toMatchObject(error);
    expect(await registry.db.query('select 1 from opt_outs')).toEqual([]);
    expect(registry.uploads.size).toBe(1);
  });

  it.each([
    ['an empty file', '', 'SOURCE_NO_HEADER'],
    ['a web page', '<html><body>phone,when</body></html>', 'SOURCE_FORMAT'],
  ])('%s is refused, and the message has no folder of the server', async (_what, text, code) => {
    upload(text);
    await expect(importFile()).rejects.toMatchObject({ kind: 'invalid', code });
    await expect(importFile()).rejects.not.toThrow(folder);
  });

  it('needs the role operator', async () => {
    upload(ROWS);
    await expect(importFile({}, vera)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('of several pages counts a person once, also in a dry run; of a wrong column it names 1,000 rows', async () => {
    const row = (n: number) => `+55119${80_000_000 + n * 7},2026-01-01T00:00:00Z,x\n`;
    const rows = Array.from({ length: 10_001 }, (_, n) => row(n));
    upload(`phone,when,why\n${rows.join('')}${row(0)}`);
    const answer = { added: 10_001, known: 1, withdrawn: 0, rejectedRows: 0, rejected: [] };
    expect(await importFile({ dryRun: true })).toEqual(answer);
    const wrong = await importFile({ dryRun: true, number: 'why' });
    expect([wrong.rejectedRows, wrong.rejected.length, wrong.rejected.at(-1)?.row]).toEqual([
      10_002, 1000, 1000,
    ]);
    expect(await importFile()).toEqual(answer);
  });
});

describe('the id of a person', () => {
  it('stands for the number that the screens mask', async () => {
    const [person] = await registry.db.query<{ id: number }>(
      `insert into people (account, key) values ('acme', $1) returning id`,
      [KEY],
    );
    const { result } = await call('POST /opt-outs/{account}', { account: 'acme', number: `p${person?.id}` });
    expect(result).toBe('added');
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(true);
    const [entry] = (await call('GET /opt-outs', {})).optOuts;
    await withdraw(entry?.person ?? '');
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(false);
    // The same id in another account is another person, or none.
    await expect(withdraw(entry?.person ?? '', { account: 'other' })).rejects.toMatchObject({
      code: 'NO_SUCH_PERSON',
    });
  });

  it.each(['p999999', `o${'0'.repeat(32)}`, 't1', 'e1', 'c1'])('%s of nobody is refused', async (person) => {
    await expect(withdraw(person)).rejects.toMatchObject({ kind: 'notFound', code: 'NO_SUCH_PERSON' });
    await expect(call('POST /opt-outs/{account}', { account: 'acme', number: person })).rejects.toMatchObject(
      {
        code: 'NO_SUCH_PERSON',
      },
    );
  });

  it.each(['p', 'x12', 'P12', 'p12 p13', `o${'0'.repeat(31)}`])('%s is no id and no number', async (text) => {
    await expect(withdraw(text)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('of an erased person is refused: who withdraws an opt-out must know whose it is', async () => {
    await noteOptOuts(registry.db, 'acme', [KEY], 'reply', new Date(NOW));
    await registry.db.query('update opt_outs set key = sluice_pseudonym(account, key)');
    const [entry] = (await call('GET /opt-outs', {})).optOuts;
    await expect(withdraw(entry?.person ?? '')).rejects.toMatchObject({ kind: 'invalid', code: 'NO_NUMBER' });
    expect(await hasOptedOut(registry.db, 'acme', KEY)).toBe(true);
  });
});
