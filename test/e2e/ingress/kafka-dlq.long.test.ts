// `sluice dlq` against dead letters that the Kafka ingress wrote: what operators see, and that a replay is one event.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { describeError } from '../../../src/cli/lib/describe-error.ts';
import { EXIT } from '../../../src/cli/lib/exit.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { freePort } from '../../../src/core/net/ports.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { registerDlq } from '../../../src/jobs/events/commands/dlq/dlq.ts';
import { readDeadLetters, TooMuchError } from '../../../src/jobs/events/ingress/kafka/index.ts';
import { openTestOperator } from '../../support/operator/operator.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { until } from '../../support/until.ts';
import { kafkaContext, PHONE_SCHEMA, realRoute, scriptedAcceptance, tagsRoute } from './kafka-context.ts';

const context = kafkaContext();
let dir: string;
let db: Database;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-dlq-'));
  db = await testLedger();
});
afterAll(() => rm(dir, { recursive: true }));

/** Runs a command in this process, as `sluice` would. */
async function sluice(file: string, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const into = (lines: string[]) => (text: unknown, done?: unknown) => {
    lines.push(String(text));
    if (typeof done === 'function') done();
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into(out) as never),
    vi.spyOn(process.stderr, 'write').mockImplementation(into(err) as never),
  ];
  const before = process.exitCode;
  const config = await loadConfig(file, { env: { TOKEN: 'svc_x' } });
  const operator = await openTestOperator({ db, temporal: null, config });
  try {
    const program = new Command('sluice').exitOverride();
    program.configureOutput({ writeOut: (text) => out.push(text), writeErr: (text) => err.push(text) });
    registerDlq(program, {});
    await program.parseAsync(['dlq', ...args, '--server', operator.server], { from: 'user' });
    return { stdout: out.join(''), stderr: err.join(''), exitCode: Number(process.exitCode ?? 0) };
  } catch (error) {
    const { message, exitCode } = describeError(error);
    return { stdout: out.join(''), stderr: `${err.join('')}${message ?? ''}`, exitCode };
  } finally {
    process.exitCode = before;
    await operator.close();
    for (const spy of spies) spy.mockRestore();
  }
}

const PHONE = '5511987654321';
const DIFFERENT = { type: 'object', required: ['name'] };

/** Five dead letters of three kinds, in a topic of their own, with a configuration that knows where. */
async function foundLetters() {
  const { leads, dead } = await context.topics({ leads: 2, dead: 2 });
  const group = randomUUID();
  await context.send(
    leads,
    [
      `{"phone": "${PHONE}", "name": "Maria`,
      ...[1, 2].map((n) => JSON.stringify({ phone: Number(PHONE), name: `Maria ${n}` })),
    ],
    {
      partition: 1,
      key: PHONE,
      headers: { 'X-From': 'maria@example.com', 'content-type': 'application/json' },
    },
  );
  await context.send(leads, [null, JSON.stringify({ phone: 'x' })]);
  const { ingress } = context.start(
    { group, deadLetters: dead },
    { routes: [realRoute(leads)], acceptance: scriptedAcceptance() },
  );
  await until('all are dead letters', async () => {
    const done = [context.committed(group, leads, 0), context.committed(group, leads, 1)];
    return (await Promise.all(done)).join() === '2,3';
  });
  await ingress.close();
  const file = join(dir, `${dead}.yaml`);
  const write = (schema: object, more: object = {}) =>
    writeFile(
      file,
      stringify({
        version: 1,
        accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:TOKEN'] } },
        ingress: {
          kafka: { bus: { brokers: context.broker().brokers, group, deadLetters: dead, ...more } },
        },
        routes: { leads: { ...tagsRoute(leads), schema } },
      }),
    );
  await write(PHONE_SCHEMA);
  const list = async (...args: string[]) => {
    const { stdout } = await sluice(file, 'list', '--json', ...args);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown> & { id: string; code: string });
  };
  return { leads, dead, file, write, list };
}

