// The budget's SQL statements, one round trip each. src/core/sql/schema/budget-functions.ts explains what they do.
import type { Scope } from '../../core/scopes.ts';
import type { Database, Queryable } from '../../core/sql/database.ts';
import { learn, type Observation, type TokenBudget } from './estimate.ts';

/** Calls per minute that the configuration sets for a token. */
export interface TokenPlan {
  /** Used until the first answer shows the real limit. */
  readonly limit: number;
  /** Reserved for replies, and for leads. */
  readonly reply: number;
  readonly lead: number;
  /** Reserved for polling, campaigns and syncs together. */
  readonly floor: number;
}

/** A key's own evenly spaced slots beside those of the token, such as those of a campaign with a rate. */
export interface Pace {
  readonly key: string;
  readonly perMinute: number;
}

export interface TakeAsk {
  readonly tokens: readonly string[];
  readonly plans: readonly TokenPlan[];
  /** Number of slots wanted, by lane. */
  readonly wanted: ReadonlyMap<number, number>;
  /** Null when marks of tokens do not matter. */
  readonly scopes: readonly string[] | null;
  readonly pace?: Pace | null;
  /**
   * Seconds by which the calls may be later than usual.
   * @default 0
   */
  readonly slackS?: number;
  /** A clock for tests. */
  readonly now?: Date | undefined;
}

export interface TakenSlot {
  readonly token: string;
  /** The lane that gets the slot. */
  readonly lane: number;
  /** Number of the slot. Each token numbers its own slots. */
  readonly slot: number;
  /** The service refused the token recently, and no better one was available. */
  readonly marked: boolean;
  /** Seconds from `TakeAnswer.at_s` until the slot is due; down to -0.1 when the caller asked late. */
  readonly wait_s: number;
}

export interface TakeAnswer {
  readonly slots: readonly TakenSlot[];
  /** When the ledger handed out the slots, in epoch seconds by its own clock. */
  readonly at_s: number;
  /** Seconds from then until one of the lanes may find another slot. */
  readonly next_s: number;
}

interface TakeRow {
  readonly chosen: string;
  readonly lane: number | null;
  readonly slot: number;
  readonly marked: boolean;
  readonly wait_s: number;
  readonly at_s: number;
}

export async function takeSlots(db: Queryable, ask: TakeAsk): Promise<TakeAnswer> {
  const { reply, lead, floor } = ask.plans[0] as TokenPlan;
  const rows = await db.query<TakeRow>(
    'select * from sluice_take_slots($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    [
      ask.tokens,
      ask.plans.map(({ limit }) => limit),
      [...ask.wanted.keys()],
      [...ask.wanted.values()],
      reply,
      lead,
      floor,
      ask.scopes,
      ask.pace?.key ?? null,
      ask.pace?.perMinute ?? null,
      ask.slackS ?? 0,
      ask.now?.toISOString() ?? null,
    ],
  );
  const last = rows.pop();
  if (last === undefined) throw new Error('the ledger gave no answer about a slot');
  const slots = rows.map(({ chosen, lane, slot, marked, wait_s }) => ({
    token: chosen,
    lane: lane as number,
    slot,
    marked,
    wait_s,
  }));
  return { slots, at_s: last.at_s, next_s: last.wait_s };
}

/** Columns of a token's row, as `learn` needs them. Times are epoch seconds. */
const STATE = `
  call_limit as "limit", limit_seen as "limitSeen", slot_no as "slotNo", extract(epoch from next_at)::float8 as "nextAt",
  extract(epoch from blocked_until)::float8 as "blockedUntil", extract(epoch from window_reset)::float8 as "windowReset",
  extract(epoch from window_ends)::float8 as "windowEnds", window_first as "windowFirst", window_last as "windowLast",
  window_before as "windowBefore", own_before as "ownBefore", window_base as "windowBase", skew_s as skew,
  foreign_now as "foreignNow", burst_now as "burstNow", foreign_usual as "foreignUsual", burst_usual as "burstUsual",
  extract(epoch from mark_at)::float8 as "markAt", mark_last as "markLast", mark_before as "markBefore",
  out_of_step as "outOfStep", stretch_s as stretch, extract(epoch from stretch_until)::float8 as "stretchUntil"`;

const WRITE = `
  update slots set call_limit = $2, limit_seen = $3, blocked_until = to_timestamp($4::float8),
    window_reset = to_timestamp($5::float8), window_ends = to_timestamp($6::float8), window_first = $7, window_last = $8,
    window_before = $9, own_before = $10, window_base = $11, skew_s = $12, foreign_now = $13, burst_now = $14,
    foreign_usual = $15, burst_usual = $16, mark_at = to_timestamp($17::float8), mark_last = $18, mark_before = $19,
    stretch_s = $20, stretch_until = to_timestamp($21::float8), out_of_step = $22
   where token = $1`;

