// Campaigns at the operators' socket: members with what is personal of them, only as far as that is asked for.
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignPeople } from '../../../../src/contracts/wire/campaign-people.ts';
import { peopleOf } from '../../../../src/ledger/campaigns/campaign-roll.ts';
import { type Database, LedgerError } from '../../../../src/ledger/database.ts';
import {
  campaignEndpoints,
  connectCampaignSocket,
} from '../../../../src/runtime/operator/campaign-socket.ts';
import { openOperatorSocket } from '../../../../src/runtime/operator/operator-socket.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { campaignRows, PERSON, RUN, t } from '../../ledger/campaigns/campaign-rows.ts';

let db: Database;
let dir: string;
let opened: { close(): Promise<void> }[];
const logged: unknown[] = [];
const rows = campaignRows(() => db);
const CANARY = 'canary name';

beforeAll(async () => void (await testLedger()), 90_000);
beforeEach(async () => {
  db = await testLedger();
  dir = await mkdtemp(join(tmpdir(), 'sluice-socket-'));
  [opened, logged.length] = [[], 0];
});
afterEach(async () => {
  for (const each of opened.toReversed()) await each.close();
  await rm(dir, { recursive: true, force: true });
});

async function operatorSocket(people: Partial<CampaignPeople> = {}): Promise<string> {
  const made = await openOperatorSocket({
    folder: dir,
    endpoints: campaignEndpoints({ ...peopleOf(db), ...people }),
    log: { error: (...args: unknown[]) => void logged.push(args) },
  });
  opened.push(made);
  return made.path;
}

async function enter(people: Partial<CampaignPeople> = {}) {
  const client = connectCampaignSocket(await operatorSocket(people));
  opened.push(client);
  return client;
}

function raw(socketPath: string, path: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const req = httpRequest({ socketPath, path, method: 'POST' }, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk as Buffer);
      resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
    });
    req.once('error', reject);
    req.end(body);
  });
}

describe('members', () => {
  beforeEach(async () => {
    await rows.run();
    await rows.run('acme/+spring/2');
    await rows.member({ state: 'excluded', code: 'OPTED_OUT', wave: null, key: '5511987650009' });
    await rows.member({ variables: { name: CANARY }, touchedAt: t(0) });
    await rows.member({ state: 'failed', code: 'ERR_CONTACT_INVALID', key: '5511987650003' });
    await rows.member({ run: 'acme/+spring/2', key: '5511987650004' });
  });

  it('come in the order of their ids, those of other runs left out', async () => {
    const client = await enter();
    const all = await client.members({ run: RUN, after: 0, limit: 5 });
    expect(all.map(({ state }) => state)).toEqual(['excluded', 'triggered', 'failed']);
    expect(all[1]).toEqual({
      member: all[1]?.member,
      contact: null,
      card: null,
      part: 0,
      row: null,
      wave: 1,
      state: 'triggered',
      code: null,
      reason: null,
      ticket: null,
      triggeredAt: t(0).toISOString(),
      endedAt: null,
      deliveredAt: null,
      readAt: null,
      repliedAt: null,
      optedOutAt: null,
      movedAt: null,
      taggedAt: null,
      number: null,
      variables: null,
    });
    const [first, ...rest] = all;
    expect(await client.members({ run: RUN, after: first?.member ?? 0, limit: 1 })).toEqual(rest.slice(0, 1));
  });

  it('bring what is personal only where it is asked for', async () => {
    const socket = await operatorSocket();
    const ask = async (more: object) =>
      (await raw(socket, '/campaigns/members', JSON.stringify({ run: RUN, after: 0, limit: 9, ...more })))
        .text;
    expect(await ask({})).not.toMatch(new RegExp(`${CANARY}|${PERSON}`));
    expect(await ask({ numbers: true })).toContain(PERSON);
    expect(await ask({ numbers: true })).not.toContain(CANARY);
    expect(await ask({ variables: true })).toContain(CANARY);
  });

  it.each<[object, readonly string[]]>([
    [{ states: ['failed', 'excluded'] }, ['excluded', 'failed']],
    [{ codes: ['OPTED_OUT'] }, ['excluded']],
    [{ states: ['failed'], codes: ['OPTED_OUT'] }, []],
    [{ states: [] }, []],
  ])('%j', async (filter, states) => {
    const found = await (await enter()).members({ run: RUN, after: 0, limit: 9, ...filter });
    expect(found.map(({ state }) => state)).toEqual(states);
  });
});

it('a sample is of those that would be triggered, with their variables', async () => {
  await rows.run();
  await rows.member({ state: 'waiting', place: 2, key: '5511987650002', wave: null });
  await rows.member({ state: 'waiting', place: 1, variables: { name: CANARY }, wave: null });
  await rows.member({ state: 'holdout', key: '5511987650003', wave: null });
  expect(await (await enter()).sample({ run: RUN, limit: 5 })).toMatchObject([
    { number: PERSON, variables: { name: CANARY } },
    { number: '5511987650002', variables: {} },
  ]);
});

it('a run is found by its id, or as the newest of its campaign, with results as of now', async () => {
  await rows.run();
  await rows.member();
  await rows.message(await rows.conversation(), t(60));
  await rows.run('acme/+spring/2');
  await rows.run('other/+spring/1');
  const client = await enter();
  expect(await client.find({ run: RUN })).toMatchObject({ run: RUN, total: { replied: 1 } });
  expect(await client.find({ campaign: 'spring', account: 'acme' })).toMatchObject({ run: 'acme/+spring/2' });
  expect(await client.find({ campaign: 'autumn' })).toBeNull();
  expect(await client.find({ run: 'acme/+spring/9' })).toBeNull();
});

describe('the socket refuses', () => {
  it.each<[string, string, object | string, number, RegExp]>([
    ['a page that is too long', '/campaigns/members', { run: RUN, after: 0, limit: 5001 }, 400, /limit/],
    ['a page without an end', '/campaigns/members', { run: RUN, after: 0 }, 400, /limit/],
    [
      'a state that is none',
      '/campaigns/members',
      { run: RUN, after: 0, limit: 1, states: ['x'] },
      400,
      /states/,
    ],
    [
      'what it does not know',
      '/campaigns/members',
      { run: RUN, after: 0, limit: 1, names: true },
      400,
      /names/,
    ],
    ['a sample of thousands', '/campaigns/sample', { run: RUN, limit: 5000 }, 400, /limit/],
    ['a run and a campaign', '/campaigns/find', { run: RUN, campaign: 'spring' }, 400, /./],
    ['no JSON', '/campaigns/find', '{', 400, /not JSON/],
    ['a path of nobody', '/campaigns/all', {}, 404, /no such path/],
  ])('%s', async (_, path, body, status, error) => {
    const answer = await raw(
      await operatorSocket(),
      path,
      typeof body === 'string' ? body : JSON.stringify(body),
    );
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text).error).toMatch(error);
  });

  it.each<[string, Error, object]>([
    ['the ledger is away', new LedgerError(new Error('gone')), { name: 'NotAcceptedError', why: 'LEDGER' }],
    ['something breaks', new TypeError(`broken ${CANARY}`), { name: 'SocketError', why: 'failed' }],
  ])('while %s, and quotes nothing', async (_, problem, expected) => {
    const client = await enter({ find: () => Promise.reject(problem) });
    const failure = await client.find({ run: RUN }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject(expected);
    expect(String(failure)).not.toContain(CANARY);
    expect(JSON.stringify(logged)).not.toContain(CANARY);
  });
});
