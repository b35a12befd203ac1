// Activities that open a planned campaign, decide what it does next, and close it.

import type { Queryable } from '../../../src/core/sql/database.ts';
import type {
  CampaignInput,
  CampaignRunName,
  NextAction,
  OpenedCampaign,
} from '../../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../../src/jobs/campaigns/contract/plan.ts';
import { unreadReplies } from '../../../src/jobs/campaigns/rules/reliance.ts';
import { addAudit, countAudit } from '../../../src/jobs/campaigns/store/audit.ts';
import { type CampaignNews, campaignNews } from '../../../src/jobs/campaigns/store/campaign-news.ts';
import {
  type CampaignRow,
  findCampaign,
  lockCampaign,
  moveCampaign,
} from '../../../src/jobs/campaigns/store/campaigns.ts';
import {
  beginCampaign,
  giveUpLost,
  openAfterEvents,
  otherRun,
} from '../../../src/jobs/campaigns/store/commands.ts';
import { countMembers } from '../../../src/jobs/campaigns/store/next.ts';
import { catchUp } from '../../../src/jobs/campaigns/store/results.ts';
import { FLIGHT_SECONDS } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { configured } from '../../shared/failures.ts';
import { wakeSinks } from '../../shared/wake.ts';
import { createCommandActivities } from '../commands.ts';
import { pollerStates } from '../plan-checks.ts';
import { REFUSED, refuseCommand, refuseProblems, refuseUnlessPlanned } from '../refusals.ts';
import { AMBIGUOUS } from '../trigger/outcome.ts';
import { decideNext } from './decide-next.ts';
import { keepCalendars } from './next-in-waves.ts';

export interface DecideTools {
  /** Silence after which a call counts as ended, in seconds. @default 60 */
  readonly flightSeconds?: number;
  /** Wakes the delivery of sinks that have new events. */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
}

