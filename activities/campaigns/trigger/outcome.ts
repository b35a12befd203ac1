// Outcomes of a member: records what the rules or the service decided, and returns it as the activity's result.
import { setTimeout as delay } from 'node:timers/promises';
import { durationMs } from '../../../src/core/config/base.ts';
import { LedgerError, type Queryable } from '../../../src/core/sql/database.ts';
import type { MemberState } from '../../../src/jobs/campaigns/constants.ts';
import type { MemberStep } from '../../../src/jobs/campaigns/contract/batches.ts';
import { campaignNews, hearsOutcome } from '../../../src/jobs/campaigns/store/campaign-news.ts';
import type { EndedMember } from '../../../src/jobs/campaigns/store/ended-members.ts';
import {
  dropTouch,
  endMember,
  forgetMemberContact,
  getMember,
  type MemberEnd,
  type MemberName,
  type MemberRow,
  putOff,
  type Release,
  releaseMember,
} from '../../../src/jobs/campaigns/store/members.ts';
import type { Deps } from '../../shared/deps.ts';
import { openAmong } from './after.ts';
import type { MemberContext, Verdict } from './check.ts';

export const AMBIGUOUS = 'TRIGGER_AMBIGUOUS';
const LOST = 'the response was lost, so Sluice does not know whether the flow ran; check in the service';

/**
 * How long an outcome waits in memory while the ledger is unavailable. Together with the call this fits into the 3
 * minutes of a batch. After that the member counts as one whose worker was lost.
 */
const KEEP_MS = 40_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2000;

/** Retries a write while the ledger is unavailable, because the outcome is stored nowhere else. */
export async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
  const until = performance.now() + KEEP_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof LedgerError) || performance.now() > until) throw error;
      // A cancellation does not undo the call, so the wait ignores it.
      await delay(pause);
    }
  }
}

/** Result of one step of a member. */
export interface MemberResult {
  readonly state: MemberState;
  /** The next step; null if the member has its outcome, or waits. */
  readonly next: MemberStep | null;
  /** The member waits and nothing was done: the rules do not allow this member yet, or nobody in the campaign. */
  readonly left?: 'member' | 'campaign';
  /** Ids of events to run after the trigger; the workflow of events takes them over. */
  readonly after?: readonly string[];
}

export const nameOf = ({ run_id, id }: MemberRow): MemberName => ({ run: run_id, id });

export async function nowOf({ clock }: Deps): Promise<Date> {
  return new Date(await clock.now());
}

export const answerOf = (state: MemberState, next: MemberStep | null = null): MemberResult => ({
  state,
  next,
});

export function withAfter(state: MemberState, after: readonly string[]): MemberResult {
  return { ...answerOf(state), ...(after.length === 0 ? {} : { after }) };
}

/**
 * Returns the state of a member that is not waiting. It returns follow-up events again until they have ended, because
 * an earlier response with them may have been lost. If another attempt has the right to trigger, this leaves the
 * member to it.
 */
async function standing(deps: Deps, name: MemberName): Promise<MemberResult> {
  const { state, events } = await getMember(deps.db, name);
  return withAfter(state, await openAmong(deps.db, events));
}

/**
 * Ends a member, and puts the event into the outbox if somebody hears of the outcome. Otherwise it is one statement.
 * @returns false when the member's state has changed: nothing changes then
 */
export async function endAlone(
  deps: Deps,
  { campaign }: Pick<MemberContext, 'campaign'>,
  member: MemberName,
  end: MemberEnd,
  { at, sends = null }: { readonly at: Date; readonly sends?: number | null },
): Promise<boolean> {
  const rules = deps.announce(campaign.account);
  if (!hearsOutcome(rules, end.state)) return (await endMember(deps.db, member, end, at, sends)) !== null;
  return await deps.db.transaction(async (tx) => {
    const ended = await endMember(tx, member, end, at, sends);
    if (ended !== null) await publishEnded(tx, deps, campaign, ended);
    return ended !== null;
  });
}

/** Puts the event of a member that has ended into the outbox. It is the last statement of its transaction. */
export async function publishEnded(
  tx: Queryable,
  deps: Pick<Deps, 'announce'>,
  campaign: MemberContext['campaign'],
  ended: EndedMember,
): Promise<void> {
  const news = campaignNews(campaign, deps.announce(campaign.account));
  if (news.hears(ended.state)) news.ended([ended]);
  await news.publish(tx);
}

