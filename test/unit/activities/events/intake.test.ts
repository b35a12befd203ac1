// Which event is next: in any order of begins and ends, one event per subject is in progress, in order of arrival.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginEvent } from '../../../../activities/events/event-begin.ts';
import { closeEvent } from '../../../../activities/events/intake.ts';
import type { EventDraft } from '../../../../src/jobs/events/contract/intake.ts';
import { addEvents, getEvent, markAccepted } from '../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../src/jobs/events/store/intake-runs.ts';
import { settleStep } from '../../../../src/jobs/sync/store/records.ts';
import { testLedger, unleased } from '../../../support/postgres/ledger.ts';
import { freshAccount, phone, recordOf } from '../../core/sql/support.ts';

const db = await testLedger();

const options = {
  mode: 'upsert',
  tags: 'add',
  extraInfo: 'merge',
  fields: {},
  conflict: 'overwrite',
} as const;

const event = fc.record({ person: fc.nat(2), rank: fc.option(fc.nat(4), { nil: null }) });

describe('the order of events', () => {
  it('at most one event per person is in progress, in order of arrival, and no older one after a newer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        async (events, choices) => {
          const account = freshAccount();
          const spec = { ...options, validateNumber: false };
          const mapping = { contact: { number: 'n' }, tags: [], extraInfo: {} };
          const run = await openIntakeRun(db, { account, sync: '@site', options: spec, mapping });
          const drafts = events.map(
            ({ person, rank }, n): EventDraft => ({
              account,
              route: 'site',
              id: `${account}/${n}`,
              subject: `person/${person}`,
              rank,
              request: { type: 'lead', record: recordOf(phone(person)) },
            }),
          );
          await addEvents(db, run, drafts);
          await markAccepted(
            db,
            drafts.map(({ id }) => id),
          );
          const deps = { db };
          const underWay = new Map<string, { id: string; record: number }>();
          const order: EventDraft[] = [];
          const left = new Set(drafts);
          for (let steps = 0; left.size > 0; steps++) {
            if (steps > 2000) throw new Error('stuck');
            const all = [...left];
            const chosen = all[(choices.next().value as number) % all.length] as EventDraft;
            const mine = underWay.get(chosen.subject);
            if (mine?.id === chosen.id) {
              await settleStep(db, unleased(mine.record), { clear: -1, touched: true });
              await closeEvent(deps, { event: chosen.id });
              underWay.delete(chosen.subject);
              left.delete(chosen);
              continue;
            }
            const round = await beginEvent(deps, { account, event: chosen.id, workflow: `w/${chosen.id}` });
            if (round.state === 'queued') continue;
            if (round.state !== 'begun') {
              expect(await getEvent(db, chosen.id)).toMatchObject({ outcome: 'superseded' });
              left.delete(chosen);
              continue;
            }
            expect(mine).toBeUndefined();
            if (round.work.type !== 'record') throw new Error('a lead is a record');
            underWay.set(chosen.subject, { id: chosen.id, record: round.work.record });
            order.push(chosen);
          }
          for (const subject of new Set(drafts.map((draft) => draft.subject))) {
            const done = order.filter((draft) => draft.subject === subject);
            expect(done.map((draft) => drafts.indexOf(draft))).toEqual(
              done.map((draft) => drafts.indexOf(draft)).toSorted((a, b) => a - b),
            );
            const ranks = done.flatMap(({ rank }) => (rank === null ? [] : [rank]));
            expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
