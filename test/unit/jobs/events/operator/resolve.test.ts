// Events whose outcome is unknown, after a person has looked: those that took effect count as done, for good.
import { expect, it } from 'vitest';
import { endEvent } from '../../../../../src/jobs/events/store/event-end.ts';
import { addEvents } from '../../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../../src/jobs/events/store/intake-runs.ts';
import { operatorContext } from '../../../../support/operator/context.ts';

const { db, operator } = operatorContext();

type Outcome = 'done' | 'failed' | 'unknown';

/** Ended events, each with the intent of its message. */
async function ended(...outcomes: readonly Outcome[]): Promise<string[]> {
  const ids = outcomes.map((_, n) => `event-${n}`);
  const run = await openIntakeRun(db, { account: 'acme', sync: '@site' });
  const request = {
    type: 'message',
    to: { number: '5511987654321', key: '5511987654321' },
    text: 'Oi',
  } as const;
  await addEvents(
    db,
    run,
    ids.map((id) => ({
      account: 'acme',
      route: 'site',
      id,
      subject: `person/${id}`,
      rank: null,
      request: { ...request, saveOnTicket: true },
    })),
  );
  for (const [n, outcome] of outcomes.entries()) {
    await endEvent(db, ids[n] as string, { outcome, code: outcome === 'done' ? null : 'LOST' });
    await db.query(
      `insert into intents (account, kind, subject, run_id, state) values ('acme', 'event-message', $1, $3, $2)`,
      [ids[n], outcome === 'unknown' ? 'unknown' : 'done', run],
    );
  }
  return ids;
}

const stateOf = async (id: string) => {
  const [row] = await db.query(
    `select e.outcome, e.code, e.request is null as forgotten, i.state as intent
       from events e join intents i on i.subject = e.id where e.id = $1`,
    [id],
  );
  return row;
};

it('an unknown event counts as done: its request goes, and no retry sends it again', async () => {
  const [event = ''] = await ended('unknown');
  expect(await operator.client.call('POST /events/resolve', { ids: [event], reason: 'seen' })).toEqual({
    resolved: [event],
  });
  expect(await stateOf(event)).toEqual({ outcome: 'done', code: null, forgotten: true, intent: 'done' });
  expect(await operator.client.call('POST /events/retry', { ids: [event] })).toMatchObject({
    retried: [],
    left: [event],
  });
});

it('others do not change, and one that does not exist changes nothing', async () => {
  const [done = '', failed = '', unknown = ''] = await ended('done', 'failed', 'unknown');
  const before = [await stateOf(done), await stateOf(failed)];
  const absent = operator.client.call('POST /events/resolve', { ids: [unknown, 'absent'] });
  await expect(absent).rejects.toMatchObject({ kind: 'notFound', code: 'NO_SUCH_EVENT' });
  expect(await stateOf(unknown)).toMatchObject({ outcome: 'unknown' });
  expect(await operator.client.call('POST /events/resolve', { ids: [done, failed, unknown] })).toEqual({
    resolved: [unknown],
  });
  expect([await stateOf(done), await stateOf(failed)]).toEqual(before);
});

it('two at once count one event once', async () => {
  const [event = ''] = await ended('unknown');
  const both = await Promise.all(
    [1, 2].map(() => operator.client.call('POST /events/resolve', { ids: [event] })),
  );
  expect(both.flatMap(({ resolved }) => resolved)).toEqual([event]);
});

it('needs an operator, and is in the audit log with its events', async () => {
  const [event = ''] = await ended('unknown');
  const editor = operator.as({ role: 'editor' });
  await expect(editor.call('POST /events/resolve', { ids: [event] })).rejects.toMatchObject({
    kind: 'forbidden',
  });
  await operator.client.call('POST /events/resolve', { ids: [event], reason: 'it is in the conversation' });
  const { lines } = await operator.client.call('GET /audit', {
    action: 'POST /events/resolve',
    outcome: 'ok',
  });
  const details = { ids: [event], resolved: [event], reason: 'it is in the conversation' };
  expect(lines).toMatchObject([{ details }]);
});
