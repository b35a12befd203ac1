// Reads snapshots of the account, a hundred contacts or cards per call, when that is cheaper than single look-ups.

import { pick, readCatalog } from '../../src/core/store/catalog.ts';
import { findPeople, type KnownPerson } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { type RunSpec } from '../../src/jobs/sync/contract/run.ts';
import { getRun, type RunRow } from '../../src/jobs/sync/store/runs.ts';
import {
  clearSnapshot,
  countSnapshot,
  type FoundRecord,
  foundRecords,
  noteCards,
  noteSnapshot,
} from '../../src/jobs/sync/store/snapshots.ts';
import { canonicalKey } from '../../src/mapping/phone/index.ts';
import {
  firstPage,
  type ListEnd,
  nextPage,
  type PageCursor,
  type Window,
} from '../../src/service/api-client/page-cursor.ts';
import type { Page } from '../../src/service/api-client/shapes.ts';
import { readCatalogue } from '../records/catalog.ts';
import { changesNothing, contactChange } from '../records/contact-change.ts';
import { hashRecord } from '../records/record-diff.ts';
import { seenOf } from '../records/seen-contact.ts';
import { callApi } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { CARDS, CONTACTS } from '../shared/person-lists.ts';
import { refuseAccountWide } from '../shared/whole-list.ts';

const PAGE = 100;

/** How far a list of the account has been read, passed from batch to batch. */
export interface SnapshotProgress {
  readonly cursor: PageCursor;
  /** `costly`: the rest takes more calls than it saves. Null while pages are left to read. */
  readonly end: ListEnd | 'costly' | null;
  /** Upserts saved by the pages so far: the service already has everything that those records ask for. */
  readonly saves: number;
  /** Items of the whole list according to each page so far; null when two pages differ. */
  readonly count: number | null;
  /** Pages of the whole list, read and unread. */
  readonly pages: number;
  /** Every item could be read. */
  readonly readable: boolean;
  /** The whole list was read and did not change meanwhile, so people who are not in it are new. */
  readonly whole: boolean;
}

export interface SnapshotInput {
  readonly run: string;
  /** The result of the previous batch; null at the start. */
  readonly progress: SnapshotProgress | null;
  /** Calls that single look-ups would take. */
  readonly single: number;
}

/** A page as stored in the ledger. */
interface TakenPage {
  readonly count: number;
  readonly hasMore: boolean;
  /** Ids of the items that the snapshot keeps, and how many of them were new. */
  readonly ids: readonly number[];
  readonly fresh: number;
  /** Items that could not be read, and items that do not matter to this run. */
  readonly unreadable: number;
  readonly others: number;
  readonly saves: number;
}

/** A batch reads pages for this long. */
const BATCH_MS = 50_000;

/**
 * Reads pages until the list ends, the rest costs more than it saves, or the batch is over. A failure after the first
 * page ends the batch, so that the pages read so far count; the next batch meets the failure again.
 * @param seen number of different items that this reading has stored in the ledger
 */
async function readPages(
  { progress, single }: SnapshotInput,
  seen: () => Promise<number>,
  take: (window: Window, before: number, isFirst: boolean) => Promise<TakenPage>,
): Promise<SnapshotProgress> {
  const until = performance.now() + BATCH_MS;
  let now = progress;
  do {
    const cursor = now?.cursor ?? firstPage(PAGE, { once: true });
    try {
      // An earlier attempt may have read further. Its items are in the ledger.
      const before = now === null ? 0 : await seen();
      const window = { pageNumber: cursor.pageNumber, pageSize: cursor.pageSize };
      const page = await take(window, before, now === null);
      now = afterPage(now, { ...cursor, seen: before }, page, single);
    } catch (error) {
      if (now === progress || now === null) throw error;
      return now;
    }
  } while (now.end === null && performance.now() < until);
  return now;
}

function afterPage(
  before: SnapshotProgress | null,
  cursor: PageCursor,
  { count, hasMore, ids, fresh, unreadable, others, saves }: TakenPage,
  single: number,
): SnapshotProgress {
  const next = nextPage(cursor, {
    count,
    hasMore,
    ids,
    nameless: unreadable + others,
    known: ids.length - fresh,
  });
  const saved = (before?.saves ?? 0) + saves;
  const left = next.end === null ? Math.ceil(Math.max(1, count - next.cursor.seen) / PAGE) : 0;
  const { step } = next.cursor;
  const isWorthIt = left <= single + (left * saved) / step;
  const steady = before === null || before.count === count;
  const readable = (before?.readable ?? true) && unreadable === 0;
  return {
    cursor: next.cursor,
    end: next.end ?? (isWorthIt ? null : 'costly'),
    saves: saved,
    count: steady ? count : null,
    pages: step + left,
    readable,
    whole: next.end === 'complete' && steady && readable,
  };
}

