// Decides what is left to do for a contact that the service has just shown. Values that are already correct cost no
// call.

import type { ExtraField } from '../../src/core/record.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import type { Note } from '../../src/core/sql/notes.ts';
import {
  contactNote,
  type KnownPerson,
  type SeenContact,
  type SentContact,
  type SentTags,
  tagsNote,
} from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { type LeasedRecord } from '../../src/jobs/sync/store/record-rows.ts';
import { endRecord, settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Contact } from '../../src/service/api-client/schemas/contact.ts';
import { type ContactChange, changesNothing, contactChange } from './contact-change.ts';
import { hasExtra, hashRecord, mergeExtraInfo, needsRead } from './record-diff.ts';
import type { StepContext, StepResult } from './record-step.ts';
import { planTags, sentTags } from './tag-plan.ts';

/** @param extraInfo shown by GET /v1/contacts/{contactId} only */
export function seenOf(contact: Contact, extraInfo: readonly ExtraField[] | null): SeenContact {
  const { number, name, email, document, disableBot, tags } = contact;
  return {
    number,
    name,
    email,
    document,
    disableBot,
    tags: tags.map(({ id, name }) => ({ id, name })),
    extraInfo: extraInfo?.map(({ name, value }) => ({ name, value })) ?? null,
  };
}

/** The contact as this run saw it; null when it did not. */
export function seenInRun(c: StepContext): SeenContact | null {
  return c.person?.seen?.run === c.run ? c.person.seen : null;
}

/**
 * Whether this record writes no contact field. A person who left the source has no values, which clears none. A
 * continued insert has written them with the contact.
 */
export function leavesFields(c: StepContext): boolean {
  if (c.row.row_no === 0) return true;
  return c.spec.options.mode === 'insert' && c.person?.remote_id != null && c.person.hash_contact !== '';
}

/** The change of the contact's fields that the record asks for. */
export function changeOf(c: StepContext, seen: SeenContact | null): ContactChange {
  const isNew = c.person?.remote_id == null;
  const sent = isNew ? {} : (c.person?.sent ?? {});
  if (leavesFields(c)) return { write: {}, clear: [], sent, conflicts: [], mustRead: false };
  return contactChange(c.record.contact, sent, seen, c.spec.options, isNew);
}

/** The extra info to send; null when none is needed. It replaces the whole list, so it includes what others wrote. */
export function extraToSend(c: StepContext): readonly ExtraField[] | null {
  const { record, person, spec } = c;
  if (record.extraInfo.length === 0 || hashRecord(record, spec.options).extra === person?.hash_extra)
    return null;
  const known = person?.extra_known ?? null;
  const mode = spec.options.extraInfo;
  // If the list was just read, `merge-fresh` can use it as `merge` does.
  const trusted = mode === 'merge-fresh' && hasFreshExtra(c) ? 'merge' : mode;
  if (hasExtra(known, record, { extraInfo: trusted })) return null;
  return mergeExtraInfo(mode === 'replace' ? [] : (known ?? []), record.extraInfo);
}

/** After this time, what was read may no longer be there: the record waited, for example because its run was paused. */
const FRESH_MS = 60_000;

/** Whether this run has just read the extra info. A write replaces the whole list. */
function hasFreshExtra(c: StepContext): boolean {
  const seen = seenInRun(c);
  const at = c.person?.seen?.at ?? 0;
  return seen?.extraInfo != null && Date.now() - at < FRESH_MS;
}

/** Whether the contact must be read before this extra info is sent, so that fields of others stay. */
export function mustReadExtra(c: StepContext, extra: readonly ExtraField[] | null): boolean {
  return extra !== null && needsRead(c.spec.options) && c.person?.remote_id != null && !hasFreshExtra(c);
}

/** Ends the record as failed because of a conflict, under the rule `fail`. */
export async function failConflict(
  tx: Queryable,
  record: LeasedRecord,
  fields: readonly string[],
): Promise<StepResult> {
  return await endRecord(tx, record, {
    status: 'failed',
    step: 'upsertContact',
    code: 'CONFLICT',
    reason: `someone changed ${fields.join(', ')} in the service after Sluice wrote it: correct the source, or set "conflict" to "keep" or "overwrite"`,
  });
}

/**
 * Settles a record whose person the service has. `c` has the person as the ledger has it after the check.
 * @param checked bits of the checks that were made
 */
export async function settleSeen(tx: Queryable, c: StepContext, checked: number): Promise<StepResult> {
  const { row } = c;
  const { options, sync } = c.spec;
  const seen = seenInRun(c);
  if (seen === null || c.person?.remote_id == null) throw new Error('the contact was not seen in this run');
  if (options.mode === 'insert' && c.person.created_by !== sync)
    return await settleStep(tx, row, { clear: row.todo });
  const change = changeOf(c, seen);
  if (change.conflicts.length > 0) return await failConflict(tx, row, change.conflicts);
  const extra = extraToSend(c);
  const writes = !changesNothing(change) || extra !== null;
  const reads = (checked & STEP_BITS.readExtraInfo) === 0 && mustReadExtra(c, extra);
  const tags = (row.todo & STEP_BITS.setTags) === 0 ? null : await planTags(tx, c, seen.tags);
  const right = tags !== null && tags.ids === null ? sentTags(c, tags) : null;
  const wantsCard = (row.todo & STEP_BITS.createCard) !== 0 && c.person.card === null;
  return await settleStep(
    tx,
    row,
    {
      clear:
        (checked & ~STEP_BITS.upsertContact) |
        (writes ? 0 : STEP_BITS.upsertContact) |
        (reads ? 0 : STEP_BITS.readExtraInfo) |
        (tags !== null && tags.ids === null ? STEP_BITS.setTags : 0),
      add: (reads ? STEP_BITS.readExtraInfo : 0) | (wantsCard ? STEP_BITS.findCard : 0),
      ...(tags?.ids == null ? {} : { tagIds: { ...tags, ids: tags.ids } }),
    },
    ...notesOf(c, c.person, writes ? null : change.sent, right),
  );
}

/** Notes of the contact if nothing is to be written to it, and of its tags if they are correct. */
function notesOf(
  c: StepContext,
  person: KnownPerson,
  marks: SentContact['marks'] | null,
  tags: SentTags | null,
): Note[] {
  const { account } = c.spec;
  if (marks !== null) return [contactNote(account, c.row.key, unchanged(c, person, marks, tags))];
  return tags === null ? [] : [tagsNote(account, c.row.key, tags)];
}

function unchanged(
  c: StepContext,
  person: KnownPerson,
  marks: SentContact['marks'],
  tags: SentTags | null,
): SentContact {
  const hashes = hashRecord(c.record, c.spec.options);
  return {
    remoteId: person.remote_id as number,
    remoteNumber: person.remote_number as string,
    hashContact: leavesFields(c) ? (person.hash_contact ?? hashes.contact) : hashes.contact,
    hashExtra: c.record.extraInfo.length === 0 ? (person.hash_extra ?? hashes.extra) : hashes.extra,
    extra: null,
    marks,
    createdBy: null,
    name: c.record.contact.name,
    email: c.record.contact.email,
    tags: tags ?? undefined,
  };
}
