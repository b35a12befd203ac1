// What the ledger knows of a person, written down without the step that finds it out.
import type { Queryable } from '../../src/core/sql/database.ts';
import type { Note } from '../../src/core/sql/notes.ts';
import { cardNote, contactNote, stageNote } from '../../src/core/store/people.ts';

/** Runs a note by itself. */
export async function writeNote<Row>(db: Queryable, note: Note): Promise<Row[]> {
  const values: unknown[] = [];
  return await db.query<Row>(
    note((value) => `$${values.push(value)}`, db),
    values,
  );
}

/** @returns the person's ledger id */
export async function noteContact(
  db: Queryable,
  ...contact: Parameters<typeof contactNote>
): Promise<number> {
  const [row] = await writeNote<{ id: number }>(db, contactNote(...contact));
  return (row as { id: number }).id;
}

export async function noteCard(db: Queryable, ...card: Parameters<typeof cardNote>): Promise<void> {
  await writeNote(db, cardNote(...card));
}

export async function noteStage(db: Queryable, ...stage: Parameters<typeof stageNote>): Promise<void> {
  await writeNote(db, stageNote(...stage));
}
