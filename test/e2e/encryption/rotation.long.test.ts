// Encryption is turned on, and the keys of Temporal and of the ledger are rotated, while a sync, events and a poller work:
// first the new keys are added, then they come first, then the old ones go. What the service logged is compared with the ledger.
import { readFile } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { afterAll, expect, it } from 'vitest';
import { ENCRYPTED_COLUMNS } from '../../../src/core/encryption/columns.ts';
import { crmSyncWorkflowId, outboxWorkflowId, pollingIdentity, WORK_QUEUE } from '../../../src/core/ids.ts';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import { effects } from '../../support/panel.ts';
import {
  abortedIn,
  balanceOf,
  counted,
  twiceIn,
  unknownIn,
  unloggedCalls,
} from '../../support/service-balance.ts';
import { HEADER, plainRow } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';
import { NEW, numberOfEvent, OLD, openRotation, type Rotation, startLoad } from './rotation-context.ts';

/** In the sync during the rotation. It must last longer than nine restarts. */
const PEOPLE = 600;
/** In the sync that starts without the old keys. */
const LATE = 60;
const CUSTOMERS = Array.from({ length: 20 }, (_, n) => `1415557${2000 + n}`);
/** Between two events, and between two messages of customers. */
const EVERY_MS = 1000;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => plainRow(from + n, 'New'));
const csv = (from: number, count: number) => HEADER + rows(from, count).join('');

it('encryption turned on and rotated under load loses no call and doubles none, and then the old keys may go', {
  timeout: 540_000,
}, async () => {
  const context = await openRotation(
    { syncs: { leads: csv(0, PEOPLE), late: csv(PEOPLE, LATE) }, customers: CUSTOMERS },
    ends,
  );
  const { db, panel, clientWith, sluice } = context;
  const cards = async () => effects(await panel.requests(), 'POST', /cards$/).length;
  await context.configure([]);
  await context.restart();
  await sluice('sync', 'schedule', 'apply');
  await sluice('poll', 'start');
  await until('what comes from now on is news', async () => {
    return (await db.query('select 1 from pollers where complete_at is not null')).length === 1;
  });
  const workflowId = crmSyncWorkflowId('acme', 'leads');
  await clientWith().workflow.start<typeof crmSync>('crmSync', {
    workflowId,
    taskQueue: WORK_QUEUE,
    args: [{ account: 'acme', sync: 'leads' }],
  });
  const load = startLoad(context, CUSTOMERS, EVERY_MS);
  ends.push(() => load.stop());
  await until('cards are created', async () => (await cards()) > 5);
  await context.stopAll();
  await context.configure([OLD]);
  await context.restart();
  const unencrypted = await cards();
  await until('calls go on with keys', async () => (await cards()) > unencrypted);

  for (const keys of [
    [OLD, NEW],
    [NEW, OLD],
  ] as const) {
    await context.configure(keys);
    await context.restart();
    const before = await cards();
    await until('calls go on', async () => (await cards()) > before);
  }
  const rotatedAt = new Date();
  // The sync is in progress, so its plan has values of the old key.
  expect(await cards()).toBeLessThan(PEOPLE);
  await context.configure([NEW, OLD], [NEW]);
  await expect(context.start('worker')).rejects.toThrow(
    `key "${OLD}", which ledger.encryption.keys does not list`,
  );

  const report = await clientWith(NEW, OLD).workflow.getHandle<typeof crmSync>(workflowId).result();
  expect(report).toMatchObject({ read: PEOPLE, created: PEOPLE, cards: PEOPLE, failed: 0, unknown: 0 });
  await context.configure([NEW, OLD]);
  await context.restart();
  await until('every value has the new key', async () => {
    const complete =
      "select 1 from retention where kind = 'encryption' and position = $1 and claimed_by is null";
    return (await db.query(complete, [NEW])).length === 1;
  });
  // The old key is forgotten only by a pass a day later that finds nothing.
  await db.query("update retention set ended_at = now() - interval '1 day' where kind = 'encryption'");
  await context.restart();
  await until('the ledger needs only the new key', async () => {
    const known = await db.query<{ id: string }>('select id from encryption_keys');
    return known.length === 1 && known[0]?.id === NEW;
  });
  await renewWorkflows(context, load);
  await until('no workflow needs the old key', async () => (await context.openSince(rotatedAt)).length === 0);

  await context.configure([NEW]);
  await sluice('sync', 'schedule', 'trigger', 'late');
  await context.restart();
  await until('the scheduled sync has ended', async () => {
    const ended = "select 1 from runs where sync = 'late' and finished_at is not null";
    return (await db.query(ended)).length === 1;
  });
  await load.stop();
  await finishWork(context, load);
  for (const { process } of context.fleet) await process?.stop();

  for (const id of [
    crmSyncWorkflowId('acme', 'late'),
    pollingIdentity({ account: 'acme', poller: 'inbox' }).workflowId,
  ])
    expect([id, await keysIn(context, id)]).toEqual([id, [NEW]]);
  for (const { table, column, shape } of ENCRYPTED_COLUMNS) {
    const outdated = `select 1 from ${table} t where ${shape.isOutdated(`t.${column}`, '$1::text')}`;
    expect([table, column, (await db.query(outdated, [NEW])).length]).toEqual([table, column, 0]);
  }
  expect(context.log()).not.toMatch(/UnknownEncryptionKey|UnknownLedgerKey|Damaged/);
  await compare(context, load);
});