/**
 * Learns from an answer, under the lock of the token's row.
 * @param now a clock for tests, in epoch seconds
 * @returns the new state and the ledger's time in epoch seconds; null when the token has no slot yet
 */
export async function observeRate(
  db: Pick<Database, 'transaction'>,
  token: string,
  seen: Omit<Observation, 'now'>,
  now?: number,
): Promise<{ state: TokenBudget; now: number } | null> {
  return await db.transaction(async (tx) => {
    // Reads the clock after taking the lock.
    const [row] = await tx.query<TokenBudget & { readonly now: number }>(
      `with locked as materialized (select * from slots where token = $1 for update)
       select ${STATE}, coalesce($2, extract(epoch from clock_timestamp()))::float8 as now from locked`,
      [token, now ?? null],
    );
    if (row === undefined) return null;
    const s = learn(row, { ...seen, now: row.now });
    await tx.query(WRITE, [
      token,
      s.limit,
      s.limitSeen,
      s.blockedUntil,
      s.windowReset,
      s.windowEnds,
      s.windowFirst,
      s.windowLast,
      s.windowBefore,
      s.ownBefore,
      s.windowBase,
      s.skew,
      s.foreignNow,
      s.burstNow,
      s.foreignUsual,
      s.burstUsual,
      s.markAt,
      s.markLast,
      s.markBefore,
      s.stretch,
      s.stretchUntil,
      s.outOfStep,
    ]);
    return { state: s, now: row.now };
  });
}

/**
 * A refused call also shows that other programs wanted more than was counted: part of their burst was refused too.
 */
export async function blockToken(db: Queryable, token: string, ms: number, now?: Date): Promise<void> {
  await db.query(
    `update slots set
            blocked_until = greatest(blocked_until, coalesce($3::timestamptz, clock_timestamp()) + make_interval(secs => $2::float8)),
            foreign_now = case when foreign_now > 0 then least(call_limit, foreign_now + burst_now / 2) else 0 end
      where token = $1`,
    [token, ms / 1000, now?.toISOString() ?? null],
  );
}

/**
 * Marks that count against a token for a call: it was refused completely, for this scope, or for the read scope in
 * it.
 */
export function marksAgainst(scope: Scope): readonly string[] {
  const read = scope.replace(/:write$/, ':read');
  return read === scope ? ['', scope] : ['', scope, read];
}

/** @returns true when the mark is new */
export async function markToken(db: Queryable, token: string, scope: string, code: string): Promise<boolean> {
  const [row] = await db.query<{ fresh: boolean }>(
    `insert into token_marks (token, scope, code) values ($1, $2, $3)
     on conflict (token, scope) do update set at = clock_timestamp(), code = excluded.code
     returning xmax = 0 as fresh`,
    [token, scope, code],
  );
  return row?.fresh ?? false;
}

/**
 * Clears the marks that are older than an accepted call. A newer one may be of a call after it, so it stays.
 * @param takenAt when the ledger handed out the slot of the accepted call, in epoch seconds by its own clock
 * @returns true when newer marks are left
 */
export async function clearMarks(
  db: Queryable,
  token: string,
  scopes: readonly string[],
  takenAt: number,
): Promise<boolean> {
  const [row] = await db.query<{ left: boolean }>(
    `with cleared as (delete from token_marks where token = $1 and scope = any($2) and at < to_timestamp($3))
     select exists (select from token_marks
                     where token = $1 and scope = any($2) and at >= to_timestamp($3)) as "left"`,
    [token, scopes, takenAt],
  );
  return row?.left ?? false;
}

/** One token as the ledger sees it. Times are by the ledger's clock. */
export interface TokenState {
  readonly token: string;
  /** Calls per minute. */
  readonly limit: number;
  /** Milliseconds until the next slot is due, and until a block ends; 0 when it is now. */
  readonly nextFreeMs: number;
  readonly blockedMs: number;
  /** Estimated calls per minute of other programs. */
  readonly foreign: number;
  /** Our calls in the last complete window. */
  readonly ownBefore: number;
  /** Codes of refusals that still count against the token, by scope ('' means all). */
  readonly marks: Readonly<Record<string, string>>;
}

export async function tokenStates(db: Queryable, tokens: readonly string[]): Promise<TokenState[]> {
  return await db.query<TokenState>(
    `select s.token, s.call_limit as "limit",
            1000 * (extract(epoch from greatest(sluice_due(s), now())) - extract(epoch from now()))::float8 as "nextFreeMs",
            1000 * (extract(epoch from greatest(s.blocked_until, now())) - extract(epoch from now()))::float8 as "blockedMs",
            case when s.window_ends > now() - interval '1 minute' then greatest(s.foreign_usual, s.foreign_now)
                 else 0 end as foreign,
            s.own_before as "ownBefore",
            coalesce((select jsonb_object_agg(m.scope, m.code) from token_marks m
                       where m.token = s.token and m.at > now() - interval '10 minutes'), '{}') as marks
       from slots s where s.token = any($1)`,
    [tokens],
  );
}
