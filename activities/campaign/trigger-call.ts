// The call itself: a right that is taken between slot and call, and what its answer means for the member.
import { CancelledFailure, Context } from '@temporalio/activity';
import { type ApiError, InvalidArgumentError, isAmbiguous } from '../../src/api-client/errors.ts';
import type { TriggeredFlow } from '../../src/api-client/resources/flows.ts';
import type { MemberResult } from '../../src/contracts/campaign.ts';
import { endMember, getMember, takeMember } from '../../src/ledger/campaign-members.ts';
import { lockPersonAndRun } from '../../src/ledger/campaign-touches.ts';
import { LedgerError } from '../../src/ledger/database.ts';
import { type Call, callApi } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import {
  comeBack,
  isRefusal,
  MAX_DOUBLINGS,
  recordReason,
  refusal,
  refusalCode,
  refusalScope,
  toFailure,
} from '../failures.ts';
import { campaignReason } from './refused-campaign.ts';
import { addAfterEvents, openAfterRun, openAmong } from './trigger-after.ts';
import {
  checkMember,
  lookAgain,
  type MemberContext,
  memberKey,
  type Verdict,
  zonesOf,
} from './trigger-check.ts';
import {
  answerOf,
  GONE,
  giveUp,
  insist,
  nameOf,
  nowOf,
  type Refused,
  retryOf,
  served,
  settleRefused,
  settleVerdict,
  standing,
  withAfter,
} from './trigger-outcome.ts';

const STEP = 'triggerMember';

/** What the look between slot and call came to: the member as it was then, and the number of the sending if it may go. */
interface Look {
  readonly context: MemberContext;
  readonly verdict: Verdict;
  readonly sends: number | null;
}

interface Turn {
  look: Look | null;
  flight: 'not sent' | 'may have run' | 'accepted';
  refusal: unknown;
}

/** Triggers the flow of a member that waits, provided that the rules still allow it when a slot is there. */
export async function callTrigger(
  deps: Deps,
  c: MemberContext,
  flightSeconds: number,
): Promise<MemberResult> {
  // Before the call: nothing but the answer itself is to be written down after it.
  const afterRun = await openAfterRun(deps.db, c.campaign);
  const turn: Turn = { look: null, flight: 'not sent', refusal: null };
  const { run_id: run, id: member } = c.member;
  const call: Call<TriggeredFlow> = async (client, { signal }) => {
    const look = turn.look as Look;
    // Another token refused it, and the slot of this one was waited for.
    if (turn.refusal !== null && !(await isOpenStill(deps, look.context)))
      throw comeBack(1000, 'the window closed between two tokens');
    turn.flight = 'may have run';
    try {
      const answer = await client.flows.trigger(triggerOf(look), { signal: untilShutdown(signal) });
      turn.flight = 'accepted';
      return answer;
    } catch (error) {
      if (!isAmbiguous(error)) turn.flight = 'not sent';
      turn.refusal = error;
      throw error;
    }
  };
  const beforeSend = async () => {
    turn.look = await takeRight(deps, c);
    return turn.look.sends !== null;
  };
  try {
    await callApi(deps, c.account, run, 'flows:trigger', call, beforeSend);
  } catch (error) {
    const { look, flight } = turn;
    // No slot yet, or called off while waiting for one: nothing went out.
    if (look === null || look.sends === null) throw error;
    // What the service said counts more than that the budget could not learn from it.
    const cause = error instanceof LedgerError ? (turn.refusal ?? error) : error;
    if (flight === 'not sent') return await refused(deps, look.context, look.sends, cause);
    if (flight === 'may have run') {
      deps.log.warn({ run, member }, 'the answer to a trigger was lost');
      const { context, sends } = look;
      return await insist(() => giveUp(deps, context.member, sends));
    }
    deps.log.warn({ run, member }, 'the budget could not learn from an answer');
  }
  const { context, verdict, sends } = turn.look as Look;
  if (sends !== null) return await insist(() => triggered(deps, context, sends, afterRun));
  return verdict.do === 'go' || verdict.do === 'over'
    ? await standing(deps, nameOf(c.member), flightSeconds)
    : await settleVerdict(deps, context, verdict, flightSeconds);
}

/**
 * Looks at everything again, by the clock as it is now, and takes the right in the same transaction: slots are waited
 * for, and two campaigns may want the same person at once.
 */
async function takeRight(deps: Deps, c: MemberContext): Promise<Look> {
  const name = nameOf(c.member);
  const { account, campaign } = c.campaign;
  return await deps.db.transaction(async (tx) => {
    await lockPersonAndRun(tx, { account, key: memberKey(c.member) }, name.run);
    const now = await deps.clock.now();
    const context = await lookAgain(tx, c, name.id, now);
    const verdict = await checkMember(deps, tx, context, now);
    if (verdict.do !== 'go') return { context, verdict, sends: null };
    const sends = await takeMember(tx, name, { account, campaign, at: new Date(now) });
    return { context, verdict, sends };
  });
}

