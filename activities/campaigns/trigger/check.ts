// Checks a member just before its flow is triggered, by rules that the ledger can answer without a call.

import { durationMs } from '../../../src/core/config/base.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import type { MemberCode, MemberState } from '../../../src/jobs/campaigns/constants.ts';
import type { MemberStep } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { Calendar } from '../../../src/jobs/campaigns/rules/calendar.ts';
import { readsMessages, repliesUnread, rulesOnReplies } from '../../../src/jobs/campaigns/rules/reliance.ts';
import { zonesOfText } from '../../../src/jobs/campaigns/rules/zones.ts';
import type { CampaignRow } from '../../../src/jobs/campaigns/store/campaigns.ts';
import {
  type MemberCheck,
  type MemberQuestion,
  readMember,
} from '../../../src/jobs/campaigns/store/member-checks.ts';
import type { MemberRow } from '../../../src/jobs/campaigns/store/members.ts';
import { judgeWindow, windowAfter } from '../../../src/jobs/conversations/store/window.ts';
import type { AccountAccess, Deps } from '../../shared/deps.ts';
import { scopesOf } from '../../shared/window-scopes.ts';

/** Age after which Sluice reads tags again before it triggers, because people change them by hand. */
export const FRESH_MS = 5000;

/** The part of a run that does not change after planning. */
export interface Frozen {
  readonly campaign: Pick<CampaignRow, 'run_id' | 'account' | 'campaign' | 'spec'>;
  readonly calendar: Calendar;
  readonly account: AccountAccess;
  /** Run that counts the calls of follow-up events; null if nothing follows a trigger. */
  readonly afterRun: string | null;
  /** Maximum age of the contact's tags at the trigger, in milliseconds. @default FRESH_MS */
  readonly freshMs?: number;
}

/** A member with its run and its person, as they were when they were checked. */
export interface MemberContext extends Frozen {
  readonly member: MemberCheck;
}

/** Builds the query for what the checks need to know about a member. @param now milliseconds since 1970 */
export function questionOf({ campaign }: Pick<Frozen, 'campaign'>, now: number): MemberQuestion {
  const { cap, exclude, conversationWindow } = campaign.spec.config;
  return {
    account: campaign.account,
    run: campaign.run_id,
    since: new Date(now - durationMs(cap.within)),
    campaigns: exclude.campaigns ?? [],
    windowAfter: conversationWindow === 'any' ? null : windowAfter(new Date(now)),
  };
}

/** @param now milliseconds since 1970 */
export async function checkAgain(db: Queryable, c: Frozen, id: number, now: number): Promise<MemberContext> {
  return { ...c, member: await readMember(db, questionOf(c, now), id) };
}

/** What the rules decide about a member. */
export type Verdict =
  /** Trigger its flow. The contact's id is null if the call does not need it. */
  | { readonly do: 'go'; readonly contact: number | null }
  /** Make another call first. */
  | { readonly do: 'step'; readonly step: Exclude<MemberStep, 'triggerMember' | 'verifyMember'> }
  /** Not now. The reason concerns this member, or everyone in the campaign. */
  | { readonly do: 'leave'; readonly scope: 'member' | 'campaign' }
  /** A person is serving the person, in this conversation if it is known. */
  | { readonly do: 'served'; readonly ticket: number | null; readonly reason: string }
  | { readonly do: 'skip'; readonly code: MemberCode; readonly reason: string }
  /** The member is no longer waiting. */
  | { readonly do: 'over'; readonly state: MemberState };

export function memberKey({ id, key }: MemberRow): string {
  if (key === null) throw new Error(`member ${id} has no number`);
  return key;
}

/**
 * Judges a member by what was read about it. The order is: may anything be sent at all, what ends the member, what
 * must be known before the call.
 * @param now milliseconds since 1970
 */
