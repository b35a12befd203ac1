// One card a person and pipeline, also when two syncs of the account want it.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { hashRecord } from '../../../../activities/records/record-diff.ts';
import { runContext, type StepResult, stepContext } from '../../../../activities/records/record-step.ts';
import { placeOf } from '../../../../activities/records/record-work.ts';
import { runStep } from '../../../../activities/records/run-step.ts';
import type { Deps } from '../../../../activities/shared/deps.ts';
import type { CrmRecord } from '../../../../src/core/record.ts';
import { LedgerError } from '../../../../src/core/sql/database.ts';
import { accountLists, saveCatalog } from '../../../../src/core/store/catalog.ts';
import { findPeople } from '../../../../src/core/store/people.ts';
import { STEP_BITS } from '../../../../src/jobs/sync/constants.ts';
import { loadRecord } from '../../../../src/jobs/sync/store/due-records.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../../src/jobs/sync/store/staged-records.ts';
import type { MessagingClient } from '../../../../src/service/api-client/client.ts';
import { createBudget } from '../../../../src/service/budget/slots.ts';
import { testAccount, testDeps, testLog } from '../../../support/activities/deps.ts';
import { openService } from '../../../support/activities/service.ts';
import { account } from '../../../support/environment.ts';
import { noteContact } from '../../../support/notes.ts';
import { phone, recordOf, specOf } from '../../core/sql/support.ts';

const contacts = [5, 8].map((id) => ({ id, number: phone(id === 5 ? 0 : id), name: 'A' }));
const service = await openService(account({ contacts }));
afterAll(service.close);
const { db, calls, panel } = service;
const client = service.client();
await saveCatalog(db, 'acme', 'pipelines', [{ id: 1, name: 'Sales', stages: [] }]);

const CARD = { pipeline: 'Sales', customFields: {} };

function depsWith(through: MessagingClient, keys: readonly string[] = ['token']): Deps {
  return testDeps({
    db,
    budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
    calls,
    log: testLog(),
    account: () =>
      testAccount(through, { tokens: keys.map((key, n) => ({ client: through, key, position: n + 1 })) }),
    announce: () => [],
  });
}

let runs = 0;
/** A record of a run of its own whose next step is its card; answers how to make that step. */
async function waiting(
  n: number,
  over: {
    sync?: string;
    record?: Partial<CrmRecord>;
    options?: object;
    client?: MessagingClient;
    tokens?: string[];
  } = {},
) {
  const base = specOf('acme', over.sync ?? `sync-${++runs}`);
  const options = { ...base.options, ...over.options };
  const run = await openRun(db, { ...base, options, mapping: { ...base.mapping, card: CARD } });
  const record = recordOf(phone(n), { card: CARD, ...over.record });
  await stageRecords(db, run.id, [{ key: phone(n), row: 1, todo: STEP_BITS.createCard, record }]);
  const [row] = await db.query<{ id: number }>('select id from run_records where run_id = $1', [run.id]);
  const deps = depsWith(over.client ?? client, over.tokens);
  const step = async (name: 'createCard' | 'readBackCard'): Promise<StepResult> => {
    const common = runContext(deps, run, accountLists('acme'));
    const c = stepContext(common, await loadRecord(db, placeOf(common), row?.id as number), true);
    return await new MockActivityEnvironment().run(() => runStep(deps, name, c));
  };
  const check = () => step('readBackCard');
  const make = async () => {
    const answer = await step('createCard');
    const [kept] = await db.query<{ created: boolean }>('select created from run_records where id = $1', [
      row?.id,
    ]);
    return { ...answer, created: kept?.created };
  };
  return Object.assign(make, { check });
}

const SENT = { hashContact: 'c', hashExtra: 'e', extra: null, marks: {}, createdBy: null };
const cardsOf = async (id: number) =>
  (await panel.account()).cards.filter(({ contactId }) => contactId === id);
const contactsOf = async (n: number) =>
  (await panel.account()).contacts.filter(({ number }) => number === phone(n));

it('a card that another sync has created meanwhile is not created again', async () => {
  await noteContact(db, 'acme', phone(0), { ...SENT, remoteId: 5, remoteNumber: phone(0) });
  const first = await waiting(0);
  const second = await waiting(0);
  expect(await first()).toEqual({
    todo: 0,
    ended: 'updated',
    cardCreated: true,
    created: false,
    check: { ok: true },
  });
  expect(await second()).toEqual({ todo: 0, ended: 'unchanged', created: false });
  expect(await cardsOf(5)).toHaveLength(1);
});

