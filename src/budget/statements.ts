// The budget's statements; what they do stands in src/ledger/schema/budget.ts. Each is one round trip.
import type { Scope } from '../contracts/scopes.ts';
import type { Queryable } from '../ledger/database.ts';

/** What the configuration says of a token, in calls a minute. */
export interface TokenPlan {
  /** Until the first answer tells. */
  readonly limit: number;
  /** Kept for replies, and for leads. */
  readonly reply: number;
  readonly lead: number;
  /** Kept for polling, campaigns and syncs together. */
  readonly floor: number;
}

export interface TakeAsk {
  readonly tokens: readonly string[];
  readonly plans: readonly TokenPlan[];
  /** Those that somebody waits in. */
  readonly lanes: readonly number[];
  /** Null: marks of tokens do not matter. */
  readonly scopes: readonly string[] | null;
  /** For tests: a clock of their own. */
  readonly now?: Date | undefined;
}

export interface TakeAnswer {
  /** The token of the slot; of a refusal the one that is free first. */
  readonly chosen: string;
  readonly taken: boolean;
  /** Whose the slot is. */
  readonly lane: number;
  /** Seconds until the slot is due; of a refusal until it is worth asking again. */
  readonly wait_s: number;
  /** Its number: each token counts its own. */
  readonly slot: number;
  /** The token was refused lately, and is tried for want of a better one. */
  readonly marked: boolean;
  /** Seconds until one of the lanes may take another slot. */
  readonly next_s: number;
  /** Seconds between two slots. */
  readonly gap_s: number;
}

export async function takeSlot(db: Queryable, ask: TakeAsk): Promise<TakeAnswer> {
  const { reply, lead, floor } = ask.plans[0] as TokenPlan;
  const [row] = await db.query<TakeAnswer>('select * from sluice_take_slot($1, $2, $3, $4, $5, $6, $7, $8)', [
    ask.tokens,
    ask.plans.map(({ limit }) => limit),
    ask.lanes,
    reply,
    lead,
    floor,
    ask.scopes,
    ask.now?.toISOString() ?? null,
  ]);
  if (row === undefined) throw new Error('the ledger gave no answer about a slot');
  return row;
}

export interface Observation {
  readonly token: string;
  readonly slot: number;
  /** The last slot that the caller had before this window. */
  readonly last: number;
  readonly limit: number;
  /** Calls that the service has counted in its window, and those it has left. */
  readonly used: number;
  readonly left: number;
  readonly resetAt: Date;
  /** Seconds that the quickest exchange took, from sending to the answer. */
  readonly quickestS: number;
  readonly now?: Date | undefined;
}

export interface Learned {
  readonly call_limit: number;
  /** What the service has counted less the slot's number, while nobody else calls. */
  readonly base: number;
  /** Nobody else calls, and nothing is held back: an answer that fits has nothing to tell. */
  readonly quiet: boolean;
}

export async function observeRate(db: Queryable, seen: Observation): Promise<Learned | undefined> {
  const [row] = await db.query<Learned>('select * from sluice_observe($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    seen.token,
    seen.slot,
    seen.last,
    seen.limit,
    seen.used,
    seen.left,
    seen.resetAt.toISOString(),
    seen.quickestS,
    seen.now?.toISOString() ?? null,
  ]);
  return row;
}

/** A refused call says besides that others wanted more than was counted: the part of a burst that was refused as well. */
export async function blockToken(db: Queryable, token: string, ms: number, now?: Date): Promise<void> {
  await db.query(
    `update slots set
            blocked_until = greatest(blocked_until, coalesce($3::timestamptz, clock_timestamp()) + make_interval(secs => $2::float8)),
            foreign_now = case when foreign_now > 0 then least(call_limit, foreign_now + burst_now / 2) else 0 end
      where token = $1`,
    [token, ms / 1000, now?.toISOString() ?? null],
  );
}

/** Marks that speak against a token for a call: refused wholly, refused this scope, or the read scope in it. */
export function marksAgainst(scope: Scope): readonly string[] {
  const read = scope.replace(/:write$/, ':read');
  return read === scope ? ['', scope] : ['', scope, read];
}

/** @returns true when the mark is news */
export async function markToken(db: Queryable, token: string, scope: string, code: string): Promise<boolean> {
  const [row] = await db.query<{ fresh: boolean }>(
    `insert into token_marks (token, scope, code) values ($1, $2, $3)
     on conflict (token, scope) do update set at = clock_timestamp(), code = excluded.code
     returning xmax = 0 as fresh`,
    [token, scope, code],
  );
  return row?.fresh ?? false;
}

export async function unmarkToken(db: Queryable, token: string, scopes: readonly string[]): Promise<void> {
  await db.query('delete from token_marks where token = $1 and scope = any($2)', [token, scopes]);
}

/** One token as the ledger sees it; times by the ledger's clock. */
export interface TokenState {
  readonly token: string;
  /** Calls a minute. */
  readonly limit: number;
  /** Milliseconds until the next slot is due, and until a block ends; 0 when now. */
  readonly nextFreeMs: number;
  readonly blockedMs: number;
  /** Calls a minute that others are taken to spend. */
  readonly foreign: number;
  /** Our calls in the last whole window. */
  readonly ownBefore: number;
  /** Codes of refusals that still count against it, by scope ('' is all). */
  readonly marks: Readonly<Record<string, string>>;
}

export async function tokenStates(db: Queryable, tokens: readonly string[]): Promise<TokenState[]> {
  return await db.query<TokenState>(
    `select s.token, s.call_limit as "limit",
            1000 * greatest(0, extract(epoch from sluice_due(s) - now()))::float8 as "nextFreeMs",
            1000 * greatest(0, extract(epoch from s.blocked_until - now()))::float8 as "blockedMs",
            case when s.window_ends > now() - interval '1 minute' then greatest(s.foreign_usual, s.foreign_now)
                 else 0 end as foreign,
            s.own_before as "ownBefore",
            coalesce((select jsonb_object_agg(m.scope, m.code) from token_marks m
                       where m.token = s.token and m.at > now() - interval '10 minutes'), '{}') as marks
       from slots s where s.token = any($1)`,
    [tokens],
  );
}
