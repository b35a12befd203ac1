// Freezes the audience of a campaign: decides by the ledger who is left out, and in which order the others come.
import { createHash } from 'node:crypto';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { optOutsOf } from '../../../core/store/opt-outs.ts';
import { isOpen, isServed, unreadOf } from '../../conversations/store/rules.ts';

/** The exclusion rules of a campaign. */
export interface FreezeRules {
  readonly account: string;
  readonly run: string;
  /** Names of the flow's variables. */
  readonly variables: readonly string[];
  readonly optOutTags: readonly TagRule[];
  readonly excludedTags: readonly TagRule[];
  /** Anyone reached by any run of these campaigns is left out. */
  readonly campaigns: readonly string[];
  /** Anyone contacted at or after this time is left out. */
  readonly contactedSince: Date | null;
  readonly openConversation: boolean;
  readonly humanService: boolean;
  /** Whether sent or received messages decide if the campaign may reach a person. */
  readonly readsMessages: boolean;
  /** `since`: the cap counts from then on. `within`: the period as configured. */
  readonly cap: { readonly times: number; readonly since: Date; readonly within: string };
}

export interface TagRule {
  readonly id: number;
  readonly name: string;
}

/** One person of a draft, as the rules see it. */
export interface DraftMember {
  readonly key: string;
  readonly number: string;
  readonly zones: string;
  /** Null when not listed. */
  readonly tagIds: readonly number[] | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Code and reason. */
export type Verdict = readonly [code: string, reason: string];

export interface Candidate {
  readonly id: number;
  readonly key: string;
  readonly number: string;
  /** The member's own time zones, joined by commas; empty when the number decides. */
  readonly zones: string;
  /**
   * The first rule that leaves the member out, up to CONTACTED_LATELY as campaigns and pollers know it; null when
   * none does.
   */
  readonly early: Verdict | null;
  /** The first of the remaining rules that leaves the member out. */
  readonly late: Verdict | null;
}

/** The next members to decide on, in the order in which they were found. */
export async function candidates(
  tx: Queryable,
  rules: FreezeRules,
  after: number,
  limit: number,
): Promise<Candidate[]> {
  return await judged(tx, rules, { after, limit }, () => '');
}

/**
 * Members of a draft, which are in no table. Ids count from 1.
 * @param barred keys that `exclude.numbers` names
 */
export async function draftCandidates(
  db: Queryable,
  rules: FreezeRules,
  members: readonly DraftMember[],
  barred: readonly string[],
): Promise<Candidate[]> {
  return await judged(
    db,
    rules,
    { after: 0, limit: members.length },
    // They stand where the rules below read the tables of the same names.
    (param) => `with campaign_members as (
       select $1::text as run_id, d.n as id, d.key, d.number, d.zones, d."tagIds" as tag_ids, d.variables,
              null::int as wave, 'found' as state
         from rows from (jsonb_to_recordset(${param(toJson(members))}::jsonb) as (
           key text, number text, zones text, "tagIds" bigint[], variables jsonb)) with ordinality
           as d(key, number, zones, "tagIds", variables, n)),
     campaign_barred as (select $1::text as run_id, key from unnest(${param(barred)}::text[]) as b(key))`,
  );
}

async function judged(
  tx: Queryable,
  rules: FreezeRules,
  { after, limit }: { readonly after: number; readonly limit: number },
  tables: (param: Param) => string,
): Promise<Candidate[]> {
  const params: unknown[] = [rules.run, after, limit, rules.account];
  const param = (value: unknown) => `$${params.push(value)}`;
  const withTables = tables(param);
  const early = earlyRules(rules, param);
  const late = lateRules(rules, param);
  return await tx.query<Candidate>(
    `${withTables}
     select m.id, m.key, m.number, m.zones, to_jsonb(${firstOf(early)}) as early, to_jsonb(${firstOf(late)}) as late
       from campaign_members m
      where m.run_id = $1 and m.wave is null and m.state = 'found' and m.id > $2 and $4::text is not null
      order by m.id limit $3`,
    params,
  );
}

/** `coalesce` stops at the first value that is not null, so later rules are not evaluated. */
function firstOf(rules: readonly string[]): string {
  return `coalesce(${rules.join(',\n')}, null::text[])`;
}

type Param = (value: unknown) => string;

const when = (column: string) => isoText(column);

function earlyRules(rules: FreezeRules, param: Param): string[] {
  const { variables, campaigns, contactedSince } = rules;
  const found: string[] = [];
  if (variables.length > 0) {
    const names = `${param([...variables])}::text[]`;
    found.push(
      `case when not coalesce(m.variables, '{}') ?& ${names} then array['VARIABLE_MISSING', 'no value for ' || (
         select string_agg('"' || n || '"', ', ' order by n) from unnest(${names}) n where not coalesce(m.variables, '{}') ? n)] end`,
    );
  }
  found.push(...tagRules('OPTED_OUT', rules.optOutTags, param));
  found.push(
    `(select array['OPTED_OUT', case o.via when 'tag' then 'a tag that says so was seen on '
                                  when 'operator' then 'an operator recorded an opt-out of '
                                  when 'import' then 'an imported list has an opt-out of '
                                  else 'they said so on ' end || ${when('o.at')}]
        from ${optOutsOf('o', '$4', 'm.key')} limit 1)`,
    `(select array['EXCLUDED_NUMBER', 'the number is one of exclude.numbers']
        from campaign_barred b where b.run_id = $1 and b.key = m.key limit 1)`,
  );
  found.push(...tagRules('EXCLUDED_TAG', rules.excludedTags, param));
  const reached = `'the campaign "' || t.campaign || '" reached them on ' || ${when('t.at')}`;
  if (campaigns.length > 0) {
    found.push(
      `(select array['EXCLUDED_CAMPAIGN', ${reached}] from campaign_touches t
         where t.account = $4 and t.key = m.key and t.campaign = any(${param([...campaigns])}::text[])
         order by t.at desc limit 1)`,
    );
  }
  if (contactedSince !== null) {
    const since = `${param(contactedSince)}::timestamptz`;
    found.push(
      `(select array['CONTACTED_LATELY', ${reached}] from campaign_touches t
         where t.account = $4 and t.key = m.key and t.at >= ${since} order by t.at desc limit 1)`,
      `(select array['CONTACTED_LATELY', 'a message went out to them on ' || ${when('g.at')}]
          from conversations c, lateral (
            select at from messages where account = $4 and conversation_id = c.id and from_me and at >= ${since}
             order by at desc limit 1) g
         where c.account = $4 and c.person_key = m.key and c.updated_at >= ${since} order by g.at desc limit 1)`,
    );
  }
  return found;
}

/** Uses the listed tags. If none were listed, uses the tags that Sluice itself set. */
function tagRules(code: string, tags: readonly TagRule[], param: Param): string[] {
  if (tags.length === 0) return [];
  const names = `${param(tags.map(({ name }) => name))}::text[]`;
  const ids = `${param(tags.map(({ id }) => id))}::bigint[]`;
  return [
    `case when m.tag_ids && ${ids} then array['${code}', 'has the tag ' || (
       select string_agg('"' || r.name || '"', ', ' order by r.n) from unnest(${ids}, ${names}) with ordinality r(id, name, n)
        where r.id = any(m.tag_ids))] end`,
    `case when m.tag_ids is null then (
       select array['${code}', 'Sluice gave them the tag "' || added || '"']
         from people p, jsonb_array_elements_text(p.tags_added) added
        where p.account = $4 and p.key = m.key
          and lower(added) in (select lower(n) from unnest(${names}) n) limit 1) end`,
  ];
}

function lateRules(
  { openConversation, humanService, readsMessages, cap }: FreezeRules,
  param: Param,
): string[] {
  const conversation = (code: string, words: string, where: string) =>
    `(select array['${code}', ${words}] from conversations c
       where c.account = $4 and c.person_key = m.key and ${isOpen('c')} ${where}
       order by c.updated_at desc limit 1)`;
  const seen = `c.id || ', as it was seen last: updated on ' || ${when('c.updated_at')}`;
  const [times, since] = [`${param(cap.times)}::int`, `${param(cap.since)}::timestamptz`];
  const within = `${param(cap.within)}::text`;
  return [
    ...(readsMessages
      ? [
          `(select array['REPLIES_UNREAD', 'part of their conversations could not be read: ' || why]
              from (select ${unreadOf('$4', 'm.key')} as why) u where why is not null)`,
        ]
      : []),
    ...(openConversation
      ? [conversation('OPEN_CONVERSATION', `'has the open conversation ' || ${seen}`, '')]
      : []),
    ...(humanService
      ? [conversation('HUMAN_SERVICE', `'a person serves conversation ' || ${seen}`, `and ${isServed('c')}`)]
      : []),
    `(select array['FREQUENCY_CAP', case count(*) when 1 then 'the campaign "' || max(t.campaign) || '" reached them once within ' || ${within} || ', on '
          else 'campaigns reached them ' || count(*) || ' times within ' || ${within} || ', last "' || (array_agg(t.campaign order by t.at desc))[1] || '" on ' end
        || ${when('max(t.at)')}]
        from campaign_touches t where t.account = $4 and t.key = m.key and t.at > ${since} having count(*) >= ${times})`,
  ];
}

/**
 * When events last sent a flow or a message to somebody, in epoch milliseconds: by the person's key, or by the hash
 * of account and person that the ledger stores as an event's subject.
 */
export async function contactedByEvents(
  db: Queryable,
  account: string,
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ who: string; at: number }>(
    `select who, (extract(epoch from max(at)) * 1000)::float8 as at from (
       select e.subject as who, i.sent_at as at from intents i join events e on e.id = i.subject
        where i.account = $1 and i.kind in ('event-message', 'event-flow') and i.state <> 'open' and i.sent_at >= $2
       union all
       -- Messages into a conversation that was named by its id.
       select c.person_key, d.sent_at from deliveries d join conversations c on c.account = $1 and c.id = d.conversation_id
        where d.account = $1 and d.sent_at >= $2) contacted
      group by who`,
    [account, since],
  );
  return new Map(rows.map(({ who, at }) => [who, at]));
}

