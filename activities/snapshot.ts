// Snapshots of the account: a hundred contacts or cards a call, where that is cheaper than asking person by person.
import { type RunSpec, type SnapshotChoice, STEP_BITS } from '../src/contracts/run.ts';
import { pick, readCatalog } from '../src/ledger/catalog.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { findPeople, type KnownPerson } from '../src/ledger/people.ts';
import { getRecord } from '../src/ledger/records.ts';
import { getRun, lockRun, noteSnapshot, type RunRow, stepIsStopped } from '../src/ledger/runs.ts';
import {
  clearSurvey,
  countBlind,
  type FoundRecord,
  foundRecords,
  noteCards,
  noteSurvey,
  settleCards,
  settleMissing,
} from '../src/ledger/survey.ts';
import { canonicalKey } from '../src/mapping/phone/index.ts';
import { accountLists } from './account-lists.ts';
import { callApi } from './api-call.ts';
import { readCatalogue } from './catalog.ts';
import { changesNothing, contactChange, ruleOf } from './contact-change.ts';
import type { Deps } from './deps.ts';
import { CARD_STEPS, runContext, stepContext } from './record-step.ts';
import { seenOf, settleSeen } from './seen-contact.ts';
import { hashRecord, pipelineName } from './sync-diff.ts';
import { refuseAccountWide } from './whole-list.ts';

const PAGE = 100;
/** Records settled in one transaction. */
const BATCH = 200;
/** So many transactions in one call. */
const BATCHES = 50;

export interface SurveyPage {
  /** Contacts that the account has, as this page said. */
  readonly count: number;
  /** Different contacts on this and the earlier pages: one that moved from page to page counts once. */
  readonly seen: number;
  readonly hasMore: boolean;
  /** Upserts that this page spares: the service has all that those records ask of the contact. */
  readonly saves: number;
}

/** API activities. */
export function createSnapshotActivities(deps: Deps) {
  const { db } = deps;
  return {
    /**
     * GET /v1/contacts, one page: finds people of this run that the service knows already, a hundred a
     * call instead of one look-up each, and which of them need no write.
     */
    async surveyContacts(input: { run: string; page: number }): Promise<SurveyPage> {
      const run = await getRun(db, input.run);
      return await readCatalogue(deps, input.run, 'lookup', async () => {
        const list = await callApi(
          deps,
          deps.account(run.account),
          input.run,
          'contacts:read',
          (client, options) => client.contacts.list({ pageNumber: input.page, pageSize: PAGE }, options),
        );
        if (list === null) throw new Error('a read is never called off');
        refuseAccountWide({ method: 'GET', path: '/v1/contacts' }, list);
        const contacts = list.items.map((contact) => ({
          ...{ id: contact.id, key: canonicalKey(contact.number) },
          ...seenOf(contact, null),
        }));
        return await db.transaction(async (tx) => {
          if (input.page === 1) await clearSurvey(tx, input.run);
          const seen = await noteSurvey(tx, run.account, input.run, contacts);
          const keys = contacts.map(({ key }) => key);
          const found = await foundRecords(tx, run, { after: 0, limit: PAGE, keys });
          const people = await findPeople(tx, run.account, keys, '');
          const saves = found.filter((each) => isSpared(each, people.get(each.key), run.spec)).length;
          return { count: list.count, seen, hasMore: list.hasMore, saves };
        });
      });
    },

    /** GET /v1/cards?pipelineId=, one page: finds the cards of people who are on the service. */
    async surveyCards(input: { run: string; page: number }): Promise<SurveyPage> {
      const run = await getRun(db, input.run);
      return await readCatalogue(deps, input.run, 'findCard', async () => {
        const pipelineId = (await pipelineOf(run))?.id;
        if (pipelineId === undefined) return { count: 0, seen: 0, hasMore: false, saves: 0 };
        const list = await callApi(
          deps,
          deps.account(run.account),
          input.run,
          'cards:read',
          (client, options) =>
            client.cards.list({ pipelineId, pageNumber: input.page, pageSize: PAGE }, options),
        );
        refuseAccountWide({ method: 'GET', path: '/v1/cards' }, list);
        // A card that can't be read leaves the snapshot incomplete: nothing is concluded from what it lacks.
        const ofPipeline = (list?.items ?? []).filter(({ pipeline }) => pipeline.id === pipelineId);
        const cards = ofPipeline.map((card) => ({
          id: card.id,
          contactId: card.contact.id,
          stageId: card.stage?.id ?? null,
          open: card.status === 'open',
        }));
        const seen = await db.transaction((tx) => noteCards(tx, input.run, cards));
        return { count: list?.count ?? 0, seen, hasMore: list?.hasMore ?? false, saves: 0 };
      });
    },
  };

  async function pipelineOf({ account, spec }: { account: string; spec: RunSpec }) {
    return pick((await readCatalog(db, account, 'pipelines')) ?? [], spec.mapping.card?.pipeline ?? '');
  }
}

