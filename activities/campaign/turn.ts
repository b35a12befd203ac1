// Takes up a planned campaign, says what it does next, and ends it.
import type {
  CampaignInput,
  CampaignRunName,
  CampaignTurn,
  OpenedCampaign,
  TurnInput,
} from '../../src/contracts/campaign.ts';
import {
  addAudit,
  beginCampaign,
  countAudit,
  giveUpLost,
  openAfterEvents,
  otherRun,
} from '../../src/ledger/campaign-acts.ts';
import { catchUp } from '../../src/ledger/campaign-results.ts';
import { countMembers } from '../../src/ledger/campaign-turn.ts';
import { type CampaignRow, findCampaign, lockCampaign, moveCampaign } from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import type { AccountAccess, Deps } from '../deps.ts';
import { notConfigured } from '../failures.ts';
import { createActActivities } from './acts.ts';
import { keepCalendars } from './calendars.ts';
import { nextTurn } from './next-turn.ts';
import { REFUSED, refuseAct, refuseUnlessPlanned } from './refuse-act.ts';
import { AMBIGUOUS } from './trigger-outcome.ts';
import { LOST_SECONDS } from './turn-context.ts';

/**
 * Members under way at once: as for syncs, so many that a worker which dies, and is missed for up to 20 s, holds up no
 * more of the budget than what waits for its slot meanwhile.
 */
const CONCURRENCY = 48;

export function createTurnActivities(deps: Deps) {
  const { db, clock } = deps;
  const now = async () => new Date(await clock.now());
  const calendarOf = keepCalendars();

  return {
    ...createActActivities(deps),

    /**
     * Takes up a run that was planned, or goes on with one, by what was frozen with its plan. One that has finished is
     * opened as well: operators may have something done in it.
     * @throws ApplicationFailure (not retryable) of a type of {@link REFUSED}
     */
    async openCampaign({ run, by, reason = '' }: CampaignInput): Promise<OpenedCampaign> {
      const at = await now();
      const opened = await db.transaction(async (tx) => {
        const row = await lockOrRefuse(tx, run);
        if (row.state === 'cancelled') throw refuseAct(REFUSED.cancelled, `the run ${run} was cancelled`);
        if (row.state === 'running' || row.state === 'finished') return row;
        refuseUnlessPlanned(deps, row);
        const { approval } = row.spec.config;
        if (approval === 'second-person' && row.approved_by === null)
          throw refuseAct(
            REFUSED.notApproved,
            `nobody has approved the plan of "${row.campaign}": somebody else than ${row.planned_by} does so with \`sluice campaign approve ${row.campaign}\``,
          );
        const problems = row.plan?.problems ?? [];
        if (problems.length > 0)
          throw refuseAct(
            REFUSED.problems,
            `the plan of "${row.campaign}" can not be carried out: ${problems.map(({ reason }) => reason).join('; ')}`,
          );
        const other = await otherRun(tx, row);
        if (other !== null) throw refuseAct(REFUSED.otherRun, `the run ${other.run} is ${other.state}`);
        await moveCampaign(tx, run, ['planned'], 'running', at);
        await beginCampaign(tx, run, by, at);
        await addAudit(tx, run, { id: 'start', by, action: 'start', reason }, at);
        return row;
      });
      const { tokenKey, callsPerMinute } = await budgetOf(opened.account);
      return {
        ...{ tokenKey, callsPerMinute, held: opened.held, concurrency: CONCURRENCY },
        first: opened.spec.config.recheck === 'api' ? 'recheckMember' : 'triggerMember',
        after: await openAfterEvents(db, opened),
      };
    },

    /**
     * What a run does next: whom to trigger, how long to wait, that somebody has to look, or that a pass or the run is over.
     * Waves are made, ended and judged here.
     */
    async campaignTurn(input: TurnInput): Promise<CampaignTurn> {
      const at = await clock.now();
      for (let stamped = false; ; stamped = true) {
        const [row, decided] = await db.transaction(async (tx) => {
          const row = await lockOrRefuse(tx, input.run);
          return [row, await nextTurn(tx, row, calendarOf(row), input, at, stamped)] as const;
        });
        if (decided === null) {
          await catchUp(db, input.run, new Date(at));
          continue;
        }
        const { next, wave, counts } = decided;
        const { callsPerMinute } = await budgetOf(row.account);
        return { ...next, wave, counts, callsPerMinute, pacePerMinute: paceOf(row) };
      }
    },

    /** Ends the run when every member has its outcome; answers false when some have not. */
    async closeCampaign({ run }: CampaignRunName): Promise<boolean> {
      const at = await now();
      return await db.transaction(async (tx) => {
        const row = await lockOrRefuse(tx, run);
        if (row.state === 'cancelled')
          await giveUpLost(tx, run, { seconds: LOST_SECONDS, code: AMBIGUOUS }, at);
        const counts = await countMembers(tx, run);
        if (counts.found + counts.waiting + counts.sending > 0) return false;
        if (!(await moveCampaign(tx, run, ['running'], 'finished', at))) return true;
        // A run that operators have opened again finishes more than once.
        const times = await countAudit(tx, run, 'finish');
        const line = { id: `finish/${times + 1}`, by: 'sluice', action: 'finish', reason: '' } as const;
        await addAudit(tx, run, { ...line, details: { ...counts } }, at);
        return true;
      });
    },
  };

  async function lockOrRefuse(tx: Queryable, run: string): Promise<CampaignRow> {
    if ((await findCampaign(tx, run)) === null)
      throw refuseAct(REFUSED.noSuchRun, `the ledger has no run ${run} of a campaign`);
    return await lockCampaign(tx, run);
  }

  async function budgetOf(name: string): Promise<{ tokenKey: string; callsPerMinute: number }> {
    let account: AccountAccess;
    try {
      account = deps.account(name);
    } catch (error) {
      throw notConfigured(error);
    }
    const callsPerMinute = await deps.budget.pace(account.tokens.map(({ key }) => key));
    return { tokenKey: account.tokenKey, callsPerMinute };
  }
}

/** Triggers a minute: as an operator has said, else as configured; null: what the budget leaves. */
function paceOf({ pace, spec }: CampaignRow): number | null {
  if (pace === 0) return null;
  return pace ?? spec.config.waves.callsPerMinute ?? null;
}