/** The snapshot activities. They call the API. */
export function createSnapshotActivities(deps: Deps) {
  const { db } = deps;
  return {
    /**
     * GET /v1/contacts. Finds the people of this run that the service already has, a hundred per call instead of one
     * look-up each, and those of them that need no write.
     */
    async snapshotContacts(input: SnapshotInput): Promise<SnapshotProgress> {
      const run = await getRun(db, input.run);
      return await readCatalogue(deps, run.id, 'lookup', () =>
        readPages(
          input,
          () => countSnapshot(db, 'contacts', run.id),
          (...page) => takeContacts(run, ...page),
        ),
      );
    },

    /** GET /v1/cards?pipelineId=. Finds the cards of people who are in the service. */
    async snapshotCards(input: SnapshotInput): Promise<SnapshotProgress> {
      const run = await getRun(db, input.run);
      return await readCatalogue(deps, run.id, 'findCard', () =>
        readPages(
          input,
          () => countSnapshot(db, 'cards', run.id),
          (window, before) => takeCards(run, window, before),
        ),
      );
    },
  };

  async function takeContacts(
    run: RunRow,
    window: Window,
    before: number,
    isFirst: boolean,
  ): Promise<TakenPage> {
    const access = deps.account(run.account);
    const list = await callApi(deps, access, run.id, 'contacts:read', (client, options) =>
      client.contacts.list(window, options),
    );
    if (list === null) throw new Error('a read is never called off');
    refuseAccountWide(CONTACTS, list);
    const contacts = list.items.map((contact) => ({
      id: contact.id,
      key: canonicalKey(contact.number),
      ...seenOf(contact, null),
    }));
    return await db.transaction(async (tx) => {
      if (isFirst) await clearSnapshot(tx, run.id);
      const seen = await noteSnapshot(tx, run.account, run.id, contacts);
      const keys = contacts.map(({ key }) => key);
      const found = await foundRecords(tx, run, { after: 0, limit: PAGE, keys });
      const people = await findPeople(tx, run.account, keys, '');
      const saves = found.filter((each) => isSpared(each, people.get(each.key), run.spec)).length;
      return { ...sumOf(list, contacts), fresh: seen - before, saves };
    });
  }

  async function takeCards(run: RunRow, window: Window, before: number): Promise<TakenPage> {
    const pipelines = (await readCatalog(db, run.account, 'pipelines')) ?? [];
    const pipelineId = pick(pipelines, run.spec.mapping.card?.pipeline ?? '')?.id;
    if (pipelineId === undefined)
      return { count: 0, hasMore: false, ids: [], fresh: 0, unreadable: 0, others: 0, saves: 0 };
    const access = deps.account(run.account);
    const list = await callApi(deps, access, run.id, 'cards:read', (client, options) =>
      client.cards.list({ pipelineId, ...window }, options),
    );
    if (list === null) throw new Error('a read is never called off');
    refuseAccountWide(CARDS, list);
    // An unreadable card makes the snapshot incomplete. Then a missing card proves nothing.
    const ofPipeline = list.items.filter(({ pipeline }) => pipeline.id === pipelineId);
    const cards = ofPipeline.map((card) => ({
      id: card.id,
      contactId: card.contact.id,
      stageId: card.stage?.id ?? null,
      open: card.status === 'open',
    }));
    const seen = await db.transaction((tx) => noteCards(tx, run.id, cards));
    return { ...sumOf(list, cards), fresh: seen - before, saves: 0 };
  }
}

function sumOf({ count, hasMore, items, invalid }: Page<unknown>, kept: readonly { readonly id: number }[]) {
  const ids = [...new Set(kept.map(({ id }) => id))];
  return { count, hasMore, ids, unreadable: invalid.length, others: items.length - kept.length };
}

/** Whether the upsert of this record would change nothing. */
function isSpared(found: FoundRecord, person: KnownPerson | undefined, { options }: RunSpec): boolean {
  if (person?.seen == null || (found.todo & STEP_BITS.upsertContact) === 0) return false;
  if (options.mode === 'insert') return true;
  const { payload } = found;
  if (payload.extraInfo.length > 0 && hashRecord(payload, options).extra !== person.hash_extra) return false;
  return changesNothing(contactChange(payload.contact, person.sent, person.seen, options, false));
}