type Load = ReturnType<typeof startLoad>;

/** What an operator does before the old key goes: histories of schedules, pollers and sinks begin with the new one. */
async function renewWorkflows({ sluice, db, temporal }: Rotation, load: Load): Promise<void> {
  expect(await sluice('sync', 'schedule', 'apply')).toMatch(/updated/);
  await sluice('poll', 'stop', 'inbox');
  await sluice('poll', 'start', 'inbox');
  // In production, the workflow of a sink begins again by itself within three days.
  load.quiet(true);
  const outbox = temporal.client.workflow.getHandle(outboxWorkflowId('file'));
  await until('the workflow of the sink is idle', async () => {
    const waiting = await db.query('select 1 from outbox');
    return waiting.length === 0 && !(await outbox.describe()).raw.pendingActivities?.length;
  });
  await outbox.terminate('the key is rotated');
  load.quiet(false);
}

async function finishWork({ db, sluice, published }: Rotation, load: Load): Promise<void> {
  await until('all events have ended', async () => {
    return (await db.query("select 1 from events where state <> 'ended'")).length === 0;
  });
  await until('all messages are published', async () => {
    const ids = new Set(await messagesIn(published));
    return load.messages.every((id) => ids.has(id));
  });
  await sluice('poll', 'pause', 'inbox');
}

/** Ids of the messages in the sink's file, in its order. */
async function messagesIn(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { type: string; data: { message: { id: string } } });
  return events.filter(({ type }) => type === 'message.received').map(({ data }) => data.message.id);
}

/** The keys that payloads of a history have. */
async function keysIn({ temporal }: Rotation, workflowId: string): Promise<string[]> {
  const history = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const bytes = Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish());
  return [OLD, NEW].filter((id) => bytes.includes(id));
}

/** Compares what the service has and logged with the ledger, and prints the figures. */
async function compare({ db, panel, published, restarts }: Rotation, load: Load): Promise<void> {
  const requests = await panel.requests();
  expect(await unloggedCalls(db, requests)).toEqual([]);
  const expected = [
    ...Array.from({ length: PEOPLE + LATE }, (_, n) => `1415555${2000 + n}`),
    ...Array.from({ length: load.counts.events }, (_, n) => numberOfEvent(n).replaceAll(/\D/g, '')),
  ];
  const service = await panel.account();
  const { lost, doubled } = balanceOf(service, expected);
  const messages = counted(await messagesIn(published));
  const aborted = await abortedIn(db);
  expect(requests.filter(({ fault }) => fault !== undefined).length).toBeLessThanOrEqual(aborted);
  const figures = {
    calls: requests.length,
    aborted,
    rotations: 2,
    restarts: restarts(),
    cards: service.cards.length,
    events: load.counts.events,
    sentAgain: load.counts.again,
    messages: load.messages.length,
    lost: lost.length + load.messages.filter((id) => !messages.has(id)).length,
    doubled: doubled.length + twiceIn(messages).length,
    unknown: await unknownIn(db),
    '401': requests.filter(({ status }) => status === 401).length,
    '429': requests.filter(({ status }) => status === 429).length,
  };
  console.info(`rotation ${JSON.stringify(figures)}`);
  expect(figures).toMatchObject({ lost: 0, doubled: 0, unknown: 0, '401': 0, '429': 0 });
  expect(service.cards.length).toBe(expected.length);
  const known = await db.query<{ remote_id: number }>('select remote_id from cards');
  expect(new Set(known.map(({ remote_id }) => Number(remote_id)))).toEqual(
    new Set(service.cards.map(({ id }) => id)),
  );
}