export function checkMember(deps: Deps, c: MemberContext, now: number): Verdict {
  const { campaign, member, account } = c;
  const { config } = campaign.spec;
  if (member.state !== 'waiting') return { do: 'over', state: member.state };
  if (!member.running) return { do: 'leave', scope: 'campaign' };
  if (member.optedOut) return skip('OPTED_OUT', 'they have opted out of campaigns');
  if (config.end !== undefined && now >= Date.parse(config.end))
    return skip('CAMPAIGN_ENDED', `the campaign ended at ${config.end}, before this member was due`);
  const early = config.start !== undefined && now < Date.parse(config.start);
  if (early || !c.calendar.at(zonesOf(c), now).open || isBlind(deps, c))
    return { do: 'leave', scope: 'campaign' };
  if (member.not_before !== null && member.not_before.getTime() > now)
    return { do: 'leave', scope: 'member' };
  const forbidden = unreadVerdict(c) ?? reachedLately(c) ?? inConversation(deps, c, now);
  if (forbidden !== null) return forbidden;
  const contact = contactOf(member);
  const needed = account.tokens[0]?.client.flows.contactIdentity === 'id' || config.recheck === 'api';
  if (needed && contact === null) return { do: 'step', step: 'findMember' };
  if (config.recheck === 'api' && !isRechecked(c, now)) return { do: 'step', step: 'recheckMember' };
  return { do: 'go', contact };
}

/** True while a poller can't read what the campaign relies on. No member is triggered then; `decideNext` reports it. */
function isBlind(deps: Deps, { campaign: { account, spec }, member }: MemberContext): boolean {
  const follows = scopesOf(deps, account);
  const pollers = member.blockedPollers.map(({ poller, isShape }) => ({
    poller,
    follows: true,
    idle: null,
    blocked: follows(poller) === null ? null : { code: '', reason: '', isShape },
  }));
  return repliesUnread(spec, pollers) !== null;
}

/** Leaves out a person who may have opted out, or may have been messaged, in messages that Sluice could not read. */
function unreadVerdict({ campaign: { spec }, member }: MemberContext): Verdict | null {
  if (!readsMessages(spec)) return null;
  if (member.unread !== null)
    return skip('REPLIES_UNREAD', `part of their conversations could not be read: ${member.unread}`);
  return member.behind && rulesOnReplies(spec).length > 0 ? { do: 'leave', scope: 'member' } : null;
}

/** The contact's id as the audience, a check of the service, or the ledger knows it. */
export function contactOf({ contact_id, contact_gone, known }: MemberCheck): number | null {
  // The id that the service refused may be the one in the ledger.
  return contact_id ?? (contact_gone ? null : known);
}

/** True if the contact's tags were read a moment ago. */
export function isRechecked({ member, freshMs = FRESH_MS }: MemberContext, now: number): boolean {
  const { rechecked_at: at } = member;
  return at !== null && now - at.getTime() < freshMs;
}

function reachedLately({ campaign, member }: MemberContext): Verdict | null {
  const { cap } = campaign.spec.config;
  if (member.touches >= cap.times) return skip('FREQUENCY_CAP', reachedReason(member, cap.within));
  const { reachedBy } = member;
  return reachedBy === null
    ? null
    : skip('EXCLUDED_CAMPAIGN', `the campaign "${reachedBy}" has reached them since the plan was made`);
}

function reachedReason({ touches, lastTouch }: MemberCheck, within: string): string {
  if (lastTouch === null) return `campaigns have reached them within ${within}`;
  const { campaign, at } = lastTouch;
  return touches === 1
    ? `the campaign "${campaign}" reached them once within ${within}, on ${at}`
    : `campaigns reached them ${touches} times within ${within}, last "${campaign}" on ${at}`;
}

function inConversation(deps: Deps, { campaign, member }: MemberContext, now: number): Verdict | null {
  const { exclude, connection } = campaign.spec.config;
  const { open } = member;
  if (open?.served && exclude.humanService)
    return { do: 'served', ticket: open.id, reason: `a person is serving them in conversation ${open.id}` };
  if (open !== null && exclude.openConversation)
    return skip('OPEN_CONVERSATION', `their conversation ${open.id} is open`);
  if (member.window === null) return null;
  const window = judgeWindow(member.window, {
    to: { key: memberKey(member) },
    connection,
    now: new Date(now),
    scopeOf: scopesOf(deps, campaign.account),
  });
  if (window.state === 'closed')
    return skip('WINDOW_CLOSED', 'the 24-hour window of the conversation is closed');
  return window.state === 'open' ? null : skip('WINDOW_UNKNOWN', window.why);
}

/** Time zones whose windows apply to a member. */
export function zonesOf({ member, campaign }: MemberContext): string[] {
  return zonesOfText(member.zones, campaign.spec.timeZone);
}

const skip = (code: MemberCode, reason: string): Verdict => ({ do: 'skip', code, reason });
