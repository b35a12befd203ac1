// Intents: the row written before a call that is not idempotent, so that a lost answer is never a second call.
import type { Queryable } from './database.ts';

/** Names one effect: nothing is written twice under one key. */
export interface IntentKey {
  readonly account: string;
  readonly kind: 'card' | 'stage';
  /** Ledger ids of what the effect is about. */
  readonly subject: string;
}

export type IntentState =
  /** Nothing has been sent, or it is certain that what was sent had no effect. */
  | 'open'
  /** A call may be under way, or its answer was lost. */
  | 'sent'
  | 'done'
  /** Reading back could not settle it; shown to the operator. */
  | 'unknown';

export interface IntentRow {
  readonly id: number;
  readonly state: IntentState;
  readonly sends: number;
  readonly sent_at: Date | null;
  /** Seconds since the call went out, by the database's clock. */
  readonly age: number | null;
}

const COLUMNS = 'id, state, sends, sent_at, extract(epoch from clock_timestamp() - sent_at)::float8 as age';

/** Finds the intent of this effect, or writes it down. A finished effect may be intended anew. */
export async function openIntent(db: Queryable, intent: IntentKey & { run: string }): Promise<IntentRow> {
  await db.query(
    `insert into intents (account, kind, subject, run_id) values ($1, $2, $3, $4)
     on conflict (account, kind, subject) do update
        set state = 'open', run_id = excluded.run_id, sends = 0, sent_at = null, created_at = now()
      where intents.state = 'done'`,
    [intent.account, intent.kind, intent.subject, intent.run],
  );
  return (await getIntent(db, intent)) as IntentRow;
}

/** The intent as it stands; a read-back never makes one anew. */
export async function getIntent(db: Queryable, intent: IntentKey): Promise<IntentRow | null> {
  const [row] = await db.query<IntentRow>(
    `select ${COLUMNS} from intents where account = $1 and kind = $2 and subject = $3`,
    [intent.account, intent.kind, intent.subject],
  );
  return row ?? null;
}

/** Takes the right to send: true for exactly one caller, and only while nothing is under way. */
export async function takeIntent(db: Queryable, id: number): Promise<boolean> {
  const rows = await db.query(
    `update intents set state = 'sent', sends = sends + 1, sent_at = clock_timestamp() where id = $1 and state = 'open'
     returning id`,
    [id],
  );
  return rows.length === 1;
}

/** Moves an intent on: back to open when nothing happened, to done, or to unknown. */
export async function setIntent(
  db: Queryable,
  id: number,
  state: Exclude<IntentState, 'sent'>,
  detail?: string,
) {
  await db.query('update intents set state = $2, detail = $3 where id = $1', [id, state, detail ?? null]);
}
