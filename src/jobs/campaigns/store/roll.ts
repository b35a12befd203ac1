// Lists the members of a run for operators, page by page.

import { MEMBER_VARIABLES } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { ListedMember, MemberFilter } from '../contract/campaign-members.ts';
import { changedConversation } from './unknown-evidence.ts';

/** Fewer digits than this would find many members by the end of their numbers. */
const SUFFIX_DIGITS = 8;
/** People of one name that a search looks for in a run. */
const PEOPLE = 1000;

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

const BY_NUMBER = `$9::text is not null and (number = $9 or key = $9 or id::text = $9 or contact_id::text = $9
  or sluice_digits(row_number) = $9
  or $10::text is not null and (number like $10 or key like $10 or sluice_digits(row_number) like $10))`;

/** Members who are people have their name and address in `people`. */
const peopleWith = (fits: string) =>
  `key = any(array(select p.key from people p where p.account = (select c.account from campaigns c where c.run_id = $1) and ${fits} limit ${PEOPLE}))`;

const isEmail = (column: string) =>
  `${column} is not null and lower(${column}) ~>=~ $11 and lower(${column}) ~<=~ case when $13::boolean then $11 else $11 || U&'\\+10FFFF' end`;
const BY_EMAIL = `$11::text is not null and (${isEmail('row_email')} or ${peopleWith(isEmail('p.email'))})`;

const WORDS = `(select string_agg('''' || word || case when $13::boolean then '''' else ''':*' end, ' & ')
  from unnest(sluice_words($12)) as w(word))::tsquery`;
const isName = (column: string) =>
  `${column} is not null and array_to_tsvector(sluice_words(${column})) @@ ${WORDS}
   and (not $13::boolean or sluice_words(${column}) <@ sluice_words($12))`;
const BY_NAME = `$12::text is not null and (${isName('row_name')} or ${peopleWith(isName('p.name'))})`;

/** Members by id. Their numbers are in plain text: the caller masks them. */
export async function listMembers(db: Queryable, page: MembersPage): Promise<ListedMember[]> {
  const { run, after, limit, states, codes, waves, variables } = page;
  const search = searchOf(page.search, page.whole ?? false);
  if (search === 'nobody') return [];
  const rows = await db.query<ListedMember & { key: string | null }>(
    `select id::float8 as member, key, case when key is not null then 'm' || id end as person, contact_id::float8 as contact, card_id::float8 as card, part, row_no as row, wave,
            state, code, reason, ticket_id::float8 as ticket, ${TIMES_AS_TEXT}, coalesce(number, row_number) as number,
            row_name as name, row_email as email,
            ${changedConversation('(select c.account from campaigns c where c.run_id = m.run_id)')}::float8 as "changedConversation",
            case when $6 then variables end as variables
       from campaign_members m
      where run_id = $1 and id > $2 and ($4::text[] is null or state = any($4))
        and ($5::text[] is null or code = any($5)) and ($7::int[] is null or wave = any($7))
        and (not $8::boolean or ${BY_NUMBER} or ${BY_EMAIL} or ${BY_NAME})
      order by id limit $3`,
    [
      run,
      after,
      limit,
      states ?? null,
      codes ?? null,
      variables,
      waves ?? null,
      search !== null,
      search?.digits ?? null,
      search?.suffix ?? null,
      search?.email ?? null,
      search?.name ?? null,
      page.whole ?? false,
    ],
  );
  return rows.map(({ key, ...row }) => ({
    ...row,
    variables: decryptValue(db, MEMBER_VARIABLES, [run, key], row.variables),
  }));
}

interface Search {
  readonly digits?: string;
  readonly suffix?: string | null;
  readonly email?: string;
  readonly name?: string;
}

/** Null: no search. Numbers may be written with punctuation; a text without letters and digits finds nobody. */
function searchOf(text: string | undefined, whole: boolean): Search | 'nobody' | null {
  const words = text?.trim() ?? '';
  if (words === '') return null;
  if (words.includes('@')) return { email: words.toLowerCase() };
  if (/\p{L}/u.test(words)) return { name: words };
  const digits = words.replace(/\D/g, '');
  if (digits === '') return 'nobody';
  return { digits, suffix: !whole && digits.length >= SUFFIX_DIGITS ? `%${digits}` : null };
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
