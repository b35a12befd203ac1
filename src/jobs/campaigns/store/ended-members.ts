// Members that a statement ends, and who hears of them.
import type { Queryable } from '../../../core/sql/database.ts';
import type { MemberOutcome } from '../contract/campaign-events.ts';

/** A member with its outcome, as the statement that ends it returns it. */
export interface EndedMember {
  readonly id: number;
  readonly number: string | null;
  readonly contact_id: number | null;
  readonly card_id: number | null;
  readonly part: number;
  readonly row_no: number | null;
  readonly wave: number | null;
  readonly state: MemberOutcome;
  readonly code: string | null;
  readonly reason: string | null;
  readonly ticket_id: number | null;
  readonly ended_at: Date;
}

/** Columns of {@link EndedMember}. */
export const ENDED =
  'id, number, contact_id, card_id, part, row_no, wave, state, code, reason, ticket_id, ended_at';

/** Hears of members that end. */
export interface MemberNews {
  /** False: nobody wants to know, so the statement returns their number alone. */
  hears(outcome: MemberOutcome): boolean;
  ended(members: readonly EndedMember[]): void;
}

/**
 * Runs a statement that ends members.
 * @param ctes end with one named `ended` that returns {@link ENDED}
 * @returns the number of members
 */
export async function endMany(
  tx: Queryable,
  news: MemberNews,
  outcome: MemberOutcome,
  ctes: string,
  params: readonly unknown[],
): Promise<number> {
  if (!news.hears(outcome)) {
    const [row] = await tx.query<{ n: number }>(`${ctes} select count(*)::int as n from ended`, params);
    return row?.n ?? 0;
  }
  const members = await tx.query<EndedMember>(`${ctes} select * from ended order by id`, params);
  news.ended(members);
  return members.length;
}
