// Opt-outs as operators see them.
import { OPT_OUT_EVIDENCE } from '../../core/encryption/columns.ts';
import { decryptRows } from '../../core/encryption/values.ts';
import type { OptOutSource } from '../../core/opt-out-sources.ts';
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';
import { inEffect } from '../../core/store/opt-outs.ts';
import type { OptOutEntry } from '../contract/opt-outs.ts';
import { OPT_OUT_ID } from './people/person.ts';

/** `key`: a number, or the pseudonym of an erased person. */
export type OptOutRow = Omit<OptOutEntry, 'number'> & { readonly key: string };

export interface OptOutFilter {
  readonly account?: string | undefined;
  readonly source?: OptOutSource | undefined;
  /** Opted out at this time or later. */
  readonly since?: string | undefined;
  readonly state?: 'active' | 'withdrawn' | 'all';
}

/** A page: ids below `before`, the newest first, or above `after`, the oldest first. */
export type OptOutPage = { readonly limit: number } & (
  | { readonly before: string | null }
  | { readonly after: string | null }
);

export async function listOptOuts(
  db: Queryable,
  { account, source, since, state = 'all' }: OptOutFilter,
  page: OptOutPage,
): Promise<OptOutRow[]> {
  const [comparison, order, edge] =
    'after' in page ? (['>', 'asc', page.after] as const) : (['<', 'desc', page.before] as const);
  const rows = await db.query<OptOutRow>(
    `select o.id, o.account, o.key, 'o' || ${OPT_OUT_ID} as person, o.via as source, ${isoText('o.at')} as at, o.evidence,
            o.recorded_by as "recordedBy", ${isoText('o.recorded_at')} as "recordedAt", ${inEffect('o')} as active,
            case when o.withdrawn_at is not null then jsonb_build_object(
              'at', ${isoText('o.withdrawn_at')}, 'by', o.withdrawn_by, 'reason', o.withdrawn_reason) end as withdrawal
       from opt_outs o
      where ($1::text is null or o.account = $1) and ($2::text is null or o.via = $2)
        and ($3::timestamptz is null or o.at >= $3) and ($4 = 'all' or ${inEffect('o')} = ($4 = 'active'))
        and ($5::bigint is null or o.id ${comparison} $5)
      order by o.id ${order} limit $6`,
    [account ?? null, source ?? null, since ?? null, state, edge, page.limit],
  );
  return decryptRows(db, OPT_OUT_EVIDENCE, rows);
}

/** Id of the person's opt-out that counts; null when there is none. */
export async function optOutId(db: Queryable, account: string, key: string): Promise<number | null> {
  const [row] = await db.query<{ id: number }>(
    `select id from opt_outs o where account = $1 and key in ($2, sluice_pseudonym($1, $2)) and ${inEffect('o')}
      order by key = $2 desc limit 1`,
    [account, key],
  );
  return row?.id ?? null;
}
