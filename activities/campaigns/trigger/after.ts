// What follows a trigger: its card is moved and its contact gets tags, as events of the campaign's own route.
import { campaignRoute, routeSyncName } from '../../../src/core/ids.ts';
import type { Database, Queryable } from '../../../src/core/sql/database.ts';
import { shortHash } from '../../../src/core/sql/short-hash.ts';
import { type CampaignRow } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { type MemberRow, noteMemberEvents } from '../../../src/jobs/campaigns/store/members.ts';
import type { EventDraft, EventRequest } from '../../../src/jobs/events/contract/intake.ts';
import { subjectOf } from '../../../src/jobs/events/rules/actions.ts';
import { addEvents } from '../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../src/jobs/events/store/intake-runs.ts';

/** The fields of a campaign run that its follow-up events need. */
type Campaign = Pick<CampaignRow, 'run_id' | 'account' | 'campaign' | 'spec'>;
type Reached = Pick<MemberRow, 'id' | 'key' | 'number' | 'card_id'>;

/**
 * Opens the run that counts the calls of the follow-up events. Don't call it inside a transaction.
 * @returns null if nothing follows a trigger
 */
export async function openAfterRun(
  db: Database,
  { account, campaign, spec }: Omit<Campaign, 'run_id'>,
): Promise<string | null> {
  const { stage, tags } = spec.config.after;
  if (stage === undefined && tags === undefined) return null;
  return await openIntakeRun(db, { account, sync: routeSyncName(campaignRoute(campaign)) });
}

/**
 * Records the events that follow a member's trigger. It is idempotent: a repeated call finds the same events.
 * @param run the result of `openAfterRun`
 * @returns ids of the events that have not ended
 */
export async function addAfterEvents(
  tx: Queryable,
  run: string | null,
  campaign: Campaign,
  member: Reached,
): Promise<string[]> {
  if (run === null) return [];
  const drafts = draftsOf(campaign, member);
  const states = await addEvents(tx, run, drafts);
  const events = drafts.map(({ id }) => id);
  await noteMemberEvents(tx, { run: campaign.run_id, id: member.id }, events);
  return events.filter((_, n) => states[n] !== 'ended');
}

/** Returns the ids of those events that have not ended. */
export async function openAmong(db: Queryable, events: readonly string[]): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = await db.query<{ id: string }>(
    "select id from events where id = any($1) and state <> 'ended' order by seq",
    [events],
  );
  return rows.map(({ id }) => id);
}

function draftsOf(
  { account, campaign, run_id, spec }: Campaign,
  { id, key, number, card_id }: Reached,
): EventDraft[] {
  if (key === null) throw new Error(`member ${id} was triggered but has no number`);
  const { stage, tags } = spec.config.after;
  const person = { number: number ?? key, key };
  const requests: EventRequest[] = [];
  if (stage !== undefined)
    requests.push({ type: 'stage', of: card_id === null ? person : { card: card_id }, ...stage });
  if (tags !== undefined) requests.push({ type: 'tags', ...person, add: tags, remove: [] });
  const route = campaignRoute(campaign);
  return requests.map((request) => ({
    account,
    route,
    subject: subjectOf(request),
    rank: null,
    request,
    id: shortHash(JSON.stringify([account, route, run_id, id, request.type])),
  }));
}
