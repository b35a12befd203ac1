// The contact steps of a record: look it up, upsert it, and set its tags and extra info.

import type { ExtraField } from '../../src/core/record.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import {
  contactNote,
  forgetContact,
  noteSeen,
  type SentContact,
  tagsNote,
} from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { LeaseLostError, markSent, settleContact, settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Contact, ContactDetails } from '../../src/service/api-client/schemas/contact.ts';
import { type Call, callApi } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { comeBack } from '../shared/failures.ts';
import { CLOCK_SKEW_MS } from '../shared/read-back.ts';
import { type AskedFor, wholeList } from '../shared/whole-list.ts';
import { type ContactChange, changesNothing } from './contact-change.ts';
import { cardsAreOpen, findPerson, type StepContext, type StepResult } from './record-step.ts';
import {
  changeOf,
  extraToSend,
  failConflict,
  leavesFields,
  mustReadExtra,
  seenInRun,
  seenOf,
  settleSeen,
} from './seen-contact.ts';
import { canCombine, hashRecord } from './sync-diff.ts';
import { planTags, sentTags, type TagPlan } from './tag-plan.ts';
import {
  confirmed,
  contactDifferences,
  type Difference,
  extraInfoDifferences,
  failOther,
  isSamePerson,
  noteDifferences,
  tagDifferences,
} from './verify-write.ts';

/** If the list lags behind a write, Sluice asks again after this time. */
const SHOWN_AFTER_MS = 2000;

