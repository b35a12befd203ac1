// Pollers as operators see them: an empty ledger, hostile names, and pages.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { openTestOperator, type TestOperator } from '../../support/operator.ts';
import { testLedger } from '../../support/postgres/ledger.ts';

const CONFIG = `
version: 1
accounts: { acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: ["env:TOKEN"] } }
pollers: { main: { account: acme } }
`;

let dir: string;
let config: LoadedConfig;
let db: Database;
let operator: TestOperator;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-pollers-'));
  await writeFile(join(dir, 'sluice.yaml'), CONFIG);
  config = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_x' } });
});
afterAll(() => rm(dir, { recursive: true }));
beforeEach(async () => {
  db = await testLedger();
  operator = await openTestOperator({ db, temporal: null, config });
});
afterEach(() => operator.close());

const call: TestOperator['client']['call'] = (...args) => operator.client.call(...args);

describe('pollers', () => {
  it('are those of the configuration on an empty ledger, without a Temporal server', async () => {
    const { pollers } = await call('GET /pollers', {});
    expect(pollers).toMatchObject([{ poller: 'main', state: 'stopped', configured: true, startedAt: null }]);
    expect(await call('GET /gaps', { names: ['main'] })).toEqual({ gaps: [], next: null });
  });

  it.each(['mian', '', '__proto__', "main' or true --", 'acme/none'])(
    'with an unknown name are an error: "%s"',
    async (name) => {
      await expect(call('GET /pollers', { names: [name] })).rejects.toMatchObject({
        kind: name === '' ? 'invalid' : 'notFound',
      });
    },
  );

  it('list their gaps by page, each once', async () => {
    await db.query(
      `insert into poll_gaps (account, poller, conversation_id, code, reason)
       select case when n = 3 then 'other' else 'acme' end, 'main', n, 'UNREADABLE', 'of another shape' from generate_series(1, 6) n`,
    );
    await db.query(`insert into pollers (account, poller, run_id) values ('other', 'main', 'r')`);
    const seen: (number | null)[] = [];
    let before: string | undefined;
    do {
      const page = await call('GET /gaps', { names: ['acme/main'], limit: 2, before });
      seen.push(...page.gaps.map(({ conversation }) => conversation));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual([6, 5, 4, 2, 1]);
  });

  it.each(['stop', 'pause', 'resume'] as const)('are not for a viewer to %s', async (verb) => {
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call(`POST /pollers/{poller}/${verb}`, { poller: 'main' })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});
