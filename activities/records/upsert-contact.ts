// The step that writes a contact's fields and extra info.
import type { ExtraField } from '../../src/core/record.ts';
import { contactNote, forgetContact, type SentContact } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { settleContact, settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Contact, ContactDetails } from '../../src/service/api-client/schemas/contact.ts';
import type { Deps } from '../shared/deps.ts';
import { comeBack } from '../shared/failures.ts';
import { CONTACTS, choose, isSamePerson, listContacts } from '../shared/person-lists.ts';
import { CLOCK_SKEW_MS } from '../shared/read-back.ts';
import { wholeList } from '../shared/whole-list.ts';
import { again, readContact, remoteId, writeContact } from './contact.ts';
import { type ContactChange, changesNothing } from './contact-change.ts';
import { hashRecord } from './record-diff.ts';
import type { StepContext, StepResult } from './record-step.ts';
import {
  changeOf,
  extraToSend,
  failConflict,
  leavesFields,
  mustReadExtra,
  seenInRun,
} from './seen-contact.ts';
import { planTags, sentTags, type TagPlan } from './tag-plan.ts';
import {
  confirmed,
  contactDifferences,
  type Difference,
  extraInfoDifferences,
  failOther,
  noteDifferences,
} from './verify-write.ts';

/** If the list lags behind a write, Sluice asks again after this time. */
const SHOWN_AFTER_MS = 2000;

/** What a write sends. */
interface Contents {
  readonly change: ContactChange;
  /** Null: extra info is not sent. */
  readonly extra: readonly ExtraField[] | null;
}

/**
 * POST /v1/contacts with the fields that changed. It also carries changed extra info, which saves a call. To clear a
 * field, it uses PUT /v1/contacts/{contactId}, because the upsert writes no empty value (rule 2).
 */
export async function upsertContact(deps: Deps, c: StepContext): Promise<StepResult> {
  const { db } = deps;
  const isNew = c.person?.remote_id == null;
  const contents = { change: changeOf(c, seenInRun(c)), extra: leavesFields(c) ? null : extraToSend(c) };
  const unwritten = await settleUnwritten(deps, c, contents);
  if (unwritten !== null) return unwritten;
  const answer = await write(deps, c, contents);
  if (answer.contact !== null && !isSamePerson(c.row.key, answer.contact.number))
    return await failOther(db, deps, c, 'upsertContact');
  const isOther = !isNew && answer.id !== null && answer.id !== remoteId(c);
  const created = answer.created || ((isNew || isOther) && createdByLostAttempt(c, answer.contact));
  if (!isNew && (answer.created || isOther))
    return await beginAnew(deps, c, answer.contact?.number ?? null, created);
  const tagged = (c.row.todo & STEP_BITS.setTags) !== 0;
  const tags = tagged && answer.contact !== null ? await planTags(db, c, answer.contact.tags) : null;
  const tagsAreRight = tags !== null && tags.ids === null;
  const wantsCard = (c.row.todo & STEP_BITS.createCard) !== 0;
  const to = answer.contact ?? writtenTo(c, answer.id);
  const settled = await settleContact(
    db,
    c,
    {
      clear: STEP_BITS.upsertContact | (tagsAreRight ? STEP_BITS.setTags : 0),
      // A contact that existed before may have a card that people created. So may a contact that a lost attempt seems
      // to have created.
      add: wantsCard && !answer.created && c.person?.card == null ? STEP_BITS.findCard : 0,
      created,
      touched: !changesNothing(contents.change) || contents.extra !== null || created,
      ...(tags?.ids == null ? {} : { tagIds: { ...tags, ids: tags.ids } }),
    },
    contactNote(...written(c, to, contents, { created, tags: tagsAreRight ? tags : null })),
  );
  return { ...settled, ...(await checkContact(deps, c, contents, answer.contact)) };
}

/** Settles a record whose contact needs no write, must not be written, or must be read first; null for any other. */
async function settleUnwritten(
  { db }: Deps,
  c: StepContext,
  { change, extra }: Contents,
): Promise<StepResult | null> {
  const { options, sync } = c.spec;
  const isNew = c.person?.remote_id == null;
  const readFirst = { clear: 0, add: STEP_BITS.readExtraInfo };
  // The service has the contact after all, and an insert leaves existing contacts alone.
  if (options.mode === 'insert' && !isNew && c.person?.created_by !== sync)
    return await settleStep(db, c.row, { clear: c.row.todo });
  if (change.mustRead) return await settleStep(db, c.row, readFirst);
  if (change.conflicts.length > 0) return await failConflict(db, c.row, change.conflicts);
  if (mustReadExtra(c, extra)) return await settleStep(db, c.row, readFirst);
  const tagged = (c.row.todo & STEP_BITS.setTags) !== 0;
  const reads = tagged && options.tags !== 'replace' && c.row.tag_ids === null;
  // The upsert would recreate a person who left the source and was deleted in the service.
  if (reads && c.row.row_no === 0)
    return await settleStep(db, c.row, { clear: STEP_BITS.upsertContact, add: STEP_BITS.readExtraInfo });
  if (isNew || !changesNothing(change) || extra !== null || reads) return null;
  const note = contactNote(
    ...written(c, writtenTo(c, null), { change, extra }, { created: false, tags: null }),
  );
  return await settleStep(db, c.row, { clear: STEP_BITS.upsertContact }, note);
}