/** Ledger activities. */
export function createSettlementActivities(deps: Deps) {
  const { db } = deps;
  return {
    /**
     * After the account's contacts were read: who was found gets the steps of an existing contact, who was not
     * is new if all were read. Answers `after` when there is more to settle.
     */
    async settleSurvey(input: {
      run: string;
      complete: boolean;
      after?: number;
      choice?: SnapshotChoice;
    }): Promise<{ after: number | null; finds: number; pending?: number }> {
      const run = await getRun(db, input.run);
      const common = runContext(deps, run, accountLists(run.account));
      let after = input.after ?? 0;
      for (let batch = 0; batch < BATCHES; batch++) {
        const found = await foundRecords(db, run, { after, limit: BATCH });
        await db.transaction(async (tx) => {
          const keys = found.map(({ key }) => key);
          const people = await findPeople(tx, run.account, keys, pipelineName(run.spec));
          for (const each of found) {
            const row = await getRecord(tx, run.id, each.id);
            if (row.status !== 'pending') continue;
            const person = people.get(each.key) ?? null;
            await settleSeen(tx, stepContext(common, { row, person }), STEP_BITS.lookup);
          }
        });
        after = found.at(-1)?.id ?? after;
        if (found.length < BATCH) return { after: null, ...(await endSurvey(run, input)) };
      }
      return { after, finds: 0 };
    },

    /** After the pipeline's cards were read. */
    async settleCards(input: {
      run: string;
      complete: boolean;
      choice: SnapshotChoice;
    }): Promise<{ pending: number }> {
      const { id, account, spec } = await getRun(db, input.run);
      const pipeline = pipelineName(spec);
      await db.transaction(async (tx) => {
        const { facts } = await lockRun(tx, id);
        const bits = { find: STEP_BITS.findCard, create: STEP_BITS.createCard };
        await settleCards(tx, { id, account, pipeline }, bits, input.complete);
        await clearSurvey(tx, id);
        await noteOnce(tx, id, facts, input.choice);
      });
      return await countUnknown(db, { id, account });
    },
  };

  async function endSurvey(
    run: RunRow,
    input: { readonly complete: boolean; readonly choice?: SnapshotChoice },
  ): Promise<{ finds: number; pending: number }> {
    const { options } = run.spec;
    await db.transaction(async (tx) => {
      const { facts } = await lockRun(tx, run.id);
      if (input.complete) {
        const cards =
          run.spec.mapping.card !== undefined && options.mode !== 'update' && !options.validateNumber;
        const folds = cards && !(await stepIsStopped(tx, run.id, CARD_STEPS));
        await settleMissing(tx, run, {
          lookup: STEP_BITS.lookup,
          drop: options.mode === 'update' ? ~STEP_BITS.lookup & 0x7fffffff : 0,
          fold: folds
            ? {
                card: STEP_BITS.createCard,
                clear: STEP_BITS.upsertContact | STEP_BITS.setTags,
                rejects: (['email', 'document', 'disableBot'] as const).filter(
                  (field) => ruleOf(field, options).write !== 'never',
                ),
              }
            : null,
        });
      }
      await clearSurvey(tx, run.id);
      await noteOnce(tx, run.id, facts, input.choice);
    });
    return await countUnknown(db, run);
  }
}

/** What of a run's pending records depends on what the service has; see {@link countBlind}. */
export async function countUnknown(db: Queryable, run: { readonly id: string; readonly account: string }) {
  return await countBlind(db, run, {
    lookup: STEP_BITS.lookup,
    upsert: STEP_BITS.upsertContact,
    finds: STEP_BITS.findCard,
  });
}

/** A second attempt, whose first one's answer was lost, adds no second line to the report. */
async function noteOnce(
  tx: Queryable,
  runId: string,
  facts: readonly SnapshotChoice[],
  choice: SnapshotChoice | undefined,
): Promise<void> {
  if (choice !== undefined && !facts.some((fact) => fact.of === choice.of))
    await noteSnapshot(tx, runId, choice);
}

/** Would the upsert of this record change nothing? */
function isSpared(found: FoundRecord, person: KnownPerson | undefined, { options }: RunSpec): boolean {
  if (person?.seen == null || (found.todo & STEP_BITS.upsertContact) === 0) return false;
  if (options.mode === 'insert') return true;
  const { payload } = found;
  if (payload.extraInfo.length > 0 && hashRecord(payload, options).extra !== person.hash_extra) return false;
  return changesNothing(contactChange(payload.contact, person.sent, person.seen, options, false));
}
