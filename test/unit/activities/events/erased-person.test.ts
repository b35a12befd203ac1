// Events about people who were erased after an opt-out: no call is made, and nothing of the event is kept.
import { beforeAll, describe, expect, it } from 'vitest';
import { beginEvent } from '../../../../activities/events/event-begin.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { EventRequest } from '../../../../src/jobs/events/contract/intake.ts';
import { addEvents, getEvent, markAccepted } from '../../../../src/jobs/events/store/events.ts';
import { type IntakeSpec, openIntakeRun } from '../../../../src/jobs/events/store/intake-runs.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { freshAccount, phone, recordOf } from '../../core/sql/support.ts';
import { addRow } from '../../operator/store/person-rows.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

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
const TAGS: EventRequest = Object.assign({ type: 'tags' as const, add: ['vip'], remove: [] }, person);
const STAGE: EventRequest = { type: 'stage', of: person, pipeline: 1, stage: 'New' };

type Keys = 'plain' | 'erased' | 'none';

async function begin(request: EventRequest, keys: Keys, over: { known?: boolean; accept?: boolean } = {}) {
  const account = freshAccount();
  const { known = false, accept = false } = over;
  const place = { account, sync: '@site' };
  const options = {
    mode: 'upsert',
    tags: 'add',
    extraInfo: 'merge',
    fields: {},
    conflict: 'overwrite',
    validateNumber: false,
  };
  const mapping = { contact: { number: 'n' }, tags: [], extraInfo: {} };
  const spec = Object.assign(
    place,
    request.type === 'lead' ? { options, mapping } : {},
    accept ? { erasedPeople: 'accept' } : {},
  ) as IntakeSpec;
  const run = await openIntakeRun(db, spec);
  if (known) await addRow(db, 'people', { account, key: NUMBER });
  const key = keys === 'plain' ? '$2' : 'sluice_pseudonym($1, $2)';
  if (keys !== 'none')
    await db.query(`insert into opt_outs (account, key, via, at) select $1, ${key}, 'reply', now()`, [
      account,
      NUMBER,
    ]);
  const id = `${account}/1`;
  await addEvents(db, run, [{ account, route: 'site', id, subject: 'person', rank: null, request }]);
  await markAccepted(db, [id]);
  const { state } = await beginEvent({ db }, { account, event: id, workflow: 'w' });
  return { state, event: await getEvent(db, id) };
}

describe('an event about somebody who was erased after an opt-out', () => {
  it.each([
    ['a lead', LEAD],
    ['a message to a number', MESSAGE],
    ['tags', TAGS],
    ['a stage', STAGE],
  ])('%s is discarded, with its content', async (_what, request) => {
    const { state, event } = await begin(request, 'erased');
    expect(state).toBe('over');
    expect(event).toMatchObject({ outcome: 'discarded', code: 'PERSON_ERASED', request: null });
    const [row] = await db.query<{ text: string }>('select e::text as text from events e where id = $1', [
      event?.id,
    ]);
    expect(row?.text).not.toContain(NUMBER);
  });

  it.each([
    ['a reply in a conversation', REPLY, 'erased', {}],
    ['a lead over a route that accepts them', LEAD, 'erased', { accept: true }],
    ['a message over a route that accepts them', MESSAGE, 'erased', { accept: true }],
    ['a lead about somebody who is back', LEAD, 'erased', { known: true }],
    ['a lead about somebody who opted out and was not erased', LEAD, 'plain', { known: true }],
    ['a message to somebody who opted out and is not known', MESSAGE, 'plain', {}],
    ['a message to somebody else', MESSAGE, 'none', {}],
  ] as const)('%s begins', async (_what, request, keys, over) => {
    const { state, event } = await begin(request, keys, over);
    expect(state).toMatch(/begun|waiting/);
    expect(event).toMatchObject({ outcome: null, code: null });
  });
});
