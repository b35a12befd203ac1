// Interprets a refused trigger: does it concern the person, or every member of the campaign?

import { CancelledFailure } from '@temporalio/activity';
import type { FlowId } from '../../../src/core/config/base.ts';
import type { CampaignConfig } from '../../../src/jobs/campaigns/config.ts';
import { ApiError } from '../../../src/service/api-client/errors.ts';
import { callScope } from '../../shared/call-scope.ts';
import type { Deps } from '../../shared/deps.ts';
import { callReason, refusal } from '../../shared/failures.ts';
import { judge } from '../../shared/judge.ts';
import { refusalCode } from '../../shared/refusal-scope.ts';
import type { MemberContext } from './check.ts';
import {
  answerOf,
  GONE,
  type MemberResult,
  nowOf,
  type Refused,
  releaseOrEnd,
  retryOf,
  retryWrite,
  served,
  settleRefused,
} from './outcome.ts';
import { judgeSuspect, type Suspect, suspectOf, unfound } from './suspect.ts';

const STEP = 'triggerMember';

/** Handles a refusal. The flow certainly did not run. */
export async function refused(
  deps: Deps,
  c: MemberContext,
  sends: number,
  error: unknown,
): Promise<MemberResult> {
  const { member, campaign } = c;
  const settle = (what: Refused) => retryWrite(() => settleRefused(deps, c, sends, what));
  const judged = judge(campaign.account, error, STEP, member.attempts + 1);
  if (judged.kind === 'refused') {
    const { code, reason, reach } = judged;
    if (code === 'ERR_TICKET_IN_HUMAN_SERVICE')
      return answerOf(await settle(servedNow(c, error as ApiError, await nowOf(deps))));
    if (code === 'ERR_NO_CONTACT_FOUND') {
      // It was looked up by number since, and found.
      if (member.contact_gone) return await suspected(deps, c, sends, unfound(c, error as ApiError));
      const state = await settle({ end: GONE, wait: { forgetContact: true } });
      return answerOf(state, state === 'waiting' ? 'findMember' : null);
    }
    if (reach === 'record') {
      const suspect = error instanceof ApiError ? suspectOf(c, STEP, error, code) : null;
      if (suspect !== null) return await suspected(deps, c, sends, suspect);
      return answerOf(await settle(failedWith(code, reason)));
    }
    const state = await settle({ wait: {}, ...failedWith(code, reason) });
    if (state !== 'waiting') return answerOf(state);
    deps.log.warn({ run: campaign.run_id, code }, 'the account refuses the triggers of a campaign');
    throw refusal(code, campaignReason(error as ApiError, campaign.spec.config), {
      scope: 'run',
      step: STEP,
    });
  }
  const { signal: called } = callScope();
  const failure = called.aborted ? called.reason : judged.failure;
  const { type = 'CANCELLED' } = failure as { type?: string };
  const end = failedWith(type, 'it was refused temporarily, after it had been given up');
  const state = await settle({ wait: {}, ...end });
  if (state === 'waiting' || failure instanceof CancelledFailure) throw failure;
  return answerOf(state);
}

/** @throws ApplicationFailure that pauses the campaign; the member then waits again */
async function suspected(
  deps: Deps,
  c: MemberContext,
  sends: number,
  suspect: Suspect,
): Promise<MemberResult> {
  const { campaign } = c;
  const at = await nowOf(deps);
  const { paused, state } = await retryWrite(() =>
    deps.db.transaction(async (tx) => {
      const { paused, reason } = await judgeSuspect(tx, c, STEP, suspect);
      const end = failedWith(suspect.code, reason);
      return {
        paused,
        state: await releaseOrEnd(tx, deps, c, { sends, at }, paused === null ? end : { wait: {}, ...end }),
      };
    }),
  );
  if (paused === null || state !== 'waiting') return answerOf(state);
  deps.log.warn(
    { run: campaign.run_id, code: suspect.code },
    'a campaign is paused because its triggers are refused',
  );
  throw paused;
}

function servedNow(c: MemberContext, error: ApiError, at: Date): Refused {
  const { ticketId: ticket } = error;
  const where = ticket === null ? '' : ` in conversation ${ticket}`;
  const retryAt = retryOf(c, at);
  return {
    end: served({ ticket, reason: `a person is serving them${where}` }),
    ...(retryAt === null ? {} : { wait: { retryAt } }),
  };
}

const failedWith = (code: string, reason: string): Refused => ({ end: { state: 'failed', code, reason } });

/** What was refused and what to check. The service's response names neither flow nor connection. */
function campaignReason(
  error: ApiError,
  { flow, connection }: Pick<CampaignConfig, 'flow' | 'connection'>,
): string {
  const way = wayOut(refusalCode(error), flow, connection);
  return way === null ? callReason(error) : `${callReason(error)}: ${way}`;
}

function wayOut(code: string, flow: FlowId, connection: number): string | null {
  switch (code) {
    case 'ERR_FLOW_NOT_EXECUTABLE':
      return `flow ${flow} is not active, not published or empty; publish it in the panel`;
    case 'ERR_FLOW_NOT_FOUND':
      return `the account has no flow ${flow}`;
    case 'ERR_CONNECTION_NOT_FOUND':
    case 'ERR_WHATSAPP_NOT_FOUND':
      return `the account has no connection ${connection}, or it can't run flows`;
    case 'ERR_UNSUPPORTED_CHANNEL':
      return `connection ${connection} has a channel that can't run flows; only whatsapp and waba can`;
    case 'ERR_TOKEN_REVOKED':
    case 'ERR_TOKEN_EXPIRED':
    case 'ERR_TOKEN_INVALID':
      return 'create a token in the panel and configure it for the workers';
    case 'ERR_FEATURE_NOT_AVAILABLE':
      return "the account's plan lacks the feature";
    default:
      return null;
  }
}