export interface Decision {
  readonly id: number;
  readonly state: 'excluded' | 'holdout' | 'waiting';
  readonly code: string | null;
  readonly reason: string | null;
  /** Joined by commas. */
  readonly zones: string;
  /** Set for waiting members: see {@link placeOf}. */
  readonly place: number | null;
}

/** Waves take members in this order. It is random but fixed for one run. Positive, with gaps. */
export function placeOf(run: string, key: string): number {
  return createHash('md5').update(`${run} ${key}`).digest().readUInt32BE(0) >>> 1;
}

/** Stores the decisions. If the audience did not name a member's contact, the ledger may know it. */
export async function saveDecisions(
  tx: Queryable,
  { run, account }: Pick<FreezeRules, 'run' | 'account'>,
  decisions: readonly Decision[],
): Promise<void> {
  await tx.query(
    `update campaign_members m
        set state = d.state, code = d.code, reason = d.reason, zones = d.zones, place = d.place,
            contact_id = case when m.contact_id is not null or d.state <> 'waiting' then m.contact_id else coalesce(
              (select p.remote_id from people p where p.account = $2 and p.key = m.key limit 1),
              (select (c.item #>> '{state,contact,id}')::bigint from conversations c
                where c.account = $2 and c.person_key = m.key order by c.updated_at desc limit 1)) end
       from jsonb_to_recordset($3::jsonb) as d(id bigint, state text, code text, reason text, zones text, place int)
      where m.id = d.id and m.run_id = $1`,
    [run, account, toJson(decisions)],
  );
}

/**
 * Stores how far the freeze is.
 * @param after the last member that was decided on
 */
export async function saveFreeze(tx: Queryable, run: string, after: number): Promise<void> {
  await tx.query(
    `update campaigns set parts = parts || jsonb_build_object('frozen', $2::bigint) where run_id = $1`,
    [run, after],
  );
}

/** Ends the freeze: no more members are added. */
export async function endFreeze(tx: Queryable, run: string, at: Date): Promise<void> {
  await tx.query('delete from campaign_barred where run_id = $1', [run]);
  await tx.query('delete from campaign_seen where run_id = $1', [run]);
  await tx.query('update campaigns set planned_at = $2 where run_id = $1', [run, at]);
}
