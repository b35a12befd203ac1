// Pollers and conversations as operators see them: an empty ledger, hostile names, pages and masks.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/ledger/database.ts';
import { openTestOperator, type TestOperator } from '../../support/operator.ts';
import { testLedger } from '../../support/postgres/ledger.ts';

const CONFIG = `
version: 1
accounts: { acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: ["env:TOKEN"] } }
pollers: { main: { account: acme } }
`;
const NUMBER = '5511987654321';
const NAME = '<script>alert(1)</script>';

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

/** Conversations that changed one second after another. */
async function conversations(count: number): Promise<void> {
  await db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item)
     select 'acme', n, 'main', 1, 'waba', $1, '2026-11-20T10:00:00Z'::timestamptz + n * interval '1 second', 'f',
            jsonb_build_object('lastMessage', 'canary text', 'state', jsonb_build_object(
              'id', n, 'status', case when n % 2 = 0 then 'open' else 'closed' end, 'chatbot', false, 'queueId', null,
              'userId', 7, 'contact', jsonb_build_object('id', n, 'name', $2::text, 'number', $1::text),
              'connection', jsonb_build_object('id', 1, 'name', 'main', 'channel', 'waba')))
       from generate_series(1, $3::int) n`,
    [NUMBER, NAME, count],
  );
}

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

describe('conversations', () => {
  it('come most recently changed first, each once', async () => {
    await conversations(5);
    const seen: number[] = [];
    let before: string | undefined;
    do {
      const page = await call('GET /conversations', { limit: 2, before });
      seen.push(...page.conversations.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual([5, 4, 3, 2, 1]);
    const open = await call('GET /conversations', { status: 'open', account: 'acme' });
    expect(open.conversations.map(({ id }) => id)).toEqual([4, 2]);
  });

  it('hide who writes and what, unless an operator asks', async () => {
    await conversations(1);
    await db.query(
      `insert into messages (account, conversation_id, key, item, place)
       values ('acme', 1, 'id:1', '{"key":"id:1","body":"canary text","fromMe":false,"at":"2026-11-20T10:00:00.000Z","status":null}', 0)`,
    );
    const one = { account: 'acme', conversation: 1 };
    const masked = JSON.stringify([
      await call('GET /conversations', {}),
      await call('GET /conversations/{account}/{conversation}', one),
    ]);
    for (const personal of [NUMBER, NAME, 'canary text']) expect(masked).not.toContain(personal);
    const open = await call('GET /conversations/{account}/{conversation}', { ...one, unmask: true });
    expect(open).toMatchObject({ name: NAME, number: NUMBER, messages: [{ text: 'canary text' }] });
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call('GET /conversations', { unmask: true })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  it.each(['1', 'x_1_acme', "2026-11-20T10:00:00.000Z_1'_acme"])('refuse the cursor %s', async (before) => {
    await expect(call('GET /conversations', { before })).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('that nobody knows is not found', async () => {
    const none = { account: 'acme', conversation: 404 };
    await expect(call('GET /conversations/{account}/{conversation}', none)).rejects.toMatchObject({
      kind: 'notFound',
    });
  });
});