describe('a card whose call also creates the contact', () => {
  const named = { contact: { number: phone(1), name: 'P1' } };

  it('creates both, and the ledger stores what was written', async () => {
    const step = await waiting(1, { record: named, sync: 'both' });
    expect(await step()).toEqual({
      todo: 0,
      ended: 'created',
      cardCreated: true,
      created: true,
      check: { ok: true },
    });
    expect(await contactsOf(1)).toMatchObject([{ name: 'P1' }]);
    expect((await findPeople(db, 'acme', [phone(1)], 'Sales')).get(phone(1))).toMatchObject({
      remote_number: phone(1),
      created_by: 'both',
      card: { adopted: false },
      hash_contact: hashRecord(recordOf(phone(1), named), { fields: {} }).contact,
    });
  });

  it('creates both if the service expects the name under another key, and then sends the name', async () => {
    const other = service.client({ assumptions: { 'card.contactNameField': 'nickname' } });
    const record = { contact: { number: phone(2), name: 'P2' } };
    const step = await waiting(2, { record, client: other, sync: 'nameless' });
    expect(await step()).toEqual({
      todo: STEP_BITS.upsertContact,
      created: true,
      check: { ok: true },
    });
    expect((await findPeople(db, 'acme', [phone(2)], '')).get(phone(2))).toMatchObject({
      sent: {},
      created_by: 'nameless',
    });
  });

  it('that another sync created meanwhile: this sync writes the contact first, once', async () => {
    const record = { contact: { number: phone(3), name: 'P3' }, tags: ['vip'] };
    const step = await waiting(3, { record });
    await noteContact(db, 'acme', phone(3), { ...SENT, remoteId: 5, remoteNumber: phone(3) });
    const { upsertContact, setTags, findCard, createCard } = STEP_BITS;
    expect(await step()).toEqual({ todo: upsertContact | setTags | findCard | createCard, created: false });
    expect(await step()).toMatchObject({ check: { ok: true } });
  });

  it('that another sync created meanwhile, in mode insert: left alone', async () => {
    const step = await waiting(4, { options: { mode: 'insert' } });
    await noteContact(db, 'acme', phone(4), { ...SENT, remoteId: 5, remoteNumber: phone(4) });
    const before = await cardsOf(5);
    expect(await step()).toEqual({ todo: 0, ended: 'unchanged', created: false });
    expect(await cardsOf(5)).toEqual(before);
  });

  it('but cannot carry all data of a deleted contact: the upsert comes first', async () => {
    const step = await waiting(6, { record: { contact: { number: phone(6), email: 'a@b.c' } } });
    expect(await step()).toEqual({ todo: STEP_BITS.upsertContact | STEP_BITS.createCard, created: false });
    expect(await contactsOf(6)).toEqual([]);
  });
});

it('refused calls are not lost answers: a card is retried after its first lost answer', async () => {
  await noteContact(db, 'acme', phone(8), { ...SENT, remoteId: 8, remoteNumber: phone(8) });
  const step = await waiting(8);
  const fault = (over: object) => panel.fault({ method: 'POST', times: 1, ...over });
  const body = { error: 'too many', code: 'ERR_RATE_LIMITED' };
  for (let n = 0; n < 3; n++) {
    await fault({ kind: 'status', status: 429, body, headers: { 'Retry-After': '1' } });
    await expect(step()).rejects.toMatchObject({ type: 'ComeBack' });
    await db.query("update slots set blocked_until = '-infinity' where token = 'token'");
  }
  await fault({ kind: 'reset-before' });
  expect(await step()).toMatchObject({ todo: STEP_BITS.readBackCard });
  // None shows, though it had the time to: not lost so often yet that a person has to look.
  await db.query("update intents set sent_at = sent_at - interval '2 minutes' where state = 'sent'");
  expect(await step.check()).toMatchObject({ todo: STEP_BITS.createCard });
});

it('one token is over its limit and the other’s slot is far away: nothing was sent, so nothing is read back', async () => {
  await noteContact(db, 'acme', phone(7), { ...SENT, remoteId: 5, remoteNumber: phone(7) });
  const step = await waiting(7, { tokens: ['near', 'far'] });
  const { budget } = depsWith(client, ['near', 'far']);
  await db.query("insert into slots (token, call_limit) values ('near', 60000), ('far', 60000)");
  await budget.block('far', 60_000);
  const body = { error: 'too many', code: 'ERR_RATE_LIMITED' };
  await panel.fault({ kind: 'status', status: 429, body, times: 1, headers: { 'Retry-After': '60' } });
  await expect(step()).rejects.toMatchObject({ type: 'ComeBack' });
  await db.query("update slots set blocked_until = '-infinity' where token = 'near'");
  expect(await step()).toMatchObject({ ended: 'updated' });
});

it('the ledger is unavailable while the call changes tokens: the record waits, and the token stops no run', async () => {
  await noteContact(db, 'acme', phone(6), { ...SENT, remoteId: 5, remoteNumber: phone(6) });
  const step = await waiting(6, { tokens: ['revoked', 'good'] });
  const body = { error: 'no', code: 'ERR_TOKEN_REVOKED' };
  await panel.fault({ kind: 'status', status: 401, body, times: 1 });
  const query = db.query.bind(db);
  vi.spyOn(db, 'query').mockImplementation(async (sql, params) => {
    if (/into token_marks/.test(sql)) throw new LedgerError(new Error('no connection'));
    return (await query(sql, params)) as never;
  });
  expect(await step().finally(() => vi.restoreAllMocks())).toMatchObject({ trouble: { failures: 1 } });
  expect(await step()).toMatchObject({ ended: 'updated' });
});

it('a call that is due more than 8 s after its intent is not sent, and the record retries it', async () => {
  await noteContact(db, 'acme', phone(9), { ...SENT, remoteId: 5, remoteNumber: phone(9) });
  const step = await waiting(9);
  const { length } = await panel.requests();
  const query = db.query.bind(db);
  // The machine sleeps while the ledger takes the intent, or right after it.
  vi.spyOn(db, 'query').mockImplementation(async (sql, params) => {
    const rows = await query(sql, params);
    if (/insert into intents/.test(sql)) vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 9000);
    return rows as never;
  });
  await expect(step().finally(() => vi.restoreAllMocks())).rejects.toMatchObject({ type: 'ComeBack' });
  expect(await panel.requests()).toHaveLength(length);
  // The intent is open again: nothing has to be read back.
  expect(await step()).toMatchObject({ ended: 'updated' });
});
