// How a member's turn ends: what the rules or the service said, written down, and as the answer of the activity.
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { MemberResult, MemberState, MemberStep } from '../../src/contracts/campaign.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import {
  endMember,
  forgetMemberContact,
  getMember,
  type MemberEnd,
  type MemberName,
  type MemberRow,
  putOff,
  type Release,
  releaseMember,
} from '../../src/ledger/campaign-members.ts';
import { dropTouch } from '../../src/ledger/campaign-touches.ts';
import { LedgerError } from '../../src/ledger/database.ts';
import { HEARTBEAT_MS } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import { comeBack } from '../failures.ts';
import { openAmong } from './trigger-after.ts';
import type { MemberContext, Verdict } from './trigger-check.ts';

export const AMBIGUOUS = 'TRIGGER_AMBIGUOUS';
const LOST = 'the answer was lost, and nothing shows whether the flow ran: see for yourself';
/** The attempt that took the right may take a moment to write down what came of it. */
const AFTER_FLIGHT_MS = 1000;

/**
 * So long is an outcome kept in hand while the ledger is away; with the call it fits into the attempt's 90 s. After that the
 * member counts as one whose worker was lost.
 */
const KEEP_MS = 40_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2000;

/** Writes an outcome down, again and again while the ledger is away: nothing else knows of it. */
export async function insist<T>(write: () => Promise<T>): Promise<T> {
  const activity = Context.current();
  const until = performance.now() + KEEP_MS;
  const pulse = setInterval(() => activity.heartbeat(), HEARTBEAT_MS);
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof LedgerError) || performance.now() > until) throw error;
        // A cancellation changes nothing of what has happened.
        await delay(pause);
      }
    }
  } finally {
    clearInterval(pulse);
  }
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
 * ended: the answer that did may have been lost. One whose right another attempt has is left to it, until that attempt
 * can't be under way any more.
 * @param flightSeconds so long after it took the right may an attempt still be at its call
 * @throws ApplicationFailure to come back when the other attempt is over
 */
export async function standing(deps: Deps, name: MemberName, flightSeconds: number): Promise<MemberResult> {
  const member = await getMember(deps.db, name);
  if (member.state !== 'sending') {
    return withAfter(member.state, await openAmong(deps.db, member.events));
  }
  const restMs = (flightSeconds - (member.age ?? 0)) * 1000;
  if (restMs > 0) throw comeBack(restMs + AFTER_FLIGHT_MS, 'another attempt may be at its call');
  deps.log.warn({ run: name.run, member: name.id }, 'an attempt is not heard of any more');
  return await giveUp(deps, member, member.sends);
}

/** Nobody knows whether the flow ran: the touch stays. */
export async function giveUp(deps: Deps, member: MemberRow, sends: number): Promise<MemberResult> {
  const end = { state: 'unknown', code: AMBIGUOUS, reason: LOST } as const;
  const ended = await endMember(deps.db, nameOf(member), end, await nowOf(deps), sends);
  // Its answer has come meanwhile.
  return ended ? answerOf('unknown') : answerOf((await getMember(deps.db, nameOf(member))).state);
}

/** Carries out what the rules said of a member that waits. */
export async function settleVerdict(
  deps: Deps,
  c: MemberContext,
  verdict: Exclude<Verdict, { do: 'go' | 'over' }>,
  flightSeconds: number,
): Promise<MemberResult> {
  const name = nameOf(c.member);
  if (verdict.do === 'leave') return answerOf('waiting');
  if (verdict.do === 'step') return answerOf('waiting', verdict.step);
  const at = await nowOf(deps);
  if (verdict.do === 'served') {
    const retryAt = retryOf(c, at);
    if (retryAt === null) return await skipMember(deps, c, served(verdict), flightSeconds);
    return (await putOff(deps.db, name, retryAt))
      ? answerOf('waiting')
      : await standing(deps, name, flightSeconds);
  }
  return await skipMember(
    deps,
    c,
    { state: 'skipped', code: verdict.code, reason: verdict.reason },
    flightSeconds,
  );
}

/** Ends a member that waits. */
export async function skipMember(
  deps: Deps,
  { member }: MemberContext,
  end: MemberEnd,
  flightSeconds: number,
): Promise<MemberResult> {
  const ended = await endMember(deps.db, nameOf(member), end, await nowOf(deps));
  return ended ? answerOf(end.state) : await standing(deps, nameOf(member), flightSeconds);
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
  const name = nameOf(member);
  const at = await nowOf(deps);
  return await deps.db.transaction(async (tx) => {
    const released = wait === undefined ? null : await releaseMember(tx, name, sends, at, wait);
    const changed = released !== null || (await endMember(tx, name, end, at, sends));
    if (!changed) return (await getMember(tx, name)).state;
    await dropTouch(tx, member.id);
    return released ?? end.state;
  });
}

/** The contact is not known by its id: found by its number once, and then there is none. */
export async function settleGone(deps: Deps, c: MemberContext, flightSeconds: number): Promise<MemberResult> {
  if (c.member.contact_gone) return await skipMember(deps, c, GONE, flightSeconds);
  await forgetMemberContact(deps.db, nameOf(c.member));
  return answerOf('waiting', 'findMember');
}

export const GONE: MemberEnd = {
  state: 'skipped',
  code: 'CONTACT_GONE',
  reason: 'the account has no contact with this number',
};