export function createCampaignRunActivities(
  deps: Deps,
  { flightSeconds = FLIGHT_SECONDS, wake = wakeSinks }: DecideTools = {},
) {
  const { db, clock } = deps;
  const now = async () => new Date(await clock.now());
  const calendarOf = keepCalendars();

  return {
    ...createCommandActivities(deps, wake),

    /**
     * Starts a planned run, or resumes one, with the configuration that its plan froze. It also opens a finished run,
     * on which operators may have work done.
     * @throws ApplicationFailure (not retryable) with a type of {@link REFUSED}
     */
    async openCampaign({ run, by, reason = '' }: CampaignInput): Promise<OpenedCampaign> {
      const at = await now();
      const unread = await unreadNow(run, at.getTime());
      const opened = await changing(run, async (tx, row, news) => {
        if (row.state === 'cancelled') throw refuseCommand(REFUSED.cancelled, `the run ${run} was cancelled`);
        if (row.state === 'running' || row.state === 'finished') return row;
        refuseUnlessPlanned(deps, row);
        const { approval } = row.spec.config;
        if (approval === 'second-person' && row.approved_by === null)
          throw refuseCommand(
            REFUSED.notApproved,
            `the plan of "${row.campaign}" is not approved: a person other than ${row.planned_by} approves it with \`sluice campaign approve ${row.campaign}\``,
          );
        refuseProblems(row);
        if (unread !== null)
          throw refuseCommand(REFUSED.unread, `"${row.campaign}" can't start: ${unread.reason}`);
        const other = await otherRun(tx, row);
        if (other !== null) throw refuseCommand(REFUSED.otherRun, `the run ${other.run} is ${other.state}`);
        if (await moveCampaign(tx, run, ['planned'], 'running', at))
          news.changed('started', { at, by, reason });
        await beginCampaign(tx, run, by, at);
        await addAudit(tx, run, { id: 'start', by, action: 'start', reason }, at);
        return row;
      });
      const { tokenKey, callsPerMinute } = await budgetOf(opened.account);
      return {
        tokenKey,
        callsPerMinute,
        paused: opened.paused,
        after: await openAfterEvents(db, opened),
      };
    },

    /** Decides what a run does next: trigger a batch, wait, pause or finish. It also makes, ends and judges waves. */
    async decideNext({ run }: CampaignRunName): Promise<NextAction> {
      const at = await clock.now();
      const unread = await unreadNow(run, at);
      for (let stamped = false; ; stamped = true) {
        const [row, decided] = await changing(run, async (tx, row, news) => {
          const calendar = calendarOf(row);
          const c = { tx, news, run: row, calendar, now: at, stamped, unread, flightSeconds };
          return [row, await decideNext(c)] as const;
        });
        if (decided === null) {
          await catchUp(db, run, new Date(at));
          continue;
        }
        const { next, wave, counts } = decided;
        const { callsPerMinute } = await budgetOf(row.account);
        return { ...next, wave, counts, callsPerMinute, pacePerMinute: paceOf(row) };
      }
    },

    /**
     * Ends the run if every member has its outcome; otherwise `closed` is false. `after` lists follow-up events that
     * no workflow has taken over, for example because a batch could not report them.
     */
    async closeCampaign({ run }: CampaignRunName): Promise<{ closed: boolean; after: readonly string[] }> {
      const at = await now();
      const { ended, ...result } = await changing(run, async (tx, row, news) => {
        if (row.state === 'cancelled')
          await giveUpLost(tx, run, { seconds: flightSeconds, code: AMBIGUOUS }, at, news);
        const counts = await countMembers(tx, run);
        if (counts.found + counts.waiting + counts.sending > 0)
          return { closed: false, after: [], ended: null };
        const { account, campaign, state } = row;
        const cancelled = state === 'cancelled' ? { account, campaign, status: 'cancelled' as const } : null;
        const end = { closed: true, after: await openAfterEvents(tx, row), ended: cancelled };
        if (!(await moveCampaign(tx, run, ['running'], 'finished', at))) return end;
        news.changed('finished', { at });
        // A run that operators reopen finishes more than once.
        const times = await countAudit(tx, run, 'finish');
        const entry = { id: `finish/${times + 1}`, by: 'sluice', action: 'finish', reason: '' } as const;
        await addAudit(tx, run, { ...entry, details: { ...counts } }, at);
        return { ...end, ended: { account, campaign, status: 'finished' as const } };
      });
      if (ended !== null) deps.outcomes?.campaignEnded(ended);
      return result;
    },
  };

  /** Changes a run in one transaction, publishes what has changed, and wakes the sinks that hear of it. */
  async function changing<T>(
    run: string,
    work: (tx: Queryable, row: CampaignRow, news: CampaignNews) => Promise<T>,
  ): Promise<T> {
    const { result, sinks } = await db.transaction(async (tx) => {
      const row = await lockOrRefuse(tx, run);
      const news = campaignNews(row, deps.announce(row.account));
      return { result: await work(tx, row, news), sinks: await news.publish(tx) };
    });
    await wake(sinks);
    return result;
  }

  /** Why no member may be triggered now; null if Sluice can read everything that the campaign relies on. */
  async function unreadNow(run: string, nowMs: number): Promise<PlanNote | null> {
    const found = await findCampaign(db, run);
    if (found === null) return null;
    return unreadReplies(found.spec, await pollerStates(deps, found.spec, nowMs));
  }

  async function lockOrRefuse(tx: Queryable, run: string): Promise<CampaignRow> {
    if ((await findCampaign(tx, run)) === null)
      throw refuseCommand(REFUSED.noSuchRun, `the ledger has no run ${run} of a campaign`);
    return await lockCampaign(tx, run);
  }

  async function budgetOf(name: string): Promise<{ tokenKey: string; callsPerMinute: number }> {
    const account = configured(() => deps.account(name));
    const callsPerMinute = await deps.budget.pace(account.tokens.map(({ key }) => key));
    return { tokenKey: account.tokenKey, callsPerMinute };
  }
}

/** Triggers per minute, as an operator has set them, or as configured; null if only the budget limits them. */
function paceOf({ pace, spec }: CampaignRow): number | null {
  if (pace === 0) return null;
  return pace ?? spec.config.waves.callsPerMinute ?? null;
}
