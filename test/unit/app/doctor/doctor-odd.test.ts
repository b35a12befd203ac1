// `sluice doctor` on what is odd but no problem, on clocks and history fields, and as a command.
import { describe, expect, it } from 'vitest';
import { examine } from '../../../../src/app/doctor/index.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { acquireFolderLock } from '../../../../src/core/lock/folder-lock.ts';
import { type Case, CSV, clinics, linesOf, MAPPING, PERSON, PHONE, patient } from './clinic.ts';

const { clinic, open } = clinics();
const mapping = (over: Record<string, unknown>) => ({ ...MAPPING, ...over });
const card = (over: Record<string, unknown>) => mapping({ card: { ...MAPPING.card, ...over } });

describe('what is odd but no problem', () => {
  const WARNINGS: Case[] = [
    [
      'fewer calls than configured',
      { sandbox: { rate: 60 } },
      0,
      ['callsPerMinute is 120, yet the service allows 60'],
    ],
    ['no stage', { mapping: card({ stage: undefined }) }, 0, ['is in no column of the board']],
    [
      'a connection that is down',
      {
        account: patient({ connections: [{ id: 1, name: 'main', channel: 'waba', status: 'DISCONNECTED' }] }),
      },
      0,
      ['is DISCONNECTED'],
    ],
    [
      'validation where waba never blocks',
      { sync: { validateNumber: true } },
      0,
      ['validateNumber has no effect'],
    ],
    ['a source without rows', { csv: 'Phone,Name,Segment,Status\n' }, 0, ['has no rows']],
    [
      'an assumed parameter that the service ignores',
      {
        config: {
          assumptions: { 'cards.titleSearchParam': 'title', 'cards.sortDirectionParam': 'direction' },
        },
      },
      0,
      ['"title" is ignored: a title that no card has finds 2', '"direction" is ignored'],
    ],
  ];

  it.each(WARNINGS)('%s', async (_name, options, exitCode, says) => {
    const visited = await (await clinic(options)).visit();
    const warnings = linesOf(visited, 'warning').join('\n');
    for (const text of says) expect(warnings).toContain(text);
    expect(linesOf(visited, 'problem')).toEqual([]);
    expect(visited.exitCode).toBe(exitCode);
  });

  it('wrapper keys of another name are found by themselves', async () => {
    const choices = {
      wrappers: {
        tags: 'data',
        card: 'record',
        pipelines: 'funnels',
        lostReasons: 'data',
        updatedContact: 'contact',
      },
    };
    const ok = linesOf(await (await clinic({ sandbox: { choices } })).visit(), 'ok');
    expect(ok).toContain('wrapper.tags: under "data", which is found by itself');
    expect(ok).toContain('wrapper.card: under "record", which is found by itself');
  });

  it('an account with nothing in it yet: what it could not check is said, and nothing is wrong', async () => {
    const account = patient({ cards: [], conversations: [], contacts: [] });
    const visited = await (await clinic({ account })).visit();
    expect(visited.exitCode).toBe(0);
    const open = linesOf(visited, 'unchecked').join('\n');
    for (const text of [
      'wrapper.card: there is no card',
      'message.idField: there is no conversation',
      '7: origins have no listing',
    ])
      expect(open).toContain(text);
    expect(linesOf(visited, 'ok').join('\n')).toContain('messages:read');
  });

  it('a token whose calls are used up is asked no further', async () => {
    const context = await clinic({ sandbox: { rate: 3 } });
    const visited = await context.visit();
    expect(linesOf(visited, 'problem')).toEqual([]);
    const refused = (await context.requests()).filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(linesOf(visited, 'warning').join('\n')).toMatch(/used up \(429\); ask again in \d+ s/);
  });
});

describe('the clock', () => {
  it.each([
    [0, 'ok'],
    [-30, 'warning'],
    [30, 'warning'],
    [600, 'problem'],
    [-600, 'problem'],
  ])('%i s off is %s', async (seconds, level) => {
    const context = await clinic();
    const config = await loadConfig(context.file, { env: context.env });
    const now = () => Date.now() + seconds * 1000;
    const [group] = await examine({ config, accounts: ['acme'], env: context.env, state: context.dir, now });
    expect(group?.findings.find(({ check }) => check === 'clock')?.level).toBe(level);
  });
});

describe('history fields of another service', () => {
  it('are distinguished from each other by what they hold, and the lines to write are named', async () => {
    const context = await clinic();
    const item = (n: number) => ({
      wid: `w${n}`,
      text: `private ${n}`,
      outgoing: n > 1,
      sentAt: `2026-11-0${n}T10:00:00Z`,
    });
    const body = { requestId: 'r', count: 2, hasMore: false, messages: [item(1), item(2)] };
    await context.panel.fault({ path: '/messages$', kind: 'status', status: 200, body });
    const visited = await context.visit();
    expect(linesOf(visited, 'problem').map((line) => /\{ .* \}/.exec(line)?.[0])).toEqual([
      "{ 'message.bodyField': text }",
      "{ 'message.fromMeField': outgoing }",
      "{ 'message.timeField': sentAt }",
    ]);
    expect(linesOf(visited, 'warning').join()).toContain("{ 'message.idField': wid }");
    expect(visited.output).not.toContain('private');
  });
});

describe('the command', () => {
  it('checks one account when asked to, and refuses a name that there is not', async () => {
    const context = await clinic();
    expect((await context.visit(['--account', 'acme'])).exitCode).toBe(0);
    const wrong = await context.visit(['--account', 'acne']);
    expect(wrong.exitCode).toBe(3);
    expect(wrong.output).toContain('did you mean "acme"?');
  });

  it('says which process uses the embedded ledger, and leaves it alone', async () => {
    const context = await clinic();
    const lock = await acquireFolderLock(`${context.dir}/state`, { command: 'sluice dev' });
    open.push({ close: () => lock.release() });
    expect(linesOf(await context.visit(), 'ok').join('\n')).toContain(
      `in use by process ${process.pid} (sluice dev,`,
    );
  });

  it('a file whose first line is a person does not show that person', async () => {
    const csv = CSV.split('\n').slice(1).join('\n');
    const visited = await (await clinic({ csv: `${csv}${csv}` })).visit();
    expect(visited.exitCode).toBe(2);
    expect(visited.output).toContain('looks like a row, not a header');
    for (const secret of [PHONE, PERSON]) expect(visited.output).not.toContain(secret);
  });
});
