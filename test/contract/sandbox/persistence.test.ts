// What was acknowledged survives the death of the process; the command line of the sandbox, as a real process.
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';
import { type Child, runModule } from '../../support/runner/child.ts';
import { ALL, fixture, openContext } from './context.ts';

let dist: string;
let dir: string;
const children: Child[] = [];
beforeAll(async () => {
  dist = await buildOnce();
});
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-sandbox-cli-'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await rm(dir, { recursive: true, force: true });
});

function sluice(...args: string[]): Child {
  const child = runModule(`
    import { Command } from 'commander';
    import { registerSandbox } from '${dist}/src/cli/sandbox.js';
    const program = new Command().exitOverride();
    registerSandbox(program);
    try {
      await program.parseAsync(${JSON.stringify(['node', 'sluice', 'sandbox', ...args])});
    } catch (error) {
      console.error(error.message);
      process.exitCode = error.exitCode ?? 1;
    }`);
  children.push(child);
  return child;
}

async function started(...args: string[]): Promise<{ child: Child; baseUrl: string; panelUrl: string }> {
  const child = sluice('--data', join(dir, 'data'), '--rate', '0', ...args);
  return { child, ...JSON.parse(await child.line()) };
}

const withFixture = async (content: string, name = 'fixture.json') => {
  await writeFile(join(dir, name), content);
  return ['--fixture', join(dir, name)];
};

describe('kill -9', () => {
  it('in a stream of writes loses nothing that was acknowledged, and makes nothing twice', async () => {
    const args = await withFixture(JSON.stringify(fixture()));
    const acknowledged = new Map<string, number>();
    let next = 0;
    for (let round = 0; round < 3; round += 1) {
      const { child, baseUrl } = await started(...args);
      const before = acknowledged.size;
      const writer = async () => {
        for (;;) {
          next += 1;
          const number = `5531${String(next).padStart(8, '0')}`;
          const got = await request(`${baseUrl}/v1/contacts`, {
            method: 'POST',
            headers: { authorization: `Bearer ${ALL}`, 'content-type': 'application/json' },
            body: JSON.stringify({ number, extraInfo: [{ name: 'n', value: number }] }),
          });
          const { contact } = (await got.body.json()) as { contact: { id: number } };
          acknowledged.set(number, contact.id);
          if (acknowledged.size === before + 100) void child.kill();
        }
      };
      await Promise.allSettled([writer(), writer(), writer(), writer()]);
      await child.kill();
    }
    const { panelUrl } = await started(...args);
    const acme = (await (await request(`${panelUrl}/accounts/acme`)).body.json()) as {
      contacts: { id: number; number: string; extraInfo: { value: string }[] }[];
    };
    const mine = acme.contacts.filter((contact) => contact.number.startsWith('5531'));
    const blocked = new Map(mine.map((contact) => [contact.number, contact.id]));
    expect(blocked.size).toBe(mine.length);
    for (const [number, id] of acknowledged) expect(blocked.get(number)).toBe(id);
    for (const contact of mine) expect(contact.extraInfo[0]?.value).toBe(contact.number);
    const log = (await (await request(`${panelUrl}/requests`)).body.json()) as {
      requests: { seq: number; status: number }[];
    };
    expect(log.requests.map((row) => row.seq)).toEqual(log.requests.map((_, index) => index + 1));
    expect(log.requests.length).toBeGreaterThanOrEqual(acknowledged.size);
  });

  it('in a stream of messages and webhook calls keeps each once: sent, answered 202, processed', async () => {
    const state = fixture();
    const hook = {
      hash: 'h',
      action: 'create_opportunity',
      pipelineId: 1,
      fieldMapping: { phone: 'phone', title: 'id' },
    };
    const acme = { ...state.accounts[0], webhooks: [hook] };
    const args = await withFixture(JSON.stringify({ accounts: [acme] }));
    const { child, baseUrl } = await started(...args);
    const messages: string[] = [];
    const events: string[] = [];
    let next = 0;
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const headers = { authorization: `Bearer ${ALL}`, 'content-type': 'application/json' };
      const got = await request(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await got.body.json()) as Record<string, unknown>;
    };
    const sender = async () => {
      for (;;) {
        const answer = await post('/v1/messages/send', { number: `55318${next++ % 10}000000`, body: 'x' });
        messages.push((answer['messages'] as { id: string }[])[0]!.id);
        if (messages.length + events.length === 120) void child.kill();
      }
    };
    const caller = async () => {
      for (;;) {
        const id = `e${next++}`;
        await post('/hooks/h', { phone: '5511955556666', id, event_id: id });
        events.push(id);
        if (messages.length + events.length === 120) void child.kill();
      }
    };
    await Promise.allSettled([sender(), sender(), caller(), caller()]);
    await child.kill();
    const { panelUrl } = await started(...args);
    const read = async (path: string) => (await (await request(`${panelUrl}${path}`)).body.json()) as never;
    const { calls }: { calls: { idempotencyKey: string; result: { status: string } }[] } =
      await read('/webhooks/h/history');
    const blocked: {
      conversations: { contactId: number; messages: { id: string }[] }[];
      cards: { title: string }[];
    } = await read('/accounts/acme');
    const ids = blocked.conversations.flatMap((row) => row.messages.map((message) => message.id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(messages));
    expect(new Set(blocked.conversations.map((row) => row.contactId)).size).toBe(
      blocked.conversations.length,
    );
    expect(calls.filter((call) => call.result.status !== 'done')).toEqual([]);
    const titles = blocked.cards.slice(1).map((card) => card.title);
    expect(titles.toSorted()).toEqual(calls.map((call) => call.idempotencyKey).toSorted());
    expect(titles).toEqual(expect.arrayContaining(events));
    expect(Math.min(messages.length, events.length)).toBeGreaterThan(0);
  });
});

