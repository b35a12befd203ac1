// Events that people who opted out do not want, and events about people who were erased since: no call is made, and
// nothing of the event is kept.
import { describe, expect, it } from 'vitest';
import { beginEvent } from '../../../../activities/events/event-begin.ts';
import type { EventRequest } from '../../../../src/jobs/events/contract/intake.ts';
import { addEvents, getEvent, markAccepted } from '../../../../src/jobs/events/store/events.ts';
import { type IntakeSpec, openIntakeRun } from '../../../../src/jobs/events/store/intake-runs.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { freshAccount, phone, recordOf } from '../../core/sql/support.ts';
import { addRow } from '../../operator/store/person-rows.ts';

const db = await testLedger();

const NUMBER = phone(1);
const person = { number: NUMBER, key: NUMBER };
const LEAD: EventRequest = { type: 'lead', record: recordOf(NUMBER) };
const MESSAGE: EventRequest = {
  type: 'message',
  to: person,
  text: 'Hello',
  outsideWindow: 'refuse',
  saveOnTicket: true,
};
const REPLY: EventRequest = Object.assign({}, MESSAGE, { to: { conversation: 7 } });
const FLOW: EventRequest = Object.assign(
  { type: 'flow' as const, flow: 3, connection: 1, variables: { coupon: 'A1' } },
  person,
);
const TAGS: EventRequest = Object.assign({ type: 'tags' as const, add: ['vip'], remove: [] }, person);
const STAGE: EventRequest = { type: 'stage', of: person, pipeline: 1, stage: 'New' };

/** Of the opt-out: under the number, under its hash as after an erasure, or withdrawn since. */
type Keys = 'plain' | 'erased' | 'withdrawn' | 'none';

interface Around {
  readonly known?: boolean;
  readonly route?: Pick<IntakeSpec, 'erasedPeople' | 'optOut'>;
  /** Number of the person in the conversation, as the ledger knows it; empty: a contact without one. */
  readonly talk?: string;
  /** State of a call that an earlier attempt made. */
  readonly sent?: 'open' | 'sent' | 'unknown';
}

async function begin(request: EventRequest, keys: Keys, around: Around = {}) {
  const account = freshAccount();
  const { known = false, route = {}, talk, sent } = around;
  const options = {
    mode: 'upsert',
    tags: 'add',
    extraInfo: 'merge',
    fields: {},
    conflict: 'overwrite',
    validateNumber: false,
  };
  const mapping = { contact: { number: 'n' }, tags: [], extraInfo: {} };
  const lead = request.type === 'lead' ? { options, mapping } : {};
  const run = await openIntakeRun(db, { account, sync: '@site', ...lead, ...route } as IntakeSpec);
  if (known) await addRow(db, 'people', { account, key: NUMBER });
  if (keys !== 'none') await optOut(account, keys);
  if (talk !== undefined) await addTalk(account, talk);
  const id = `${account}/1`;
  await addEvents(db, run, [{ account, route: 'site', id, subject: 'person', rank: null, request }]);
  await markAccepted(db, [id]);
  if (sent !== undefined)
    await db.query(
      `insert into intents (account, kind, subject, run_id, state, sends) values ($1, $2, $3, $4, $5, 1)`,
      [account, request.type === 'flow' ? 'event-flow' : 'event-message', id, run, sent],
    );
  const { state } = await beginEvent({ db }, { account, event: id, workflow: 'w' });
  return { state, event: await getEvent(db, id) };
}

async function optOut(account: string, keys: Exclude<Keys, 'none'>): Promise<void> {
  const key = keys === 'erased' ? 'sluice_pseudonym($1, $2)' : '$2';
  await db.query(
    `insert into opt_outs (account, key, via, at, withdrawn_at, withdrawn_by, withdrawn_reason)
     select $1, ${key}, 'reply', now(), case when $3 then now() end, case when $3 then 'ana' end, case when $3 then 'asked' end`,
    [account, NUMBER, keys === 'withdrawn'],
  );
}

const addTalk = (account: string, key: string) =>
  addRow(db, 'conversations', {
    account,
    id: 7,
    poller: 'main',
    connection_id: 1,
    channel: 'waba',
    person_key: key,
    updated_at: new Date(),
    fingerprint: 'f',
    item: {},
  });

