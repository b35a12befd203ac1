// Keys of encryption with which no worker starts.
import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLedger } from '../../../../src/app/ledger/ledger-database.ts';
import { cipherOf } from '../../../../src/app/ledger/ledger-encryption.ts';
import { startPostgres, type TestPostgres } from '../../../support/postgres/postgres.ts';
import { clinics, linesOf } from './clinic.ts';

const { clinic } = clinics();
const KEY = randomBytes(32).toString('base64');
const OTHER = randomBytes(32).toString('base64');
const known = (id: string) => `{ id: ${id}, key: env:${id === 'first' ? 'KEY' : 'OTHER'} }`;
let server: TestPostgres;

beforeAll(async () => {
  server = await startPostgres();
  const cipher = await cipherOf([{ id: 'first', key: 'env:KEY' }], async () => KEY);
  const db = await openLedger({ url: server.url, stateDir: '', onError: console.error, cipher });
  await db.close();
});
afterAll(() => server.stop());

async function visitWith(keys: string, env: Record<string, string>) {
  const context = await clinic({ env });
  await appendFile(context.file, keys);
  return await context.visit();
}
const ofLedger = (...keys: string[]) => `ledger: { encryption: { keys: [${keys.join(', ')}] } }\n`;

it.each<[name: string, keys: string, env: Record<string, string>, says: RegExp]>([
  [
    'a key whose variable is not set',
    ofLedger(known('first')),
    {},
    /ledger: environment variable KEY is not set/,
  ],
  [
    'no keys',
    '',
    {},
    /ledger: .* encrypted with the key "first", which ledger\.encryption\.keys does not list/,
  ],
  [
    'only another key',
    ofLedger(known('second')),
    { OTHER },
    /ledger: .* encrypted with the key "first", which ledger\.encryption\.keys does not list/,
  ],
  [
    'another key under the id',
    ofLedger(known('first')),
    { KEY: OTHER },
    /ledger: the key "first" in ledger\.encryption\.keys is not the key that the ledger was encrypted with/,
  ],
  [
    'a missing key of the payloads',
    `${ofLedger(known('first'))}temporal: { encryption: { keys: [${known('second')}] } }\n`,
    { KEY },
    /temporal: environment variable OTHER is not set/,
  ],
])('%s is a problem, with the words of a worker that starts', async (_, keys, env, says) => {
  const visited = await visitWith(keys, { DATABASE_URL: server.url, ...env });
  expect(linesOf(visited, 'problem')).toEqual([expect.stringMatching(says)]);
  expect(visited.exitCode).toBe(2);
  for (const secret of [KEY, OTHER]) expect(visited.output).not.toContain(secret);
});

it('the right keys are fine, and a new one is not registered', async () => {
  const keys = ofLedger(known('second'), known('first'));
  const visited = await visitWith(keys, { DATABASE_URL: server.url, KEY, OTHER });
  expect(linesOf(visited, 'problem')).toEqual([]);
  expect(linesOf(visited, 'ok')).toContain(
    'ledger: the keys of its encryption are those that the ledger knows: second, first',
  );
  // `second` would otherwise be a key that the ledger knows.
  expect(
    linesOf(await visitWith(ofLedger(known('first')), { DATABASE_URL: server.url, KEY }), 'problem'),
  ).toEqual([]);
});

it('the embedded ledger is not opened for its keys, and the doctor says so', async () => {
  const visited = await visitWith(ofLedger(known('first')), { KEY });
  expect(linesOf(visited, 'unchecked').join('\n')).toContain('shows when Sluice starts');
  expect(linesOf(await visitWith(ofLedger(known('first')), {}), 'problem')).toEqual([
    expect.stringContaining('environment variable KEY is not set'),
  ]);
});