describe('the files', () => {
  it('a torn last line is cut off; damage before another line is refused by line', async () => {
    const context = await openContext();
    try {
      await context.call('POST', '/v1/contacts', { body: { number: '5511922223333' } });
      const journal = join(context.dataDir, 'journal.jsonl');
      const whole = await readFile(journal, 'utf8');
      await appendFile(journal, '[["contact","acme",{"id":77');
      await appendFile(join(context.dataDir, 'requests.jsonl'), '{"seq":2,"at"');
      await context.restart();
      expect(await readFile(journal, 'utf8')).toBe(whole);
      expect((await context.call('GET', '/v1/contacts?number=5511922223333')).json.count).toBe(1);
      expect((await context.panel('GET', '/requests?since=1')).json.requests).toHaveLength(1);
      await appendFile(journal, '[["conta\n[]\n');
      await expect(context.restart()).rejects.toMatchObject({
        name: 'JournalDamaged',
        line: whole.split('\n').length,
      });
      await writeFile(journal, whole);
      await context.restart().catch(() => undefined);
    } finally {
      await context.close();
    }
  });

  it('a fixture is applied once; another one is left alone and said so', async () => {
    const said: string[] = [];
    const context = await openContext({ warn: (message) => said.push(message) });
    try {
      await context.call('PUT', '/v1/contacts/1', { body: { name: 'Changed' } });
      await context.restart();
      expect(said).toEqual([]);
      await context.restart({ fixture: { accounts: [{ id: 'third' }] } });
      expect(said.join()).toContain('another fixture');
      expect((await context.call('GET', '/v1/contacts/1')).json.contact.name).toBe('Changed');
      expect((await context.panel('GET', '/accounts/third')).status).toBe(404);
    } finally {
      await context.close();
    }
  });
});

describe('sluice sandbox', () => {
  it('prints one JSON line, serves a YAML fixture, and ends with 0 on SIGTERM though a request hangs', async () => {
    const yaml = 'accounts:\n  - id: acme\n    tokens: [{ value: svc_test_all }]   # a comment\n';
    const { child, baseUrl, panelUrl } = await started(...(await withFixture(yaml, 'fixture.yaml')));
    expect([baseUrl, panelUrl]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/wapi$/),
      baseUrl.replace(/wapi$/, 'panel'),
    ]);
    const headers = { authorization: 'Bearer svc_test_all' };
    const got = await request(`${baseUrl}/v1/tags`, { headers });
    expect([got.statusCode, got.headers['x-ratelimit-limit']]).toEqual([200, '1000000000']);
    await got.body.dump();
    await request(`${panelUrl}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"hang"}',
    }).then((answer) => answer.body.dump());
    const hanging = expect(request(`${baseUrl}/v1/tags`, { headers })).rejects.toThrow();
    await expect
      .poll(
        async () =>
          ((await (await request(`${panelUrl}/requests`)).body.json()) as { requests: [] }).requests.length,
      )
      .toBe(2);
    child.process.kill('SIGTERM');
    expect(await child.ended()).toEqual({ code: 0, signal: null });
    await hanging;
  });

  it.each([
    [
      'a fixture with an unknown key',
      '{"accounts":[{"id":"a","tokens":[{"value":"x","scope":[]}]}]}',
      'accounts[0].tokens[0].scope',
    ],
    ['a fixture that is no text of either kind', '{"accounts": [', 'neither JSON nor YAML'],
  ])('%s ends with 2 and says where', async (_name, content, where) => {
    const child = sluice('--data', join(dir, 'data'), ...(await withFixture(content)));
    expect((await child.ended()).code).toBe(2);
    expect(child.stderr()).toContain(where);
  });

  it('a missing fixture ends with 3, a folder in use with 5', async () => {
    const missing = sluice('--data', join(dir, 'data'), '--fixture', join(dir, 'none.json'));
    expect((await missing.ended()).code).toBe(3);
    await started();
    const second = sluice('--data', join(dir, 'data'));
    expect((await second.ended()).code).toBe(5);
    expect(second.stderr()).toContain('in use');
  });
});