async function expectDiscarded({ state, event }: Awaited<ReturnType<typeof begin>>, code: string) {
  expect(state).toBe('over');
  expect(event).toMatchObject({ outcome: 'discarded', code, request: null });
  const [row] = await db.query<{ text: string }>('select e::text as text from events e where id = $1', [
    event?.id,
  ]);
  expect(row?.text).not.toContain(NUMBER);
}

function expectBegun({ state, event }: Awaited<ReturnType<typeof begin>>) {
  expect(state).toMatch(/begun|waiting/);
  expect(event).toMatchObject({ outcome: null, code: null });
}

describe('an event about somebody who was erased after an opt-out', () => {
  it.each([
    ['a lead', LEAD, {}],
    ['a message to a number', MESSAGE, {}],
    ['a flow', FLOW, {}],
    ['tags', TAGS, {}],
    ['a stage', STAGE, {}],
    ['a message over a route that ignores opt-outs', MESSAGE, { route: { optOut: 'ignore' } }],
  ] as const)('%s is discarded, with its content', async (_what, request, around) => {
    await expectDiscarded(await begin(request, 'erased', around), 'PERSON_ERASED');
  });

  const accepting = { route: { erasedPeople: 'accept' } } as const;
  it.each([
    ['a reply in a conversation', REPLY, { talk: NUMBER }],
    ['a lead over a route that accepts them', LEAD, accepting],
    ['a message over a route that accepts them', MESSAGE, accepting],
    ['a flow over a route that accepts them', FLOW, accepting],
    ['a lead about somebody who is back', LEAD, { known: true }],
  ] as const)('%s begins', async (_what, request, around) => {
    expectBegun(await begin(request, 'erased', around));
  });
});

describe('an event about somebody who opted out', () => {
  const ignoring = { route: { optOut: 'ignore' } } as const;
  it.each<[string, EventRequest, Keys, Around]>([
    ['a message to a number', MESSAGE, 'plain', {}],
    ['a message to a person of the ledger', MESSAGE, 'plain', { known: true }],
    ['a message to somebody who was erased and is back', MESSAGE, 'erased', { known: true }],
    ['a message over a route for erased people', MESSAGE, 'plain', { route: { erasedPeople: 'accept' } }],
    ['a message whose call certainly had no effect', MESSAGE, 'plain', { sent: 'open' }],
    ['a reply in their conversation', REPLY, 'plain', { talk: NUMBER }],
    ['a reply to somebody who was erased and is back', REPLY, 'erased', { talk: NUMBER, known: true }],
    ['a flow', FLOW, 'plain', {}],
  ])('%s is discarded, with its content', async (_what, request, keys, around) => {
    await expectDiscarded(await begin(request, keys, around), 'OPTED_OUT');
  });

  it.each<[string, EventRequest, Keys, Around]>([
    ['a lead', LEAD, 'plain', { known: true }],
    ['tags', TAGS, 'plain', {}],
    ['a stage', STAGE, 'plain', {}],
    ['a message over a route that ignores opt-outs', MESSAGE, 'plain', ignoring],
    ['a reply over a route that ignores opt-outs', REPLY, 'plain', { talk: NUMBER, ...ignoring }],
    ['a flow over a route that ignores opt-outs', FLOW, 'plain', ignoring],
    ['a message that may have been sent before', MESSAGE, 'plain', { sent: 'sent' }],
    ['a flow that may have been triggered before', FLOW, 'plain', { sent: 'sent' }],
    ['a message, after the withdrawal', MESSAGE, 'withdrawn', {}],
    ['a reply in a conversation of somebody else', REPLY, 'plain', { talk: phone(2) }],
    ['a reply in a conversation that no poller has read', REPLY, 'plain', {}],
    ['a reply to a contact without a number', REPLY, 'plain', { talk: '' }],
    ['a message to somebody else', MESSAGE, 'none', {}],
  ])('%s begins', async (_what, request, keys, around) => {
    expectBegun(await begin(request, keys, around));
  });
});
