// People who opted out, by the person's key. An opt-out stays when runs or events are deleted, and only a person
// withdraws it: then it counts again from the next opt-out that is later than the withdrawal.
import { OPT_OUT_EVIDENCE } from '../encryption/columns.ts';
import { encryptValue } from '../encryption/values.ts';
import { toJson } from '../json/stored-json.ts';
import type { OptOutSource } from '../opt-out-sources.ts';
import type { Queryable } from '../sql/database.ts';

/** Maximum length of an evidence, in characters. */
export const MAX_EVIDENCE = 200;

export interface OptOut {
  /** As `people.key`; an empty one is nobody. */
  readonly key: string;
  /** When they opted out, or when the tag was seen. */
  readonly at: Date;
  /** What shows it. Longer texts are cut to {@link MAX_EVIDENCE}. */
  readonly evidence?: string | null;
}

/** `withdrawn`: it is not later than the withdrawal of the person's opt-out, so it does not count. */
export type OptOutResult = 'added' | 'known' | 'withdrawn';

/** What became of an opt-out. */
export interface RecordedOptOut extends Pick<OptOut, 'key' | 'at'> {
  readonly result: OptOutResult;
  /** The row that was written, with the time of the write; null: it did not change. */
  readonly row: { readonly id: number; readonly recordedAt: Date } | null;
}

/** SQL: the row of `opt_outs` counts. Whatever asks whether a person opted out uses it. */
export const inEffect = (row: string): string =>
  `(${row}.withdrawn_at is null or ${row}.at > ${row}.withdrawn_at)`;

/** SQL: the account's opt-outs of a person, which may be under the pseudonym of an erased person. */
export const optOutsOf = (row: string, account: string, key: string): string =>
  `opt_outs ${row} where ${row}.account = ${account} and ${row}.key in (${key}, sluice_pseudonym(${account}, ${key}))
     and ${inEffect(row)}`;

/**
 * Records that these people opted out. The earliest time since the last withdrawal is kept, in whatever order they
 * are seen.
 * @param by identity of the operator; null: Sluice itself
 * @returns for each of `optOuts` what became of it, in their order
 */
export async function recordOptOuts(
  tx: Queryable,
  account: string,
  optOuts: readonly OptOut[],
  { via, by = null }: { readonly via: OptOutSource; readonly by?: string | null },
): Promise<RecordedOptOut[]> {
  const results = new Map<OptOut, RecordedOptOut>();
  for (const round of rounds(optOuts)) {
    const rows = await tx.query<Recorded>(RECORD, [
      account,
      toJson(
        round.map(({ key, at, evidence = null }) => ({
          key,
          at,
          evidence: encryptValue(tx, OPT_OUT_EVIDENCE, [account, key], evidence && cut(evidence)),
        })),
      ),
      via,
      by,
    ]);
    const found = new Map(rows.map((row) => [row.key, row]));
    for (const each of round) results.set(each, recordedOf(each, found.get(each.key)));
  }
  return optOuts.map((each) => results.get(each) ?? recordedOf(each, undefined));
}

interface Recorded {
  readonly key: string;
  readonly result: OptOutResult;
  readonly id: number | null;
  readonly recorded_at: Date | null;
}

function recordedOf({ key, at }: OptOut, row: Recorded | undefined): RecordedOptOut {
  const { result = 'known', id = null, recorded_at: recordedAt = null } = row ?? {};
  return { key, at, result, row: id === null || recordedAt === null ? null : { id, recordedAt } };
}

/** The same for people who opted out at one time, in one way. */
export async function noteOptOuts(
  tx: Queryable,
  account: string,
  keys: readonly string[],
  via: OptOutSource,
  at: Date,
  evidence: string | null = null,
): Promise<RecordedOptOut[]> {
  const people = [...new Set(keys)];
  return await recordOptOuts(
    tx,
    account,
    people.map((key) => ({ key, at, evidence })),
    { via },
  );
}

