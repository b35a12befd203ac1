// Combined create: the card's call also creates the contact. Prepares that call and plans what is left to do after
// it.

import type { Database, Queryable } from '../../src/core/sql/database.ts';
import type { Note } from '../../src/core/sql/notes.ts';
import { contactNote, makePerson } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { markSent, type StepChange, settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import { again } from './contact.ts';
import { contactChange } from './contact-change.ts';
import { hashRecord, planSteps } from './record-diff.ts';
import type { StepContext, StepResult } from './record-step.ts';
import { planTags, sentTags } from './tag-plan.ts';

/** Makes sure that the person has a ledger id, because the intent is named by it. */
export async function withPerson(db: Queryable, c: StepContext): Promise<StepContext> {
  if (c.person !== null) return c;
  const made = await makePerson(db, c.spec.account, c.row.key);
  return made === null ? await again(db, c) : { ...c, person: { ...made, card: null } };
}

/** Inputs that create the contact together with the card. */
export function personOf(c: StepContext): { phone: string; contactName?: string } {
  const { write } = contactChange(c.record.contact, {}, null, c.spec.options, true);
  return {
    phone: c.record.contact.number,
    contactName: write.name,
  };
}

/** The step that sets a new contact's tags. It comes after the card. */
export function tagBit(c: StepContext): number {
  return c.record.tags.length > 0 || c.spec.options.tags === 'replace' ? STEP_BITS.setTags : 0;
}

/** Splits the combined create: the contact first, then the card. */
export async function contactFirst(db: Queryable, c: StepContext): Promise<StepResult> {
  return await settleStep(db, c.row, { clear: 0, add: STEP_BITS.upsertContact | tagBit(c) });
}

/**
 * Handles a contact that somebody created after the combined create was planned. An insert leaves that person alone;
 * any other mode writes the contact before the card. Returns null when nobody created it.
 */
export async function settleOvertaken(db: Database, c: StepContext): Promise<StepResult | null> {
  const { row, spec, person, record } = c;
  if (row.sent_at !== null || person === null || row.row_no === 0) return null;
  if (spec.options.mode === 'insert' && person.created_by !== spec.sync)
    return await settleStep(db, row, { clear: row.todo });
  const contact = STEP_BITS.readExtraInfo | STEP_BITS.upsertContact | STEP_BITS.setTags;
  const missing = planSteps(record, person, spec.options, spec.sync) & contact;
  if (missing === 0 || (row.todo & STEP_BITS.setTags) !== 0) return null;
  // This happens once: from now on the record counts as written.
  return await db.transaction(async (tx) => {
    await markSent(tx, row.id, row.holder);
    return await settleStep(tx, row, { clear: 0, add: missing | STEP_BITS.findCard });
  });
}

/** The contact that was created with the card, as the ledger stores it, and the steps that it still needs. */
export async function combinedContact(
  tx: Queryable,
  c: StepContext,
  card: Card,
): Promise<{ note: Note; change: Pick<StepChange, 'add' | 'created' | 'tagIds'> }> {
  const { id, number, name, tags: current } = card.contact;
  const { contact, extraInfo } = c.record;
  const change = contactChange(contact, {}, null, c.spec.options, true);
  const hashes = hashRecord(c.record, c.spec.options);
  const right = change.write.name === undefined || change.write.name === name;
  // If the name is missing, the service uses another input name. If the name differs, the contact existed before.
  const made = right || name === number || name === '';
  const plan = right && tagBit(c) !== 0 ? await planTags(tx, c, current) : null;
  const tags = plan !== null && plan.ids === null ? sentTags(c, plan) : null;
  const note = contactNote(c.spec.account, c.row.key, {
    remoteId: id,
    remoteNumber: number,
    hashContact: right ? hashes.contact : '',
    hashExtra: extraInfo.length === 0 ? hashes.extra : '',
    extra: null,
    marks: right ? change.sent : {},
    createdBy: made ? c.spec.sync : null,
    name: contact.name,
    email: contact.email,
    tags: tags ?? undefined,
  });
  if (!right) return { note, change: { add: STEP_BITS.upsertContact | tagBit(c), created: made } };
  if (tagBit(c) === 0 || (plan !== null && plan.ids === null))
    return { note, change: { add: 0, created: true } };
  const tagIds = plan?.ids == null ? {} : { tagIds: { ...plan, ids: plan.ids } };
  return { note, change: { add: STEP_BITS.setTags, created: true, ...tagIds } };
}
