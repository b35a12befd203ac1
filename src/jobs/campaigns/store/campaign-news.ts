// Events of a run and its members. A transaction collects them while it changes rows, and puts them into the outbox
// with its last statement.
import type { Queryable } from '../../../core/sql/database.ts';
import { type AnnounceRule, isAnnounced } from '../../outbox/contract/announce.ts';
import { putOutbox } from '../../outbox/store/outbox.ts';
import type { CampaignCounts, CampaignName } from '../contract/batches.ts';
import type {
  CampaignMemberEvent,
  CampaignRunEvent,
  MemberOutcome,
  RunChange,
} from '../contract/campaign-events.ts';
import type { EndedMember, MemberNews } from './ended-members.ts';
import { countMembers } from './next.ts';

/** The run that a transaction changes. */
export type NewsOf = CampaignName & { readonly run_id: string };

interface Change {
  readonly at: Date;
  readonly by?: string | null;
  readonly code?: string | null;
  readonly reason?: string | null;
}

export interface CampaignNews extends MemberNews {
  /** Call it only if the run has changed. */
  changed(change: RunChange, about: Change): void;
  /**
   * Puts the events into the outbox. It is the last statement of its transaction.
   * @returns the sinks that have something to send
   */
  publish(tx: Queryable): Promise<string[]>;
}

export function campaignNews(of: NewsOf, rules: readonly AnnounceRule[]): CampaignNews {
  const members: EndedMember[] = [];
  const changes: (Change & { readonly change: RunChange })[] = [];
  return {
    hears: (outcome) => hearsOutcome(rules, outcome),
    ended: (ended) => {
      for (const member of ended) members.push(member);
    },
    changed: (change, about) => {
      if (isAnnounced(rules, `sluice.campaign.${change}`)) changes.push({ ...about, change });
    },
    async publish(tx) {
      const counts = changes.length === 0 ? null : await countMembers(tx, of.run_id);
      const events = [
        ...members.map((member) => memberEvent(of, member)),
        ...changes.map((change) => runEvent(of, change, counts as CampaignCounts)),
      ];
      return await putOutbox(
        tx,
        of.account,
        rules,
        events.map((event) => ({ event, connection: null })),
      );
    },
  };
}

export function hearsOutcome(rules: readonly AnnounceRule[], outcome: MemberOutcome): boolean {
  return isAnnounced(rules, `sluice.campaign.member.${outcome}`);
}

const sourceOf = ({ account, campaign }: CampaignName) => `/sluice/accounts/${account}/campaigns/${campaign}`;

function runEvent(
  of: NewsOf,
  { change, at, by = null, code = null, reason = null }: Change & { readonly change: RunChange },
  counts: CampaignCounts,
): CampaignRunEvent {
  const { account, campaign, run_id: run } = of;
  const type = `sluice.campaign.${change}` as const;
  const time = at.toISOString();
  return {
    specversion: '1.0',
    id: `${type}/${run}/${time}`,
    source: sourceOf(of),
    type,
    time,
    datacontenttype: 'application/json',
    partitionkey: run,
    data: { account, campaign, run, by, code, reason: reason || null, counts },
  };
}

/** The stream is the member's own: one number that a sink refuses does not hold up the others. */
function memberEvent(of: NewsOf, member: EndedMember): CampaignMemberEvent {
  const { account, campaign, run_id: run } = of;
  const { id, number, part, wave, state, code, reason } = member;
  const type = `sluice.campaign.member.${state}` as const;
  const time = member.ended_at.toISOString();
  return {
    specversion: '1.0',
    id: `${type}/${run}/${id}/${time}`,
    source: sourceOf(of),
    type,
    subject: String(id),
    time,
    datacontenttype: 'application/json',
    partitionkey: `${run}/${id}`,
    data: {
      account,
      campaign,
      run,
      member: id,
      number,
      contact: member.contact_id,
      card: member.card_id,
      part,
      row: member.row_no,
      wave,
      code,
      reason,
      conversation: member.ticket_id,
    },
  };
}
