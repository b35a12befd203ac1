// Computes the tag list that a contact must have, from the wanted names, the current names, and the account's tag
// ids.

import type { Queryable } from '../../src/core/sql/database.ts';
import { pick } from '../../src/core/store/catalog.ts';
import type { SentTags } from '../../src/core/store/people.ts';
import { addMissingTag } from '../../src/jobs/sync/store/missing-tags.ts';
import { hashRecord, targetTags } from './record-diff.ts';
import type { StepContext } from './record-step.ts';

export interface TagPlan {
  /** Null when the list is already correct. */
  readonly ids: number[] | null;
  /** Names that Sluice set. */
  readonly added: string[];
  /** Names that the account does not have. */
  readonly missing: string[];
  /** Names that the record asks for and the account has. */
  readonly wanted: string[];
}

/**
 * Plans the tag list. Returns null when the account's tags could not be read; they wait for a later run. Tags unknown
 * to the account get one warning each, with the rows that ask for them.
 * @param current names on the contact now; null when nobody read them, which only `replace` allows
 */
export async function planTags(
  db: Queryable,
  c: StepContext,
  current: readonly { readonly name: string; readonly id: number }[] | null,
): Promise<TagPlan | null> {
  const mine = c.person?.tags_added ?? [];
  const known = await c.lists.tags(db);
  if (known === null && c.record.tags.length > 0) return null;
  const catalog = known ?? [];
  const wanted: string[] = [];
  const missing: string[] = [];
  for (const name of c.record.tags) {
    const tag = pick(catalog, name);
    if (tag !== null) wanted.push(tag.name);
    else {
      missing.push(name);
      await addMissingTag(db, c.run, name, c.row.row_no);
    }
  }
  if (current === null && c.spec.options.tags !== 'replace')
    throw new Error('Sluice must read the contact before it can keep tags that others set');
  const names = (current ?? []).map((tag) => tag.name);
  const { tags: mode } = c.spec.options;
  const kept = mode === 'merge' ? withoutRemoved(wanted, names, c.person?.tags_sent ?? mine) : wanted;
  const target = current === null ? wanted : targetTags(names, kept, mine, mode);
  const added = wanted.filter((name) => mine.includes(name) || !names.includes(name));
  if (target === null) return { ids: null, added, missing, wanted };
  const byName = new Map([...catalog, ...(current ?? [])].map((tag) => [tag.name, tag.id]));
  return { ids: target.map((name) => byName.get(name) as number), added, missing, wanted };
}

/** A tag that the contact had and lost was removed by the team. It comes back when the source drops it and asks again. */
function withoutRemoved(
  wanted: readonly string[],
  current: readonly string[],
  sent: readonly string[],
): string[] {
  return wanted.filter((name) => current.includes(name) || !sent.includes(name));
}

/**
 * The tags that Sluice set, as the ledger stores them. Null for added tags: no sync owns them, so none removes them.
 */
export function sentTags(c: StepContext, { added, missing, wanted }: TagPlan): SentTags | null {
  if (c.spec.options.tags === 'add') return null;
  return { hash: hashRecord(c.record, c.spec.options).tags, added, missing, wanted };
}
