// Everything that happened to a person, as one list, newest first.

import { CONVERSATION_ITEM } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import { pageOf } from '../../../core/page.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { queryNamed } from '../named-parameters.ts';
import { namesOf, type Person } from './person.ts';
import { TIMELINE_PARTS } from './timeline-parts.ts';

export interface TimelineRow {
  /** Distinguishes entries of one time. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: string;
  readonly code: string;
  /** Fields of the kind. They contain personal data. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface TimelinePage {
  /** Empty: all. */
  readonly kinds: readonly string[];
  readonly limit: number;
  /** `next` of the page before. */
  readonly before: string | null;
}

/** Thrown when a cursor is not one of this list. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
  constructor() {
    super('before: this is not the cursor of a timeline; use `next` of the page before');
  }
}

/** Texts of conversations are encrypted where they stand. */
function readable(db: Queryable, { account }: Person, facts: TimelineRow['facts']): TimelineRow['facts'] {
  const { conversation, lastMessage } = facts;
  if (lastMessage === undefined) return facts;
  const row = [account, conversation as number];
  return { ...facts, ...decryptValue(db, CONVERSATION_ITEM, row, { lastMessage }) };
}

/** @throws CursorError */
export async function readTimeline(
  db: Queryable,
  person: Person,
  { kinds, limit, before }: TimelinePage,
): Promise<{ entries: TimelineRow[]; next: string | null }> {
  const cursor = before === null ? null : readCursor(before);
  const parts = TIMELINE_PARTS.filter(
    ([of]) => kinds.length === 0 || of.some((kind) => kinds.includes(kind)),
  );
  const rows = await queryNamed<TimelineRow & { exact: string }>(
    db,
    `with entries as (${parts.flatMap(([, statements]) => statements).join('\n union all\n')})
     select id, kind, code, facts, ${isoText('at')} as at,
            to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as exact
       from entries
      where at is not null and (cardinality(:kinds::text[]) = 0 or kind = any(:kinds::text[]))
        and (:at::timestamptz is null or (at, id collate "C") < (:at::timestamptz, :id::text))
      order by entries.at desc, id collate "C" desc limit :limit::int`,
    { ...namesOf(person), kinds, limit: limit + 1, at: cursor?.at ?? null, id: cursor?.id ?? null },
  );
  const { page, next } = pageOf(rows, limit, ({ exact, id }) => writeCursor(exact, id));
  return {
    entries: page.map(({ id, at, kind, code, facts }) => ({
      id,
      at,
      kind,
      code,
      facts: readable(db, person, facts),
    })),
    next,
  };
}

function writeCursor(at: string, id: string): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

function readCursor(text: string): { at: string; id: string } {
  const [, at, id] =
    /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.+)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at))) throw new CursorError();
  return { at, id };
}
