// Lists the members of a run for operators, with numbers and variables only on request.
import type { CampaignPeople, ListedMember, MembersQuery } from '../../contracts/wire/campaign-people.ts';
import type { Database, Queryable } from '../database.ts';
import { isoText } from '../iso-text.ts';
import { sampleMembers } from './campaign-plan-facts.ts';
import { reportOf } from './campaign-report.ts';
import { catchUp } from './campaign-results.ts';
import { findCampaign, listRuns } from './campaigns.ts';

/**
 * Reads members directly from the ledger.
 * @param now the current time
 * @default the machine's clock
 */
export function peopleOf(db: Database, now: () => Date = () => new Date()): CampaignPeople {
  return {
    sample: ({ run, limit }) => sampleMembers(db, run, limit),
    members: (query) => listMembers(db, query),
    async find(query) {
      const run = 'run' in query ? query.run : (await listRuns(db, { ...query, limit: 1 }))[0]?.run_id;
      if (run === undefined || (await findCampaign(db, run)) === null) return null;
      await catchUp(db, run, now());
      return await reportOf(db, run);
    },
  };
}

async function listMembers(db: Queryable, query: MembersQuery): Promise<ListedMember[]> {
  const { run, after, limit, states, codes, numbers = false, variables = false } = query;
  const times = ['triggered', 'ended', 'delivered', 'read', 'replied', 'opted_out', 'moved', 'tagged'];
  const asText = times.map((time) => `${isoText(`${time}_at`)} as "${camel(time)}At"`);
  return await db.query<ListedMember>(
    `select id as member, contact_id as contact, card_id as card, part, row_no as row, wave, state, code, reason,
            ticket_id as ticket, ${asText.join(', ')},
            case when $6 then number end as number, case when $7 then variables end as variables
       from campaign_members
      where run_id = $1 and id > $2 and ($4::text[] is null or state = any($4)) and ($5::text[] is null or code = any($5))
      order by id limit $3`,
    [run, after, limit, states ?? null, codes ?? null, numbers, variables],
  );
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