describe('dlq', () => {
  let made: Awaited<ReturnType<typeof foundLetters>>;
  // Each test leaves fewer open dead letters to the next.
  beforeEach(async () => {
    made ??= await foundLetters();
  });

  it('list: shows where each record stood and why it was refused, filters, and counts by code', async () => {
    const { stdout, stderr, exitCode } = await sluice(made.file, 'list');
    expect(exitCode).toBe(EXIT.ok);
    // The titles, and a line for each dead letter.
    expect(stdout.trim().split('\n')).toHaveLength(6);
    expect(stdout).toContain(`${made.leads}/1/0`);
    expect(stderr).toMatch(/5 open dead letters\n(?: .*\n)*\s+SCHEMA: 2\n/);
    expect(stdout + stderr).not.toMatch(/Maria|55119/);
    expect(await made.list('--code', 'SCHEMA')).toMatchObject([{ code: 'SCHEMA' }, { code: 'SCHEMA' }]);
    expect(await made.list('--since', '1h', '--route', 'leads', '--limit', '3')).toHaveLength(3);
    expect(await made.list('--route', 'other')).toEqual([]);
    expect(
      (await context.admin().listGroups()).groups.filter(({ groupId }) => groupId.includes('-dlq-')),
    ).toEqual([]);
  });

  it('show: hides what is personal, unless it is asked for', async () => {
    const [deadLetter] = await made.list('--code', 'SCHEMA');
    const { stdout } = await sluice(made.file, 'show', deadLetter?.id as string);
    expect(stdout).toContain('header content-type: application/json');
    expect(stdout).toContain('"name": "<text, ');
    expect(stdout).toMatch(/a replay now: refused .*\(as before\)\nnext: .*\n.*sluice dlq discard/);
    expect(stdout).toContain('account: acme');
    expect(stdout).not.toMatch(/Maria|maria|987654321/);
    const clear = await sluice(made.file, 'show', deadLetter?.id as string, '--unmasked', '--json');
    expect(JSON.parse(clear.stdout)).toMatchObject({
      key: PHONE,
      headers: { 'X-From': 'maria@example.com' },
      value: expect.stringContaining('Maria') as string,
    });
  });

  it.each([
    ['a dead letter that is not there', ['show', '0-999'], EXIT.notFound],
    ['what is no id', ['show', '17'], EXIT.usage],
    ['nothing chosen', ['replay'], EXIT.usage],
    ['filters without --yes', ['replay', '--code', 'SCHEMA'], EXIT.usage],
    ['ids and filters', ['discard', '0-0', '--code', 'SCHEMA', '--reason', 'x'], EXIT.usage],
    ['no reason', ['discard', '0-0'], EXIT.usage],
    ['a discard without --yes', ['discard', '0-0', '--reason', 'x'], EXIT.usage],
    ['a time that is none', ['list', '--since', 'tomorrow'], EXIT.usage],
    ['a cluster that is not configured', ['list', '--cluster', 'other'], EXIT.notFound],
  ])('refuses %s', async (_what, args, exitCode) => {
    expect(await sluice(made.file, ...args)).toMatchObject({ exitCode, stdout: '' });
  });

  it('replay --dry-run: shows the outcome of each dead letter and sends nothing', async () => {
    await made.write(DIFFERENT);
    const { stdout, exitCode } = await sluice(made.file, 'replay', '--dry-run');
    expect(exitCode).toBe(EXIT.ok);
    expect(stdout).toMatch(/refused BAD_JSON: .* \(as before\)/);
    expect(stdout).toMatch(/- refused SCHEMA: .*\n\+ accepted as tags\n/);
    expect(stdout).toContain('"number": "+55 11 9••••-4321"');
    expect(stdout).not.toMatch(/Maria|987654321/);
    expect(await made.list()).toHaveLength(5);
    expect(await context.read(made.leads)).toHaveLength(5);
  });

  it('replay: produces each record again beside its neighbours; cut off before its mark and repeated it is one event', async () => {
    const [one, two] = (await made.list('--code', 'SCHEMA')).map(({ id }) => id) as [string, string];
    const { stdout, exitCode } = await sluice(made.file, 'replay', one, '--rate', '6000');
    expect({ stdout, exitCode }).toEqual({ stdout: '1 replayed\n', exitCode: EXIT.ok });
    // What a replay that was cut off leaves behind: the record stands in its topic, and nothing marks the dead letter.
    const cut = (await context.read(made.leads)).at(-1);
    expect(cut).toMatchObject({ partition: 1, key: PHONE, headers: { 'X-From': 'maria@example.com' } });
    await context.send(made.leads, [cut?.value ?? ''], {
      partition: 1,
      key: PHONE,
      headers: { ...cut?.headers },
    });
    await sluice(made.file, 'replay', '--code', 'SCHEMA', '--yes', '--rate', '6000');

    const acceptance = scriptedAcceptance();
    context.start({ deadLetters: made.dead }, { routes: [realRoute(made.leads, DIFFERENT)], acceptance });
    // The two as they came at first, the two replays, and the one that came twice.
    await until('all is read', () => acceptance.accepted.length === 5);
    expect(acceptance.known.size).toBe(2);

    expect((await made.list('--all')).filter(({ resolution }) => resolution !== null)).toMatchObject([
      { id: one, resolution: { how: 'replayed', by: expect.stringMatching(/./) as string } },
      { id: two, resolution: { how: 'replayed' } },
    ]);
    expect(await sluice(made.file, 'replay', one)).toMatchObject({ exitCode: EXIT.conflict });
  });

  it('discard: removes dead letters from the list and records who and why', async () => {
    const open = await made.list();
    const reason = 'test data';
    const { exitCode } = await sluice(made.file, 'discard', '--limit', '99', '--yes', '--reason', reason);
    expect(exitCode).toBe(EXIT.ok);
    expect(await made.list()).toEqual([]);
    const discarded = (await made.list('--all')).filter(({ id }) =>
      open.some((deadLetter) => deadLetter.id === id),
    );
    expect(discarded.map(({ resolution }) => resolution)).toEqual(
      open.map(() => expect.objectContaining({ how: 'discarded', reason }) as object),
    );
    const broken = open.find(({ code }) => code === 'BAD_JSON');
    const { stdout } = await sluice(made.file, 'show', broken?.id as string, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      resolution: { reason },
      value: '(41 bytes that are no JSON)',
    });
  });

  it('fails when the selected dead letters exceed the memory limit', async () => {
    const { dead } = await context.topics({ dead: 1 });
    const headers = { 'sluice-origin-topic': 'leads', 'sluice-origin-offset': '1' };
    await context.send(dead, ['12345', '12345'], { headers });
    const read = readDeadLetters({
      access: {
        connection: { brokers: context.broker().brokers, tls: false },
        log: { debug: () => {} },
      },
      topic: dead,
      group: 'g',
      mostBytes: 9,
      keepValue: () => 'open',
      progress: () => {},
      signal: new AbortController().signal,
    });
    await expect(read).rejects.toBeInstanceOf(TooMuchError);
  });

  it('distinguishes a missing topic from unavailable brokers', async () => {
    await made.write(DIFFERENT, { deadLetters: 'nowhere' });
    expect(await sluice(made.file, 'list')).toMatchObject({
      exitCode: EXIT.notFound,
      stderr: expect.stringContaining('"nowhere"') as string,
    });
    await made.write(DIFFERENT, { brokers: [`127.0.0.1:${await freePort()}`] });
    expect(await sluice(made.file, 'list')).toMatchObject({ exitCode: EXIT.unavailable });
  });
});
