// Intents: the rows that Sluice writes before a call that is not idempotent, so that a lost answer never causes a
// second call.

import { toJson } from '../json/stored-json.ts';
import type { Queryable } from '../sql/database.ts';
import type { Note } from '../sql/notes.ts';

/** Marks a record as sent while this holder's batch leases it. It is a part of a statement. */
export const MARK_SENT = (id: string, holder: string): string =>
  `update run_records set sent_at = coalesce(sent_at, clock_timestamp())
    where id = ${id} and status = 'pending' and holder is not distinct from ${holder} returning 1`;

/** Kinds of the writes of a team's own activities. No other kind begins like this. */
export type OwnKind = `own-${string}`;

/** SQL: the intent belongs to a team's own activity. */
export const isOwnIntent = (row: string): string => `${row}.kind like 'own-%'`;

/** Names one effect. Nothing is written twice under one key. */
export interface IntentKey {
  readonly account: string;
  readonly kind: 'card' | 'stage' | 'event-message' | 'event-move' | 'event-flow' | OwnKind;
  /** Ledger ids of the subject. Of a team's own write, a hash. */
  readonly subject: string;
}

export type IntentState =
  /** Nothing was sent, or the call certainly had no effect. */
  | 'open'
  /** A call may be under way, or its answer was lost. */
  | 'sent'
  | 'done'
  /** A read-back could not decide the outcome. The operator sees it. */
  | 'unknown';

export interface IntentRow {
  readonly id: number;
  readonly state: IntentState;
  readonly sends: number;
  /** Calls that were certainly refused. The remaining calls lost their answers. */
  readonly refused: number;
  readonly sent_at: Date | null;
  /** Seconds since the call went out, by the database's clock. */
  readonly age: number | null;
  /** The service accepted the last call, but its answer did not show the effect. The call is never sent again. */
  readonly confirmed: boolean;
  /** What the last call sent: a message as a hash, a stage by its id. */
  readonly mark: string | null;
}

/** The columns of an {@link IntentRow}. */
export const COLUMNS =
  "id, state, sends, refused, sent_at, mark, (state = 'sent' and detail = 'CONFIRMED') as confirmed, extract(epoch from clock_timestamp() - sent_at)::float8 as age";

/** A message's recipient and traces: ids that its answer returned, or that the history shows. */
export interface MessageTrace {
  /** As written by `messageTarget`. */
  readonly to: string;
  readonly ticket?: number | null;
  readonly contact?: number | null;
  /** Ids as a history shows them: `id:` and the message's id. The first is the first that the answer named. */
  readonly messages?: readonly string[];
  /** Ids of uploaded files that it sends. The request, which names them too, is deleted when the event ends well. */
  readonly uploads?: readonly string[];
}

export interface NewIntent extends IntentKey {
  readonly run: string;
  /** What the call sends: a message as a hash, a stage by its id. */
  readonly mark?: string;
  readonly trace?: MessageTrace;
}

/** The current intent. A read-back never creates one. */
export async function getIntent(db: Queryable, intent: IntentKey): Promise<IntentRow | null> {
  const [row] = await db.query<IntentRow>(
    `select ${COLUMNS} from intents where account = $1 and kind = $2 and subject = $3`,
    [intent.account, intent.kind, intent.subject],
  );
  return row ?? null;
}

/** The right to send. */
export interface TakenIntent {
  readonly id: number;
  readonly sends: number;
  readonly sent_at: Date;
}

/** @param where selects the values to insert, with the tables that they come from */
const TAKE = (where: string) => `
  insert into intents (account, kind, subject, run_id, mark, trace, state, sends, sent_at)
  select $1, $2, $3, $4, $5, $6::jsonb, 'sent', 1, clock_timestamp() ${where}
      on conflict (account, kind, subject) do update
     set state = 'sent', sends = intents.sends + 1, sent_at = clock_timestamp(),
         mark = coalesce(excluded.mark, intents.mark), detail = null
   where intents.state = 'open'
  returning id, sends, sent_at`;

const paramsOf = ({ account, kind, subject, run, mark, trace }: NewIntent) => [
  account,
  kind,
  subject,
  run,
  mark ?? null,
  trace === undefined ? null : toJson(trace),
];

/**
 * Records the intent and takes the right to send in one statement. Exactly one caller gets it, and only while nothing
 * is under way. `mark` is stored with it, so that a read-back searches for what this call sent. An event must be open
 * and is locked: whoever closes it either comes first or finds the intent.
 * @returns null when another caller has the right, the effect exists, or the event has ended
 */
export async function takeIntent(db: Queryable, intent: NewIntent): Promise<TakenIntent | null> {
  const [row] = await db.query<TakenIntent>(
    `with event as materialized (select 1 from events where id = $3 and account = $1 and state <> 'ended' for update)
     ${TAKE("where $2 not like 'event-%' or exists (select from event)")}`,
    paramsOf(intent),
  );
  return row ?? null;
}

/**
 * Takes an intent of a record and marks the record as sent. See `markSent`.
 * @returns `lost` when the record belongs to another batch; nothing was taken then
 */
