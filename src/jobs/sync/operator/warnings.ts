// Warnings of a run for a list, with the rows that ask for tags that the account lacks.

import type { Queryable } from '../../../core/sql/database.ts';
import { maskValue } from '../../../observe/masking.ts';
import type { Output } from '../../../operator/contract/index.ts';
import { UNKNOWN_TAG } from '../constants.ts';
import { askedFor, missingTagReason } from '../store/missing-tags.ts';
import { listWarnings } from '../store/run-warnings.ts';

type Listed = Output<'GET /syncs/{sync}/warnings'>['warnings'];

/** A mapping that takes tags from the wrong column can turn a number or an address into a tag, so tags are masked. */
export async function listMaskedWarnings(
  db: Queryable,
  run: string,
  page: { limit: number; offset: number },
): Promise<Listed> {
  const warnings = await listWarnings(db, run, page);
  const tags = warnings.flatMap(({ code, subject }) => (code === UNKNOWN_TAG ? [subject] : []));
  const asked = await askedFor(db, run, tags);
  return warnings.map(({ step, code, reason, subject }) => {
    if (code !== UNKNOWN_TAG) return { step, code, reason, tag: null, people: 0, firstRows: [] };
    const tag = maskValue('tags.0', subject);
    const { people = 0, firstRows = [] } = asked.get(subject) ?? {};
    return { step, code, reason: missingTagReason(tag), tag, people, firstRows: [...firstRows] };
  });
}
