// Lists the members of a run for operators, page by page.

import { MEMBER_VARIABLES } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { ListedMember, MemberFilter } from '../contract/campaign-members.ts';
import { changedConversation } from './unknown-evidence.ts';

/** Fewer digits than this would find many members by the end of their numbers. */
const SUFFIX_DIGITS = 8;

export interface MembersPage extends MemberFilter {
  readonly run: string;
  /** A search finds whole numbers only. @default false */
  readonly whole?: boolean;
  /** The last member of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
  /** Reads the variables of the flow too; they are personal. */
  readonly variables: boolean;
}

const TIMES = ['triggered', 'ended', 'delivered', 'read', 'replied', 'opted_out', 'moved', 'tagged'];
const TIMES_AS_TEXT = TIMES.map((time) => `${isoText(`${time}_at`)} as "${camel(time)}At"`).join(', ');

/** Members by id. Their numbers are in plain text: the caller masks them. */
export async function listMembers(db: Queryable, page: MembersPage): Promise<ListedMember[]> {
  const { run, after, limit, states, codes, waves, variables } = page;
  const search = searchOf(page.search, page.whole ?? false);
  if (search === 'nobody') return [];
  const rows = await db.query<ListedMember & { key: string | null }>(
    `select id::float8 as member, key, case when key is not null then 'm' || id end as person, contact_id::float8 as contact, card_id::float8 as card, part, row_no as row, wave,
            state, code, reason, ticket_id::float8 as ticket, ${TIMES_AS_TEXT}, number,
            ${changedConversation('(select c.account from campaigns c where c.run_id = m.run_id)')}::float8 as "changedConversation",
            case when $6 then variables end as variables
       from campaign_members m
      where run_id = $1 and id > $2 and ($4::text[] is null or state = any($4))
        and ($5::text[] is null or code = any($5)) and ($7::int[] is null or wave = any($7))
        and ($8::text is null or number = $8 or key = $8 or id::text = $8 or contact_id::text = $8
             or $9::text is not null and (number like $9 or key like $9))
      order by id limit $3`,
    [
      run,
      after,
      limit,
      states ?? null,
      codes ?? null,
      variables,
      waves ?? null,
      search?.digits ?? null,
      search?.suffix ?? null,
    ],
  );
  return rows.map(({ key, ...row }) => ({
    ...row,
    variables: decryptValue(db, MEMBER_VARIABLES, [run, key], row.variables),
  }));
}

/** Null: no search. Numbers may be written with punctuation; a text without digits finds nobody. */
function searchOf(
  text: string | undefined,
  whole: boolean,
): { readonly digits: string; readonly suffix: string | null } | 'nobody' | null {
  if (text === undefined || text.trim() === '') return null;
  const digits = text.replace(/\D/g, '');
  if (digits === '' || /\p{L}/u.test(text)) return 'nobody';
  return { digits, suffix: !whole && digits.length >= SUFFIX_DIGITS ? `%${digits}` : null };
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
