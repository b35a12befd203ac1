// Intents: the row written before a call that is not idempotent, so that a lost answer is never a second call.

import { toJson } from '../contracts/stored-json.ts';
import type { Queryable } from './database.ts';

/** Names one effect: nothing is written twice under one key. */
export interface IntentKey {
  readonly account: string;
  readonly kind: 'card' | 'stage' | 'event-message' | 'event-move' | 'event-flow';
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
  /** Messages only: what the last call said, as a hash; what the first one is to say before there was one. */
  readonly mark: string | null;
}

const COLUMNS =
  'id, state, sends, refused, sent_at, mark, extract(epoch from clock_timestamp() - sent_at)::float8 as age';

/** Whom a message is for, and what it left behind: told by its answer, or found in the history. */
export interface MessageTrace {
  /** As `messageTarget` writes it. */
  readonly to: string;
  readonly ticket?: number | null;
  readonly contact?: number | null;
  /** As a history names them: `id:` and the message's id. The first message is the first that the answer named. */
  readonly messages?: readonly string[];
}

export interface NewIntent extends IntentKey {
  readonly run: string;
  /** Messages only: what it says, as a hash. */
  readonly mark?: string;
  readonly trace?: MessageTrace;
}

/** Finds the intent of this effect, or writes it down. A card is made once for good; a stage may be left and entered again. */
export async function openIntent(db: Queryable, intent: NewIntent): Promise<IntentRow> {
  const { mark = null, trace } = intent;
  await db.query(
    `insert into intents (account, kind, subject, run_id, mark, trace) values ($1, $2, $3, $4, $5, $6)
     on conflict (account, kind, subject) do update
        set state = 'open', run_id = excluded.run_id, sends = 0, refused = 0, sent_at = null, created_at = now()
      where intents.state = 'done' and intents.kind = 'stage'`,
    [
      intent.account,
      intent.kind,
      intent.subject,
      intent.run,
      mark,
      trace === undefined ? null : toJson(trace),
    ],
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
 * @param mark of a message: what this call says, kept with the right, so that a look after it looks for just that
 * @returns number of the sending, which `reopenIntent` asks for; null when another has the right
 */
export async function takeIntent(db: Queryable, id: number, mark?: string): Promise<number | null> {
  const [row] = await db.query<{ sends: number }>(
    `update intents set state = 'sent', sends = sends + 1, sent_at = clock_timestamp(), mark = coalesce($2, mark)
      where id = $1 and state = 'open' returning sends`,
    [id, mark ?? null],
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

/** Ends an intent: its effect is there, or can't be established. What is done stays so, whoever gives it up. */
export async function endIntent(
  db: Queryable,
  id: number,
  state: 'done' | 'unknown',
  detail?: string,
): Promise<void> {
  await db.query(
    `update intents set state = $2, detail = $3 where id = $1 and (state <> 'done' or $2 = 'done')`,
    [id, state, detail ?? null],
  );
}

/** Keeps what a message left behind, for the messages after it and for who follows its delivery. */
export async function traceIntent(tx: Queryable, id: number, trace: MessageTrace): Promise<void> {
  await tx.query('update intents set trace = $2 where id = $1', [id, toJson(trace)]);
}

/** Another intent whose message says the same to the same person. */
export interface Twin {
  readonly id: number;
  readonly state: IntentState;
  /** Seconds since its call went out. */
  readonly age: number;
  readonly trace: MessageTrace;
}

/**
 * Messages of other intents that may stand beside this one's in a conversation and look just like it.
 * @param targets the forms in which others may have named the conversation
 */
export async function findTwins(
  db: Queryable,
  own: { account: string; id: number; mark: string },
  place: { ticket: number; targets: readonly string[]; since: Date },
): Promise<Twin[]> {
  return await db.query<Twin>(
    `select id, state, extract(epoch from clock_timestamp() - sent_at)::float8 as age, trace
       from intents
      where account = $1 and mark = $2 and id <> $3 and state <> 'open' and sent_at >= $4
        and (trace->>'ticket' = $6::text or (trace->>'ticket' is null and trace->>'to' = any($5)))
      order by id`,
    [own.account, own.mark, own.id, place.since, place.targets, String(place.ticket)],
  );
}