/**
 * The call itself. `contact` is null when the answer does not show it. A new contact is then read back, because the
 * next steps need its id.
 */
async function write(
  deps: Deps,
  c: StepContext,
  { change, extra }: Contents,
): Promise<{ created: boolean; contact: Contact | null; id: number | null }> {
  const fields = { ...change.write, ...(extra === null ? {} : { extraInfo: [...extra] }) };
  if (change.clear.length > 0) {
    const body = { ...fields, ...cleared(change) };
    const { contact } = await writeContact(deps, c, (client, options) =>
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
  const answer = await writeContact(deps, c, (client, options) => client.contacts.upsert(body, options));
  const isNew = c.person?.remote_id == null;
  // If the service does not say, the look-up before has shown that nobody existed.
  const created = answer.created ?? isNew;
  if (answer.id !== null || !isNew) return { ...answer, created };
  const contact = await shownInList(deps, c);
  return { created, contact, id: contact.id };
}

function cleared({ clear }: ContactChange): Record<string, null> {
  return Object.fromEntries(clear.map((field) => [field, null]));
}

/**
 * GET /v1/contacts?number=, after an upsert whose answer shows neither the contact nor its id.
 * @throws ApplicationFailure while the list does not show it; the upsert is safe to repeat
 */
async function shownInList(deps: Deps, c: StepContext): Promise<Contact> {
  const list = await listContacts(deps, c.account, c.run, c.record.key);
  const found = choose(wholeList(CONTACTS, list), c.record.key);
  if (found !== null) return found;
  throw comeBack(
    SHOWN_AFTER_MS,
    'the answer to the upsert does not show the contact, and the contact list does not show it yet',
  );
}

/** Whether an earlier attempt of this run created the contact and lost the answer. */
function createdByLostAttempt(c: StepContext, contact: Contact | null): boolean {
  const { sent_at: sent } = c.row;
  if (sent === null || contact === null) return false;
  return new Date(contact.createdAt).getTime() >= sent.getTime() - CLOCK_SKEW_MS;
}

/**
 * Another contact has the number now, because somebody deleted the contact that the ledger knows. Sluice sends
 * everything again, as for a new person.
 * @param created whether this run created the other contact, perhaps in an attempt whose answer was lost
 */
async function beginAnew(
  { db }: Deps,
  c: StepContext,
  number: string | null,
  created: boolean,
): Promise<StepResult> {
  const add =
    STEP_BITS.upsertContact |
    (c.record.tags.length > 0 ? STEP_BITS.setTags : 0) |
    (c.record.card === undefined ? 0 : STEP_BITS.createCard);
  return await db.transaction(async (tx) => {
    await forgetContact(tx, c.spec.account, c.row.key, number);
    return await settleStep(tx, c.row, { clear: 0, add, created });
  });
}

function writtenTo(c: StepContext, shown: number | null): { id: number; number: string } {
  return { id: shown ?? remoteId(c), number: c.person?.remote_number ?? c.record.contact.number };
}

/**
 * What the ledger stores about a contact that was written.
 * @param by.tags tags that are correct after this write
 */
function written(
  c: StepContext,
  contact: { readonly id: number; readonly number: string },
  { change, extra }: Contents,
  by: { readonly created: boolean; readonly tags: TagPlan | null },
): [account: string, key: string, sent: SentContact] {
  const hashes = hashRecord(c.record, c.spec.options);
  const tags = by.tags && sentTags(c, by.tags);
  const sent = {
    remoteId: contact.id,
    remoteNumber: contact.number,
    hashContact: leavesFields(c) ? (c.person?.hash_contact ?? hashes.contact) : hashes.contact,
    hashExtra: c.record.extraInfo.length === 0 ? (c.person?.hash_extra ?? hashes.extra) : hashes.extra,
    extra,
    marks: change.sent,
    createdBy: by.created ? c.spec.sync : null,
    name: c.record.contact.name,
    email: c.record.contact.email,
    tags: tags ?? undefined,
  };
  return [c.spec.account, c.row.key, sent];
}

/** No answer to a write shows extra info, so the first write of a run is read back. */
async function checkContact(
  deps: Deps,
  c: StepContext,
  { change, extra }: Contents,
  shown: Contact | null,
): Promise<Pick<StepResult, 'check'>> {
  const read = async () => await readContact(deps, await again(deps.db, c));
  const reads = c.verify && (shown === null || extra !== null);
  const found = reads ? await read() : shown;
  if (found === null) return {};
  const written = { ...change.write, ...cleared(change) };
  const compare = (contact: Contact): Difference[] => [
    ...contactDifferences(written, contact, change.clear.length > 0),
    ...(extra !== null && 'extraInfo' in contact
      ? extraInfoDifferences(extra, (contact as ContactDetails).extraInfo)
      : []),
  ];
  const differences = await confirmed(compare(found), c.verify, async () => compare(await read()));
  return { check: await noteDifferences(deps, c, differences) };
}