export function createContactSteps(deps: Deps) {
  const { db } = deps;
  return {
    /** GET /v1/contacts?number=. Covers both forms of a Brazilian number. */
    async lookup(c: StepContext): Promise<StepResult> {
      const list = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
        client.contacts.list({ number: c.record.key, pageSize: 100 }, options),
      );
      const found = choose(wholeList(CONTACTS, list, withNumber(c.record.key, 'lookup')), c.record.key);
      return await db.transaction(async (tx) => {
        const { account, options } = c.spec;
        const seen = found && { id: found.id, contact: seenOf(found, null) };
        await noteSeen(tx, account, c.row.key, c.run, seen);
        if (found !== null) return await settleSeen(tx, await again(tx, c), STEP_BITS.lookup);
        if (options.mode === 'update') return await settleStep(tx, c.row, { clear: c.row.todo });
        const combines = canCombine(c.record, options) && (await cardsAreOpen(tx, c.run));
        return await settleStep(tx, c.row, {
          clear: STEP_BITS.lookup | (combines ? STEP_BITS.upsertContact | STEP_BITS.setTags : 0),
        });
      });
    },

    /** GET /v1/contacts/{contactId}. The only call that shows extra info. */
    async readExtraInfo(c: StepContext): Promise<StepResult> {
      const contact = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
        client.contacts.get(remoteId(c), options),
      );
      if (contact === null) throw new Error('a read is never called off');
      return await db.transaction(async (tx) => {
        const seen = { id: contact.id, contact: seenOf(contact, contact.extraInfo) };
        await noteSeen(tx, c.spec.account, c.row.key, c.run, seen);
        return await settleSeen(tx, await again(tx, c), STEP_BITS.readExtraInfo);
      });
    },

    /**
     * POST /v1/contacts with the fields that changed. It also carries changed extra info, which saves a call. To
     * clear a field, it uses PUT /v1/contacts/{contactId}, because the upsert writes no empty value (rule 2).
     */
    async upsertContact(c: StepContext): Promise<StepResult> {
      const isNew = c.person?.remote_id == null;
      const { options, sync } = c.spec;
      // The service has the contact after all, and an insert leaves existing contacts alone.
      if (options.mode === 'insert' && !isNew && c.person?.created_by !== sync)
        return await settleStep(db, c.row, { clear: c.row.todo });
      const change = changeOf(c, seenInRun(c));
      if (change.mustRead) return await settleStep(db, c.row, { clear: 0, add: STEP_BITS.readExtraInfo });
      if (change.conflicts.length > 0) return await failConflict(db, c.row, change.conflicts);
      const extra = leavesFields(c) ? null : extraToSend(c);
      if (mustReadExtra(c, extra))
        return await settleStep(db, c.row, { clear: 0, add: STEP_BITS.readExtraInfo });
      const tagged = (c.row.todo & STEP_BITS.setTags) !== 0;
      const reads = tagged && options.tags !== 'replace' && c.row.tag_ids === null;
      // The upsert would recreate a person who left the source and was deleted in the service.
      if (reads && c.row.row_no === 0)
        return await settleStep(db, c.row, {
          clear: STEP_BITS.upsertContact,
          add: STEP_BITS.readExtraInfo,
        });
      if (!isNew && changesNothing(change) && extra === null && !reads)
        return await settleStep(
          db,
          c.row,
          { clear: STEP_BITS.upsertContact },
          contactNote(...written(c, writtenTo(c, null), { change, extra, created: false, tags: null })),
        );
      const answer = await write(c, change, extra);
      if (answer.contact !== null && !isSamePerson(c.row.key, answer.contact.number))
        return await failOther(db, deps, c, 'upsertContact');
      const isOther = !isNew && answer.id !== null && answer.id !== remoteId(c);
      const created = answer.created || ((isNew || isOther) && createdByLostAttempt(c, answer.contact));
      if (!isNew && (answer.created || isOther))
        return await beginAnew(c, answer.contact?.number ?? null, created);
      const tags = tagged && answer.contact !== null ? await planTags(db, c, answer.contact.tags) : null;
      const tagsAreRight = tags !== null && tags.ids === null;
      const wantsCard = (c.row.todo & STEP_BITS.createCard) !== 0;
      const to = answer.contact ?? writtenTo(c, answer.id);
      const settled = await settleContact(
        db,
        c,
        {
          clear: STEP_BITS.upsertContact | (tagsAreRight ? STEP_BITS.setTags : 0),
          // A contact that existed before may have a card that people created. So may a contact that a lost attempt
          // seems to have created.
          add: wantsCard && !answer.created && c.person?.card == null ? STEP_BITS.findCard : 0,
          created,
          touched: !changesNothing(change) || extra !== null || created,
          ...(tags?.ids == null ? {} : { tagIds: { ...tags, ids: tags.ids } }),
        },
        contactNote(...written(c, to, { change, extra, created, tags: tagsAreRight ? tags : null })),
      );
      return { ...settled, ...(await checkContact(c, { change, extra, shown: answer.contact })) };
    },

    /** PUT /v1/contacts/{contactId}/tags. It replaces the whole list, so the list includes tags that people set. */
    async setTags(c: StepContext): Promise<StepResult> {
      const seen = seenInRun(c)?.tags ?? null;
      if (c.row.tag_ids === null && seen === null && c.spec.options.tags !== 'replace')
        return await settleStep(db, c.row, { clear: 0, add: STEP_BITS.readExtraInfo });
      const planned = c.row.tag_ids;
      const tags =
        planned === null
          ? await planTags(db, c, seen)
          : { ...planned, wanted: planned.wanted ?? planned.added };
      // The account's tags could not be read, so these wait for a later run.
      if (tags === null) return await settleStep(db, c.row, { clear: STEP_BITS.setTags });
      const { ids } = tags;
      const answer =
        ids === null
          ? null
          : await call(c, (client, options) => client.contacts.setTags(remoteId(c), ids, options));
      const shown = answer?.contact ?? null;
      if (shown !== null && shown.id !== remoteId(c)) return await failOther(db, deps, c, 'setTags');
      const sent = sentTags(c, tags);
      const settled = await settleStep(
        db,
        c.row,
        { clear: STEP_BITS.setTags, touched: ids !== null },
        ...(sent === null ? [] : [tagsNote(c.spec.account, c.row.key, sent)]),
      );
      if (ids === null || (shown === null && !c.verify)) return settled;
      const { tags: now } = shown ?? (await readContact(c));
      const differences = await confirmed(tagDifferences(ids, now), c.verify, async () =>
        tagDifferences(ids, (await readContact(c)).tags),
      );
      return { ...settled, check: await noteDifferences(deps, c, differences) };
    },
  };

  /** Makes a write. It goes out only while this batch holds the record. */
  async function call<T>(c: StepContext, make: Call<T>): Promise<T> {
    const answer = await callApi(deps, c.account, c.run, 'contacts:write', make, () =>
      markSent(db, c.row.id, c.row.holder),
    );
    if (answer === null) throw new LeaseLostError();
    return answer;
  }

  async function readContact(c: StepContext) {
    const contact = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
      client.contacts.get(remoteId(c), options),
    );
    if (contact === null) throw new Error('a read is never called off');
    return contact;
  }

  /** No answer to a write shows extra info, so the first write of a run is read back. */
  async function checkContact(
    c: StepContext,
    {
      change,
      extra,
      shown,
    }: { change: ContactChange; extra: readonly ExtraField[] | null; shown: Contact | null },
  ): Promise<Pick<StepResult, 'check'>> {
    const reads = c.verify && (shown === null || extra !== null);
    const found = reads ? await readContact(await again(db, c)) : shown;
    if (found === null) return {};
    const written = { ...change.write, ...Object.fromEntries(change.clear.map((field) => [field, null])) };
    const compare = (contact: Contact): Difference[] => [
      ...contactDifferences(written, contact, change.clear.length > 0),
      ...(extra !== null && 'extraInfo' in contact
        ? extraInfoDifferences(extra, (contact as ContactDetails).extraInfo)
        : []),
    ];
    const differences = await confirmed(compare(found), c.verify, async () =>
      compare(await readContact(await again(db, c))),
    );
    return { check: await noteDifferences(deps, c, differences) };
  }

  /**
   * The call itself. `contact` is null when the answer does not show it. A new contact is then read back, because the
   * next steps need its id.
   */
  async function write(
    c: StepContext,
    change: ContactChange,
    extra: ReturnType<typeof extraToSend>,
  ): Promise<{ created: boolean; contact: Contact | null; id: number | null }> {
    const fields = { ...change.write, ...(extra === null ? {} : { extraInfo: [...extra] }) };
    if (change.clear.length > 0) {
      const empty = Object.fromEntries(change.clear.map((field) => [field, null]));
      const body = { ...fields, ...empty };
      const { contact } = await call(c, (client, options) =>
        client.contacts.update(remoteId(c), body, options),
      );
      return { created: false, contact, id: remoteId(c) };
    }
    const body = {
      // An old contact may have the number without the ninth digit, so write to that number.
      number: c.person?.remote_number ?? c.record.contact.number,
      ...fields,
      ...(c.spec.options.validateNumber ? { validateNumber: true } : {}),
    };
    const answer = await call(c, (client, options) => client.contacts.upsert(body, options));
    const isNew = c.person?.remote_id == null;
    // If the service does not say, the look-up before has shown that nobody existed.
    const created = answer.created ?? isNew;
    if (answer.id !== null || !isNew) return { ...answer, created };
    const contact = await shownInList(c);
    return { created, contact, id: contact.id };
  }

  /**
   * GET /v1/contacts?number=, after an upsert whose answer shows neither the contact nor its id.
   * @throws ApplicationFailure while the list does not show it; the upsert is safe to repeat
   */
  async function shownInList(c: StepContext): Promise<Contact> {
    const list = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
      client.contacts.list({ number: c.record.key, pageSize: 100 }, options),
    );
    const found = choose(wholeList(CONTACTS, list), c.record.key);
    if (found === null)
      throw comeBack(
        SHOWN_AFTER_MS,
        'the answer to the upsert does not show the contact, and the contact list does not show it yet',
      );
    return found;
  }

  /**
   * Another contact has the number now, because somebody deleted the contact that the ledger knows. Sluice sends
   * everything again, as for a new person.
   * @param created whether this run created the other contact, perhaps in an attempt whose answer was lost
   */
  async function beginAnew(c: StepContext, number: string | null, created: boolean): Promise<StepResult> {
    return await db.transaction(async (tx) => {
      await forgetContact(tx, c.spec.account, c.row.key, number);
      return await settleStep(tx, c.row, {
        clear: 0,
        add:
          STEP_BITS.upsertContact |
          (c.record.tags.length > 0 ? STEP_BITS.setTags : 0) |
          (c.record.card === undefined ? 0 : STEP_BITS.createCard),
        created,
      });
    });
  }
}

