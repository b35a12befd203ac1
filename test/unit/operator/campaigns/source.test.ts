// A campaign is written into sluice.yaml: comments stay, nothing invalid is written, and no edit of another is lost.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load.ts';
import { openTestOperator, type TestOperator } from '../../../support/operator.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';

const FILE = `# Who we write to.
version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:TOKEN], timeZone: America/Sao_Paulo } # production
campaigns:
  # The old one.
  spring:
    account: acme
    flow: 1 # reactivation
    connection: 1
    audience: [{ from: contacts, tags: [lead] }]
    windows: { days: { mon: ["09:00-18:00"] } }
`;
const NEW = `account: acme
flow: 2 # autumn
connection: 1
audience: [{ from: contacts, tags: [lead] }]
windows: { days: { tue: ["09:00-18:00"] } }
`;

let dir: string;
let operator: TestOperator;
const file = () => join(dir, 'sluice.yaml');
const read = (campaign: string) => operator.client.call('GET /campaigns/{campaign}/source', { campaign });
const write = (campaign: string, yaml: string, hash: string) =>
  operator.client.call('PUT /campaigns/{campaign}/source', { campaign, yaml, hash });

beforeAll(async () => void (await testLedger()), 90_000);
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-source-'));
  await writeFile(file(), FILE);
  const config = await loadConfig(file(), { env: { TOKEN: 'svc_test_canary' } });
  operator = await openTestOperator({ db: await testLedger(), temporal: null, config });
});
afterEach(async () => {
  await operator.close();
  await rm(dir, { recursive: true, force: true });
});

it('a new campaign is added, comments stay, and the next plan sees it', async () => {
  const { yaml, hash } = await read('autumn');
  expect(yaml).toBeNull();
  await write('autumn', NEW, hash);
  const text = await readFile(file(), 'utf8');
  for (const comment of [
    '# Who we write to.',
    '# production',
    '# The old one.',
    '# reactivation',
    '# autumn',
  ])
    expect(text).toContain(comment);
  expect(operator.config().campaign('autumn').config.flow).toBe(2);
  expect((await read('autumn')).yaml).toContain('flow: 2 # autumn');
});

it('an edit replaces the campaign alone', async () => {
  const { yaml, hash } = await read('spring');
  await write('spring', (yaml ?? '').replace('flow: 1', 'flow: 9'), hash);
  expect(operator.config().campaign('spring').config.flow).toBe(9);
  const text = await readFile(file(), 'utf8');
  expect(text).toContain('flow: 9 # reactivation');
  expect(text.split('\n').slice(0, 3)).toEqual(FILE.split('\n').slice(0, 3));
});

describe('nothing is written', () => {
  afterEach(async () => expect((await readFile(file(), 'utf8')).replace('# changed\n', '')).toBe(FILE));

  it.each<[string, string, string, object]>([
    [
      'that the schema refuses',
      'autumn',
      NEW.replace('connection: 1', 'connection: none'),
      { kind: 'invalid' },
    ],
    ['of an unknown account', 'autumn', NEW.replace('acme', 'nobody'), { kind: 'invalid', code: 'CONFIG' }],
    ['that is no YAML', 'autumn', 'flow: [', { kind: 'invalid', code: 'YAML' }],
    ['that is no mapping', 'autumn', '- 1', { kind: 'invalid', code: 'YAML' }],
    ['under a name that is none', '__proto__', NEW, { kind: 'invalid', code: 'INPUT' }],
    ['under a path', '../x', NEW, { kind: 'invalid', code: 'INPUT' }],
  ])('%s', async (_, name, yaml, refusal) => {
    const { hash } = await read('spring');
    await expect(write(name, yaml, hash)).rejects.toMatchObject(refusal);
  });

  it('over a change of somebody else', async () => {
    const { hash } = await read('spring');
    await writeFile(file(), `${FILE}# changed\n`);
    await expect(write('autumn', NEW, hash)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'CONFIG_CHANGED',
    });
  });

  it('by anybody but an admin', async () => {
    const { hash } = await read('spring');
    const approver = operator.as({ role: 'approver' });
    await expect(
      approver.call('PUT /campaigns/{campaign}/source', { campaign: 'autumn', yaml: NEW, hash }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
