// How a member's turn ends: what the rules or the service said, written down, and as the answer of the activity.
import { setTimeout as delay } from 'node:timers/promises';
import { durationMs } from '../../../src/contracts/config/config-base.ts';
import type { MemberState, MemberStep } from '../../../src/contracts/wire/campaign.ts';
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
} from '../../../src/ledger/campaigns/campaign-members.ts';
import { LedgerError, type Queryable } from '../../../src/ledger/database.ts';
import type { Deps } from '../../shared/deps.ts';
import { openAmong } from './after.ts';
import type { MemberContext, Verdict } from './check.ts';

export const AMBIGUOUS = 'TRIGGER_AMBIGUOUS';
const LOST = 'the answer was lost, and nothing shows whether the flow ran: see for yourself';

/**
 * An outcome is kept in hand for this long while the ledger is away; with the call it fits into the 3 minutes of a batch.
 * After that the member counts as one whose worker was lost.
 */
const KEEP_MS = 40_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2000;

/** Writes an outcome down, again and again while the ledger is away: nothing else knows of it. */
export async function insist<T>(write: () => Promise<T>): Promise<T> {
  const until = performance.now() + KEEP_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof LedgerError) || performance.now() > until) throw error;
      // A cancellation changes nothing of what has happened.
      await delay(pause);
    }
  }
}

/** What a step of a member came to. */
export interface MemberResult {
  readonly state: MemberState;
  /** The step to go on with; null: it has its outcome, or waits. */
  readonly next: MemberStep | null;
  /** It waits, and nothing was done: the rules say "not now" of it, or of everybody in the campaign. */
  readonly left?: 'member' | 'campaign';
  /** Events to be done after the trigger, by id: handed to the workflow of events. */
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
 * Answers how a member stands that does not wait. Events that follow its trigger are handed over again until they have
 * ended: the answer that did may have been lost. One whose right somebody else has is left to them.
 */
async function standing(deps: Deps, name: MemberName): Promise<MemberResult> {
  const { state, events } = await getMember(deps.db, name);
  return withAfter(state, await openAmong(deps.db, events));
}

/** Nobody knows whether the flow ran: the touch stays. */
export async function giveUp(deps: Deps, member: MemberRow, sends: number): Promise<MemberResult> {
  const end = { state: 'unknown', code: AMBIGUOUS, reason: LOST } as const;
  const ended = await endMember(deps.db, nameOf(member), end, await nowOf(deps), sends);
  // Its answer has come meanwhile.
  return ended ? answerOf('unknown') : answerOf((await getMember(deps.db, nameOf(member))).state);
}

/** Carries out what the rules said of a member. */
export async function settleVerdict(
  deps: Deps,
  c: MemberContext,
  verdict: Exclude<Verdict, { do: 'go' }>,
): Promise<MemberResult> {
  const name = nameOf(c.member);
  if (verdict.do === 'over') return await standing(deps, name);
  if (verdict.do === 'leave') return { ...answerOf('waiting'), left: verdict.whom };
  if (verdict.do === 'step') return answerOf('waiting', verdict.step);
  const at = await nowOf(deps);
  if (verdict.do === 'served') {
    const retryAt = retryOf(c, at);
    if (retryAt === null) return await skipMember(deps, c, served(verdict));
    return (await putOff(deps.db, name, retryAt)) ? answerOf('waiting') : await standing(deps, name);
  }
  return await skipMember(deps, c, { state: 'skipped', code: verdict.code, reason: verdict.reason });
}

/** Ends a member that waits. */
export async function skipMember(
  deps: Deps,
  { member }: MemberContext,
  end: MemberEnd,
): Promise<MemberResult> {
  const ended = await endMember(deps.db, nameOf(member), end, await nowOf(deps));
  return ended ? answerOf(end.state) : await standing(deps, nameOf(member));
}

/** When a member whom a person serves is tried again; null: not any more. */
export function retryOf({ campaign, member }: MemberContext, at: Date): Date | null {
  const { retryAfter, times } = campaign.spec.config.humanService;
  if (retryAfter === undefined || member.tries >= times) return null;
  return new Date(at.getTime() + durationMs(retryAfter));
}

export function served({ ticket, reason }: { ticket: number | null; reason: string }): MemberEnd {
  return { state: 'skipped', code: 'HUMAN_SERVICE', reason, ticketId: ticket };
}

/** What a refusal means for the member whose right this attempt has. */
export interface Refused {
  /** It waits again; without this it ends. */
  readonly wait?: Release;
  /** How it ends, also where it was to wait but has been given up meanwhile: its wave may be over. */
  readonly end: MemberEnd;
}

/** Writes down a refusal: it is certain that the flow did not run, so the person was not reached. */
export async function settleRefused(
  deps: Deps,
  member: MemberRow,
  sends: number,
  { wait, end }: Refused,
): Promise<MemberState> {
  const at = await nowOf(deps);
  return await deps.db.transaction((tx) =>
    releaseOrEnd(tx, member, { sends, at }, { end, ...(wait && { wait }) }),
  );
}

/** In a transaction; see {@link settleRefused}. */
export async function releaseOrEnd(
  tx: Queryable,
  member: MemberRow,
  { sends, at }: { readonly sends: number; readonly at: Date },
  { wait, end }: Refused,
): Promise<MemberState> {
  const name = nameOf(member);
  const released = wait === undefined ? null : await releaseMember(tx, name, sends, at, wait);
  const changed = released !== null || (await endMember(tx, name, end, at, sends));
  if (!changed) return (await getMember(tx, name)).state;
  await dropTouch(tx, member.id);
  return released ?? end.state;
}

/** The contact is not known by its id: found by its number once, and then there is none. */
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
