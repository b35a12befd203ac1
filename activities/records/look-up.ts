// The steps that read a record's contact and decide what is left to write.
import { noteSeen } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Deps } from '../shared/deps.ts';
import { CONTACTS, choose, listContacts, withNumber } from '../shared/person-lists.ts';
import { wholeList } from '../shared/whole-list.ts';
import { again, readContact } from './contact.ts';
import { canCombine } from './record-diff.ts';
import { cardsAreOpen, type StepContext, type StepResult } from './record-step.ts';
import { seenOf, settleSeen } from './seen-contact.ts';

/** GET /v1/contacts?number=. Covers both forms of a Brazilian number. */
export async function lookup(deps: Deps, c: StepContext): Promise<StepResult> {
  const list = await listContacts(deps, c.account, c.run, c.record.key);
  const found = choose(wholeList(CONTACTS, list, withNumber(c.record.key, 'lookup')), c.record.key);
  return await deps.db.transaction(async (tx) => {
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
}

/** GET /v1/contacts/{contactId}. */
export async function readExtraInfo(deps: Deps, c: StepContext): Promise<StepResult> {
  const contact = await readContact(deps, c);
  return await deps.db.transaction(async (tx) => {
    const seen = { id: contact.id, contact: seenOf(contact, contact.extraInfo) };
    await noteSeen(tx, c.spec.account, c.row.key, c.run, seen);
    return await settleSeen(tx, await again(tx, c), STEP_BITS.readExtraInfo);
  });
}