/** Each has a person once, because a statement cannot write a row twice. Earlier opt-outs of a person come first. */
function rounds(optOuts: readonly OptOut[]): OptOut[][] {
  const found: OptOut[][] = [];
  const seen = new Map<string, number>();
  for (const each of optOuts
    .filter(({ key }) => key !== '')
    .sort((a, b) => a.at.getTime() - b.at.getTime())) {
    const round = seen.get(each.key) ?? 0;
    seen.set(each.key, round + 1);
    (found[round] ??= []).push(each);
  }
  return found;
}

/** Never half of a character. */
function cut(text: string): string {
  return [...text].length <= MAX_EVIDENCE ? text : [...text].slice(0, MAX_EVIDENCE).join('');
}

/** SQL: an earlier opt-out without evidence changes the time alone. What shows the opt-out stays. */
const STILL_SHOWN = `(excluded.evidence is null and o.evidence is not null and ${inEffect('o')})`;

// All writers use the order of the keys. Two that wait for each other's rows would deadlock.
const RECORD = `
  with given as materialized (
    select * from jsonb_to_recordset($2::jsonb) as g(key text, at timestamptz, evidence jsonb)
  ), before as materialized (
    select g.*, coalesce(${inEffect('o')} and o.at is not null, false)
                or coalesce(${inEffect('e')} and e.at is not null, false) as known,
           coalesce(greatest(o.withdrawn_at, e.withdrawn_at) >= g.at, false) as withdrawn
      from given g
      left join opt_outs o on o.account = $1 and o.key = g.key
      left join opt_outs e on e.account = $1 and e.key = sluice_pseudonym($1, g.key)
  ), written as (
    insert into opt_outs as o (account, key, via, at, evidence, recorded_by, recorded_at)
    select $1, key, $3, at, evidence, $4, clock_timestamp() from before where not withdrawn order by key
    on conflict (account, key) do update
       set at = excluded.at, recorded_at = excluded.recorded_at,
           via = case when ${STILL_SHOWN} then o.via else excluded.via end,
           evidence = case when ${STILL_SHOWN} then o.evidence else excluded.evidence end,
           recorded_by = case when ${STILL_SHOWN} then o.recorded_by else excluded.recorded_by end
     where (o.withdrawn_at is null or excluded.at > o.withdrawn_at) and (excluded.at < o.at or not ${inEffect('o')})
    returning key, id, recorded_at
  )
  select b.key, case when b.known then 'known' when w.key is not null then 'added'
                     when b.withdrawn then 'withdrawn' else 'known' end as result, w.id, w.recorded_at
    from before b left join written w on w.key = b.key`;

/** Who withdraws an opt-out, and why. */
export interface Withdrawal {
  readonly at: Date;
  readonly by: string;
  readonly reason: string;
}

export interface WithdrawnOptOut {
  readonly id: number;
  readonly via: OptOutSource;
  readonly at: Date;
  readonly withdrawnAt: Date;
}

/**
 * Withdraws the person's opt-out. Only an operator does this.
 * @returns the opt-outs that counted until now; none: the person had not opted out
 */
export async function withdrawOptOut(
  db: Queryable,
  account: string,
  key: string,
  { at, by, reason }: Withdrawal,
): Promise<WithdrawnOptOut[]> {
  return await db.query<WithdrawnOptOut>(
    // A service whose clock is ahead may have said when they opted out.
    `update opt_outs o set withdrawn_at = greatest(o.at, $3::timestamptz), withdrawn_by = $4, withdrawn_reason = $5
      where o.account = $1 and o.key in ($2, sluice_pseudonym($1, $2)) and ${inEffect('o')}
     returning id, via, at, withdrawn_at as "withdrawnAt"`,
    [account, key, at, by, reason],
  );
}

/** Has the person opted out? */
export async function hasOptedOut(db: Queryable, account: string, key: string): Promise<boolean> {
  const rows = await db.query(`select 1 from ${optOutsOf('o', '$1', '$2')}`, [account, key]);
  return rows.length > 0;
}

/**
 * Was the person erased after an opt-out, and has nothing brought them back since? Only the keyed hash of the number
 * answers this.
 */
export async function wasErased(tx: Queryable, account: string, key: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from opt_outs o where o.account = $1 and o.key = sluice_pseudonym($1, $2) and ${inEffect('o')}
        and not exists (select 1 from people where account = $1 and key = $2)`,
    [account, key],
  );
  return rows.length > 0;
}