export async function takeRecordIntent(
  db: Queryable,
  intent: NewIntent,
  { id, holder }: { readonly id: number; readonly holder: string | null },
): Promise<TakenIntent | null | 'lost'> {
  const [row] = await db.query<{ marked: boolean; id: number | null } & Omit<TakenIntent, 'id'>>(
    `with record as (${MARK_SENT('$7', '$8')}), taken as (${TAKE('from record')})
     select exists (select from record) as marked, taken.* from (select) as one left join taken on true`,
    [...paramsOf(intent), id, holder],
  );
  if (row?.marked !== true) return 'lost';
  const { id: taken, sends, sent_at } = row;
  return taken === null ? null : { id: taken, sends, sent_at };
}

/** Several records share the intent of one card's stage, so the intent may belong to a call for another stage. */
export function isOthers({ kind, mark }: NewIntent, { mark: said }: IntentRow): boolean {
  return kind === 'stage' && said !== mark;
}

/**
 * Reopens a finished intent, because a card may leave a stage and enter it again. Also reopens an intent for another
 * value once its answer is overdue.
 * @param overdue seconds
 * @returns the intent when it was not reopened
 */
export async function openAgain(
  db: Queryable,
  { account, kind, subject, run, mark }: NewIntent,
  overdue: number,
): Promise<IntentRow | null> {
  // The send count continues: a late answer to an earlier call must not count for a later one.
  const [row] = await db.query<IntentRow>(
    `with opened as (
       update intents set state = 'open', run_id = $4, refused = sends, sent_at = null, created_at = now()
        where account = $1 and kind = $2 and subject = $3
          and (state = 'done' or state <> 'open' and mark is distinct from $5::text
               and sent_at < clock_timestamp() - make_interval(secs => $6))
       returning 1)
     select ${COLUMNS} from intents
      where account = $1 and kind = $2 and subject = $3 and not exists (select from opened)`,
    [account, kind, subject, run, mark ?? null, overdue],
  );
  return row ?? null;
}

/** Ends an intent because the effect exists, whoever caused it. Nobody may send any more. */
export async function settleIntent(tx: Queryable, { account, kind, subject, run }: NewIntent): Promise<void> {
  await tx.query(
    `insert into intents (account, kind, subject, run_id, state) values ($1, $2, $3, $4, 'done')
     on conflict (account, kind, subject) do update set state = 'done', detail = null`,
    [account, kind, subject, run],
  );
}

/**
 * Allows one more call after a call that certainly had no effect. If another attempt has sent since, nothing changes.
 * @param refused the service refused the call; false when no effect was found
 */
export async function reopenIntent(db: Queryable, id: number, sends: number, refused = false): Promise<void> {
  await db.query(
    `update intents set state = 'open', refused = refused + $3::int where id = $1 and sends = $2 and state <> 'done'`,
    [id, sends, refused ? 1 : 0],
  );
}

/** Records that the service accepted the current call with an answer that does not show the effect. */
export async function confirmIntent(db: Queryable, id: number): Promise<void> {
  await db.query(`update intents set detail = 'CONFIRMED' where id = $1 and state = 'sent'`, [id]);
}

/**
 * Ends an intent: its effect exists or is unknown. A finished intent stays finished, even if another attempt gives it
 * up.
 */
export async function endIntent(
  db: Queryable,
  id: number,
  state: 'done' | 'unknown',
  detail: string | null = null,
): Promise<void> {
  await db.query(
    `update intents set state = $2, detail = $3 where id = $1 and (state <> 'done' or $2 = 'done')`,
    [id, state, detail],
  );
}

/** The note that ends an intent whose effect exists. */
export function doneNote(id: number): Note {
  return (param) => `update intents set state = 'done', detail = null where id = ${param(id)}`;
}

/** Another intent whose message has the same text for the same person. */
export interface LookAlike {
  readonly id: number;
  readonly state: IntentState;
  /** Seconds since its call went out. */
  readonly age: number;
  readonly trace: MessageTrace;
}

/**
 * Finds messages of other intents in the same conversation that look the same as this one's.
 * @param targets the forms in which others may have named the conversation
 */
export async function findLookAlikes(
  db: Queryable,
  own: { account: string; id: number; mark: string },
  place: { ticket: number; targets: readonly string[]; since: Date },
): Promise<LookAlike[]> {
  return await db.query<LookAlike>(
    `select id, state, extract(epoch from clock_timestamp() - sent_at)::float8 as age, trace
       from intents
      where account = $1 and mark = $2 and id <> $3 and state <> 'open' and sent_at >= $4
        and (trace->>'ticket' = $6::text or (trace->>'ticket' is null and trace->>'to' = any($5)))
      order by id`,
    [own.account, own.mark, own.id, place.since, place.targets, String(place.ticket)],
  );
}

/**
 * Deletes intents of teams' own activities that are older than this number of days.
 * @returns the number of rows; a further call may find more
 */
export async function forgetOwnIntents(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from intents where id in (
       select id from intents i where ${isOwnIntent('i')} and created_at < now() - make_interval(secs => $1::float8 * 86400)
        order by created_at limit $2)
     returning 1`,
    [days, limit],
  );
  return rows.length;
}
