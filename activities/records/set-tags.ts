// The step that sets a contact's tags.
import { tagsNote } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Deps } from '../shared/deps.ts';
import { readContact, remoteId, writeContact } from './contact.ts';
import type { StepContext, StepResult } from './record-step.ts';
import { seenInRun } from './seen-contact.ts';
import { planTags, sentTags } from './tag-plan.ts';
import { confirmed, failOther, noteDifferences, tagDifferences } from './verify-write.ts';

/** PUT /v1/contacts/{contactId}/tags. It replaces the whole list, so the list includes tags that people set. */
export async function setTags(deps: Deps, c: StepContext): Promise<StepResult> {
  const { db } = deps;
  const seen = seenInRun(c)?.tags ?? null;
  if (c.row.tag_ids === null && seen === null && c.spec.options.tags !== 'replace')
    return await settleStep(db, c.row, { clear: 0, add: STEP_BITS.readExtraInfo });
  const planned = c.row.tag_ids;
  const tags =
    planned === null ? await planTags(db, c, seen) : { ...planned, wanted: planned.wanted ?? planned.added };
  // The account's tags could not be read, so these wait for a later run.
  if (tags === null) return await settleStep(db, c.row, { clear: STEP_BITS.setTags });
  const { ids } = tags;
  const answer =
    ids === null
      ? null
      : await writeContact(deps, c, (client, options) => client.contacts.setTags(remoteId(c), ids, options));
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
  const { tags: now } = shown ?? (await readContact(deps, c));
  const differences = await confirmed(tagDifferences(ids, now), c.verify, async () =>
    tagDifferences(ids, (await readContact(deps, c)).tags),
  );
  return { ...settled, check: await noteDifferences(deps, c, differences) };
}