function writtenTo(c: StepContext, shown: number | null): { id: number; number: string } {
  return { id: shown ?? remoteId(c), number: c.person?.remote_number ?? c.record.contact.number };
}

/** The step's context with the person as the ledger has it now. */
export async function again(tx: Queryable, c: StepContext): Promise<StepContext> {
  return { ...c, person: await findPerson(tx, c.spec, c.row.key) };
}

/**
 * What the ledger stores about a contact that was written.
 * @param tags tags that are correct after this write
 */
function written(
  c: StepContext,
  contact: { readonly id: number; readonly number: string },
  by: {
    readonly change: ContactChange;
    readonly extra: ReturnType<typeof extraToSend>;
    readonly created: boolean;
    readonly tags: TagPlan | null;
  },
): [account: string, key: string, sent: SentContact] {
  const hashes = hashRecord(c.record, c.spec.options);
  const tags = by.tags && sentTags(c, by.tags);
  const sent = {
    remoteId: contact.id,
    remoteNumber: contact.number,
    hashContact: leavesFields(c) ? (c.person?.hash_contact ?? hashes.contact) : hashes.contact,
    hashExtra: c.record.extraInfo.length === 0 ? (c.person?.hash_extra ?? hashes.extra) : hashes.extra,
    extra: by.extra,
    marks: by.change.sent,
    createdBy: by.created ? c.spec.sync : null,
    name: c.record.contact.name,
    email: c.record.contact.email,
    tags: tags ?? undefined,
  };
  return [c.spec.account, c.row.key, sent];
}

export const CONTACTS = { method: 'GET', path: '/v1/contacts' } as const;

/** The filter `number` of GET /v1/contacts, which covers both forms of a Brazilian number. */
export function withNumber(key: string, step: AskedFor<Contact>['step']): AskedFor<Contact> {
  return { filter: 'number', step, matches: ({ number }) => isSamePerson(key, number) };
}

/** Picks a person's contact: the one with the exact number first, else the oldest. */
export function choose(items: readonly Contact[], key: string): Contact | null {
  return items.find((item) => item.number === key) ?? [...items].sort((a, b) => a.id - b.id)[0] ?? null;
}

/** Whether an earlier attempt of this run created the contact and lost the answer. */
function createdByLostAttempt(c: StepContext, contact: Contact | null): boolean {
  const { sent_at: sent } = c.row;
  if (sent === null || contact === null) return false;
  return new Date(contact.createdAt).getTime() >= sent.getTime() - CLOCK_SKEW_MS;
}

export function remoteId(c: StepContext): number {
  if (c.person?.remote_id == null) throw new Error('the step needs a contact that was upserted before');
  return c.person.remote_id;
}
