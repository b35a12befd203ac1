// What the effects of events keep: whose message is whose, where cards stand, and what goes with a forgotten event.
import { describe, expect, it } from 'vitest';
import {
  endIntent,
  findLookAlikes,
  getIntent,
  type MessageTrace,
  reopenIntent,
} from '../../../../../src/core/store/intents.ts';
import { findPeople, makePerson } from '../../../../../src/core/store/people.ts';
import type { EventRequest } from '../../../../../src/jobs/events/contract/intake.ts';
import { noteMovedCard, noteRemote } from '../../../../../src/jobs/events/store/effect-notes.ts';
import { endEvent, forgetEvents } from '../../../../../src/jobs/events/store/event-end.ts';
import { addEvents, getEvent, markAccepted } from '../../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../../src/jobs/events/store/intake-runs.ts';
import { noteCard } from '../../../../support/notes.ts';
import { freshAccount, type OpenDatabase, phone, sentIntent } from '../../../core/sql/support.ts';

const REQUEST: EventRequest = {
  type: 'flow',
  number: phone(1),
  key: phone(1),
  flow: 1,
  connection: 1,
  variables: {},
};

export function effectsSuite(database: OpenDatabase): void {
  describe('effects', () => {
    it('look-alikes are messages with the same text in the same conversation that were sent since', async () => {
      const account = freshAccount();
      const intent = async (subject: string, trace: MessageTrace, mark = 'm', of = account) => {
        const key = { account: of, kind: 'event-message', subject } as const;
        return await sentIntent(database(), { ...key, run: 'r', mark, trace });
      };
      const own = await intent('own', { to: 'n' });
      const sent: Record<string, number> = {
        flying: await intent('flying', { to: 'n' }),
        'another text': await intent('another text', { to: 'n' }, 'other'),
        'another person': await intent('another person', { to: 'x' }),
        'another account': await intent('another account', { to: 'n' }, 'm', freshAccount()),
        here: await intent('here', { to: 'x' }),
        elsewhere: await intent('elsewhere', { to: 'n' }),
      };
      await reopenIntent(database(), await intent('not sent', { to: 'n' }), 1);
      for (const [name, ticket] of [
        ['here', 7],
        ['elsewhere', 8],
      ] as const) {
        const trace = { to: 'y', ticket, contact: null, messages: ['id:a'] };
        await endEvent(database(), name, { outcome: 'done' }, { intent: sent[name] as number, trace });
      }
      const find = (since: Date) =>
        findLookAlikes(
          database(),
          { account, id: own, mark: 'm' },
          { ticket: 7, targets: ['n', 't'], since },
        );
      expect(await find(new Date(Date.now() - 60_000))).toMatchObject([
        { id: sent['flying'], state: 'sent', trace: { to: 'n' } },
        { id: sent['here'], state: 'done', trace: { to: 'y', ticket: 7, messages: ['id:a'] } },
      ]);
      expect(await find(new Date(Date.now() + 60_000))).toEqual([]);
    });

    it('a finished intent stays finished, even if another attempt gives it up', async () => {
      const key = { account: freshAccount(), kind: 'event-flow', subject: 'e' } as const;
      const id = await sentIntent(database(), { ...key, run: 'r' });
      await endIntent(database(), id, 'unknown', 'FLOW_AMBIGUOUS');
      await endIntent(database(), id, 'done');
      await endIntent(database(), id, 'unknown', 'FLOW_AMBIGUOUS');
      expect(await getIntent(database(), key)).toMatchObject({ state: 'done' });
    });

    it('a late answer settles only an unknown outcome', async () => {
      const account = freshAccount();
      const run = await openIntakeRun(database(), { account, sync: '@r' });
      const ids = ['unknown', 'failed'].map((outcome) => `${account}-${outcome}`);
      const drafts = ids.map((id) => ({
        account,
        route: 'r',
        id,
        subject: id,
        rank: null,
        request: REQUEST,
      }));
      await addEvents(database(), run, drafts);
      await markAccepted(database(), ids);
      for (const [n, outcome] of (['unknown', 'failed'] as const).entries()) {
        await endEvent(database(), ids[n] as string, {
          outcome,
          step: 'triggerFlow',
          code: 'X',
          reason: 'x',
        });
        await endEvent(database(), ids[n] as string, { outcome: 'done' });
      }
      const ends = await Promise.all(ids.map((id) => getEvent(database(), id)));
      expect(ends).toMatchObject([
        { outcome: 'done', code: null, request: null },
        { outcome: 'failed', code: 'X' },
      ]);
      // Forgotten ones take their intents along, of their own account only.
      const key = { account, kind: 'event-flow', subject: ids[0] as string } as const;
      const other = { ...key, account: freshAccount() };
      for (const each of [key, other]) await sentIntent(database(), { ...each, run });
      await database().query(`update events set ended_at = now() - interval '3 days' where account = $1`, [
        account,
      ]);
      expect(await forgetEvents(database(), 2)).toBeGreaterThanOrEqual(2);
      expect([await getEvent(database(), key.subject), await getIntent(database(), key)]).toEqual([
        null,
        null,
      ]);
      expect(await getIntent(database(), other)).not.toBeNull();
    });

    it('a contact that an event saw is stored if none is known, and never replaces another', async () => {
      const account = freshAccount();
      await noteRemote(database(), account, phone(1), { id: 7, number: phone(1) });
      await noteRemote(database(), account, phone(1), { id: 8, number: phone(2) });
      await makePerson(database(), account, phone(3));
      await noteRemote(database(), account, phone(3), { id: 9, number: phone(3) });
      const people = await findPeople(database(), account, [phone(1), phone(3)], '');
      expect(people.get(phone(1))).toMatchObject({
        remote_id: 7,
        remote_number: phone(1),
        hash_contact: null,
        seen: null,
      });
      expect(people.get(phone(3))).toMatchObject({ remote_id: 9 });
    });

    it('a card that an event moved keeps the stage that its sync asked for', async () => {
      const account = freshAccount();
      const person = (await makePerson(database(), account, phone(1)))?.id as number;
      const card = { pipeline: 'P', remoteId: 5, remoteStageId: 11, stage: 'New', adopted: false };
      await noteCard(database(), account, person, card);
      await noteMovedCard(database(), account, 5, 12);
      await noteMovedCard(database(), account, 6, 13);
      const known = (await findPeople(database(), account, [phone(1)], 'P')).get(phone(1));
      expect(known?.card).toMatchObject({ remote_id: 5, remote_stage_id: 12, stage: 'New' });
    });
  });
}