async function isOpenStill(deps: Deps, c: MemberContext): Promise<boolean> {
  const { end } = c.campaign.spec.config;
  const now = await deps.clock.now();
  return c.calendar.at(zonesOf(c), now).open && (end === undefined || now < Date.parse(end));
}

/**
 * A pause, or the end of the workflow, lets a call under way come to its answer, which would be lost for good: nothing can be
 * read back. Only a worker that is to end cuts it off.
 */
function untilShutdown(signal: AbortSignal): AbortSignal {
  if (signal.aborted) return signal;
  const own = new AbortController();
  signal.addEventListener('abort', () => {
    if ((signal.reason as Error).message === 'WORKER_SHUTDOWN') own.abort(signal.reason);
  });
  return own.signal;
}

function triggerOf({ context, verdict }: Look) {
  const { campaign, member } = context;
  const { flow, connection } = campaign.spec.config;
  const contact = verdict.do === 'go' ? verdict.contact : null;
  return {
    flowId: flow,
    whatsappId: connection,
    variables: member.variables ?? {},
    contact: { number: member.number ?? memberKey(member), ...(contact === null ? {} : { id: contact }) },
  };
}

/** The service has accepted it, however late: what counted as unknown is settled. */
async function triggered(
  deps: Deps,
  { campaign, member }: MemberContext,
  sends: number,
  afterRun: string | null,
): Promise<MemberResult> {
  const name = nameOf(member);
  const at = await nowOf(deps);
  return await deps.db.transaction(async (tx) => {
    const ended = await endMember(tx, name, { state: 'triggered' }, at, sends);
    if (ended) return withAfter('triggered', await addAfterEvents(tx, afterRun, campaign, member));
    const now = await getMember(tx, name);
    if (now.sends > sends)
      deps.log.warn(
        { run: name.run, member: name.id },
        'an answer came after the member had gone on without it',
      );
    return withAfter(now.state, await openAmong(tx, now.events));
  });
}

/** It is certain that the flow did not run. */
async function refused(deps: Deps, c: MemberContext, sends: number, error: unknown): Promise<MemberResult> {
  const { member, campaign } = c;
  const settle = (what: Refused) => insist(() => settleRefused(deps, member, sends, what));
  if (error instanceof InvalidArgumentError)
    return answerOf(await settle(failedWith('INVALID_ARGUMENT', error.message)));
  if (isRefusal(error)) {
    const code = refusalCode(error);
    if (code === 'ERR_TICKET_IN_HUMAN_SERVICE')
      return answerOf(await settle(servedNow(c, error, await nowOf(deps))));
    if (code === 'ERR_NO_CONTACT_FOUND') {
      const state = await settle({
        end: GONE,
        ...(member.contact_gone ? {} : { wait: { forgetContact: true } }),
      });
      return answerOf(state, state === 'waiting' ? 'findMember' : null);
    }
    if (!concernsCampaign(error)) return answerOf(await settle(failedWith(code, recordReason(error))));
    const state = await settle({ wait: {}, ...failedWith(code, recordReason(error)) });
    if (state !== 'waiting') return answerOf(state);
    deps.log.warn({ run: campaign.run_id, code }, 'the account refuses the triggers of a campaign');
    throw refusal(code, campaignReason(error, campaign.spec.config), { scope: 'run', step: STEP });
  }
  const { info, cancellationSignal: called } = Context.current();
  const failure = called.aborted
    ? called.reason
    : toFailure(error, STEP, Math.min(info.attempt, MAX_DOUBLINGS));
  const { type = 'CANCELLED' } = failure as { type?: string };
  const end = failedWith(type, 'it was refused for now, after it had been given up');
  const state = await settle({ wait: {}, ...end });
  if (state === 'waiting' || failure instanceof CancelledFailure) throw failure;
  return answerOf(state);
}

function servedNow(c: MemberContext, error: ApiError, at: Date): Refused {
  const { ticketId: ticket } = error;
  const where = ticket === null ? '' : ` in conversation ${ticket}`;
  const retryAt = retryOf(c, at);
  return {
    end: served({ ticket, reason: `a person serves them${where}` }),
    ...(retryAt === null ? {} : { wait: { retryAt } }),
  };
}

const failedWith = (code: string, reason: string): Refused => ({ end: { state: 'failed', code, reason } });

/**
 * Would every member meet this refusal? That of the connection is a 404 whose code is not shown (API text, Flows), so any
 * 404 counts that is not about this person; who may trigger at all is told by 401 and 403.
 */
function concernsCampaign(error: ApiError): boolean {
  const { status } = error;
  const code = refusalCode(error);
  if (status === 404) return code !== 'ERR_NO_TICKET_FOUND';
  return status === 401 || status === 403 || refusalScope(code, STEP) === 'run';
}
