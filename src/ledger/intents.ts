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
  /** How many of them were refused for certain: what is left are answers that were lost. */
  readonly refused: number;
  readonly sent_at: Date | null;
  /** Seconds since the call went out, by the database's clock. */
  readonly age: number | null;
}

const COLUMNS =
  'id, state, sends, refused, sent_at, extract(epoch from clock_timestamp() - sent_at)::float8 as age';

/** Finds the intent of this effect, or writes it down. A card is made once for good; a stage may be left and entered again. */
export async function openIntent(db: Queryable, intent: IntentKey & { run: string }): Promise<IntentRow> {
  await db.query(
    `insert into intents (account, kind, subject, run_id) values ($1, $2, $3, $4)
     on conflict (account, kind, subject) do update
        set state = 'open', run_id = excluded.run_id, sends = 0, refused = 0, sent_at = null, created_at = now()
      where intents.state = 'done' and intents.kind = 'stage'`,
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

/**
 * Takes the right to send: given to exactly one caller, and only while nothing is under way.
 * @returns number of the sending, which `reopenIntent` asks for; null when another has the right
 */
export async function takeIntent(db: Queryable, id: number): Promise<number | null> {
  const [row] = await db.query<{ sends: number }>(
    `update intents set state = 'sent', sends = sends + 1, sent_at = clock_timestamp() where id = $1 and state = 'open'
     returning sends`,
    [id],
  );
  return row?.sends ?? null;
}

/**
 * Allows one more sending after one that had no effect for certain. An attempt that was late finds that
 * another has sent since, and changes nothing.
 * @param refused the service said no; else nothing was found of it
 */
export async function reopenIntent(db: Queryable, id: number, sends: number, refused = false): Promise<void> {
  await db.query(
    `update intents set state = 'open', refused = refused + $3::int where id = $1 and sends = $2 and state <> 'done'`,
    [id, sends, refused ? 1 : 0],
  );
}

/** Ends an intent: its effect is there, or can't be established. */
export async function endIntent(
  db: Queryable,
  id: number,
  state: 'done' | 'unknown',
  detail?: string,
): Promise<void> {
  await db.query('update intents set state = $2, detail = $3 where id = $1', [id, state, detail ?? null]);
}