/** Marks a member whose flow may or may not have run as `unknown`. The touch still counts for the frequency cap. */
export async function giveUp(deps: Deps, c: MemberContext, sends: number): Promise<MemberResult> {
  const name = nameOf(c.member);
  const end = { state: 'unknown', code: AMBIGUOUS, reason: LOST } as const;
  const ended = await endAlone(deps, c, name, end, { at: await nowOf(deps), sends });
  // If the row did not change, the response has arrived meanwhile.
  return ended ? answerOf('unknown') : answerOf((await getMember(deps.db, name)).state);
}

/** Applies what the rules decided about a member. */
export async function settleVerdict(
  deps: Deps,
  c: MemberContext,
  verdict: Exclude<Verdict, { do: 'go' }>,
): Promise<MemberResult> {
  const name = nameOf(c.member);
  if (verdict.do === 'over') return await standing(deps, name);
  if (verdict.do === 'leave') return { ...answerOf('waiting'), left: verdict.scope };
  if (verdict.do === 'step') return answerOf('waiting', verdict.step);
  const at = await nowOf(deps);
  if (verdict.do === 'served') {
    const retryAt = retryOf(c, at);
    if (retryAt === null) return await skipMember(deps, c, served(verdict));
    return (await putOff(deps.db, name, retryAt)) ? answerOf('waiting') : await standing(deps, name);
  }
  return await skipMember(deps, c, { state: 'skipped', code: verdict.code, reason: verdict.reason });
}

/** Ends a waiting member. */
export async function skipMember(deps: Deps, c: MemberContext, end: MemberEnd): Promise<MemberResult> {
  const name = nameOf(c.member);
  const ended = await endAlone(deps, c, name, end, { at: await nowOf(deps) });
  return ended ? answerOf(end.state) : await standing(deps, name);
}

/** When to retry a member that a person is serving; null if it is not retried. */
export function retryOf({ campaign, member }: MemberContext, at: Date): Date | null {
  const { retryAfter, times } = campaign.spec.config.humanService;
  if (retryAfter === undefined || member.tries >= times) return null;
  return new Date(at.getTime() + durationMs(retryAfter));
}

export function served({ ticket, reason }: { ticket: number | null; reason: string }): MemberEnd {
  return { state: 'skipped', code: 'HUMAN_SERVICE', reason, ticketId: ticket };
}

/** What a refusal means for a member whose right to trigger belongs to this attempt. */
export interface Refused {
  /** Set if the member waits again; otherwise it ends. */
  readonly wait?: Release;
  /** How it ends. This also applies if the member was given up meanwhile, because its wave may be over. */
  readonly end: MemberEnd;
}

/** Records a refusal. The flow certainly did not run, so the person was not reached. */
export async function settleRefused(
  deps: Deps,
  c: MemberContext,
  sends: number,
  { wait, end }: Refused,
): Promise<MemberState> {
  const at = await nowOf(deps);
  return await deps.db.transaction((tx) =>
    releaseOrEnd(tx, deps, c, { sends, at }, { end, ...(wait && { wait }) }),
  );
}

/** Same as {@link settleRefused}, at the end of a transaction. */
export async function releaseOrEnd(
  tx: Queryable,
  deps: Pick<Deps, 'announce'>,
  { campaign, member }: MemberContext,
  { sends, at }: { readonly sends: number; readonly at: Date },
  { wait, end }: Refused,
): Promise<MemberState> {
  const name = nameOf(member);
  const released = wait === undefined ? null : await releaseMember(tx, name, sends, at, wait);
  const ended = released === null ? await endMember(tx, name, end, at, sends) : null;
  if (released === null && ended === null) return (await getMember(tx, name)).state;
  await dropTouch(tx, member.id);
  if (ended !== null) await publishEnded(tx, deps, campaign, ended);
  return released ?? end.state;
}

/** The service does not know the contact's id. Looks it up by number once, then gives up. */
export async function settleGone(deps: Deps, c: MemberContext): Promise<MemberResult> {
  if (c.member.contact_gone) return await skipMember(deps, c, GONE);
  await forgetMemberContact(deps.db, nameOf(c.member));
  return answerOf('waiting', 'findMember');
}

export const GONE: MemberEnd = {
  state: 'skipped',
  code: 'CONTACT_GONE',
  reason: 'the account has no contact with this number',
};
