// Campaigns, runs, reports, plans and audits as operators read them.

import type { Client } from '@temporalio/client';
import { ScheduleNotFoundError } from '@temporalio/client';
import { campaignScheduleId, parseCampaignRunId } from '../../../core/ids.ts';
import { pageOf } from '../../../core/page.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { CAMPAIGNS, ListedCampaign } from '../contract/campaigns.ts';
import { digestOfSpec, findCampaign, listRuns } from '../store/campaigns.ts';
import { auditOf, listReports, reportOf } from '../store/report.ts';
import type { Figures } from './figures.ts';
import { excludedBy, partOf } from './rules.ts';
import { findRun } from './target.ts';

type Routes = Extract<
  keyof typeof CAMPAIGNS,
  | 'GET /campaigns'
  | 'GET /campaign-runs'
  | `GET /campaigns/{campaign}/${'report' | 'plan' | 'rules' | 'audit'}`
>;

export function readHandlers(deps: OperatorDeps, figures: Figures): Handlers<Routes> {
  const { db } = deps;
  return {
    'GET /campaigns': async ({ account }) => {
      const { campaigns, accounts } = deps.config().config;
      const client = await deps.runningTemporal();
      const all = Object.entries(campaigns).filter(
        ([, of]) => account === undefined || of.account === account,
      );
      const listed = all.map(async ([campaign, of]): Promise<ListedCampaign> => {
        const name = { account: of.account, campaign };
        const [newest = null] = await listReports(db, { ...name, limit: 1 }, figures.read);
        const spec = deps.config().campaign(campaign);
        const { schedule } = of;
        const zone = schedule?.timeZone ?? accounts[of.account]?.timeZone ?? 'UTC';
        return {
          campaign,
          account: of.account,
          timeZone: spec.timeZone,
          flow: of.flow,
          approval: of.approval,
          start: of.start ?? null,
          end: of.end ?? null,
          schedule:
            schedule === undefined
              ? null
              : {
                  cron: typeof schedule.cron === 'string' ? [schedule.cron] : [...schedule.cron],
                  timeZone: zone,
                  ...(await scheduleNow(client, name, schedule.paused)),
                },
          newest,
          isStale: newest?.state === 'planned' && newest.digest !== digestOfSpec(spec),
        };
      });
      return { campaigns: await Promise.all(listed) };
    },
    'GET /campaign-runs': async ({ campaign, account, limit, before }) => {
      const filter = {
        limit: limit + 1,
        campaign,
        account,
      };
      if (before !== undefined && (await findCampaign(db, before)) === null)
        throw new OperatorError('invalid', `before: the ledger has no run ${before}`, { code: 'CURSOR' });
      const found = await listReports(db, { ...filter, before }, figures.read);
      const { page: runs, next } = pageOf(found, limit, ({ run }) => run);
      return { runs, next };
    },
    'GET /campaigns/{campaign}/report': async ({ campaign }) => {
      const { run_id: run } = await findRun(db, campaign);
      const report = await reportOf(db, run, figures.readNow);
      if (report === null) throw gone(run);
      return report;
    },
    'GET /campaigns/{campaign}/plan': async ({ campaign }) => ({ plan: (await findRun(db, campaign)).plan }),
    'GET /campaigns/{campaign}/rules': async ({ campaign: text }) => {
      const isRun = parseCampaignRunId(text) !== null;
      const row = isRun ? await findRun(db, text) : (await listRuns(db, { campaign: text, limit: 1 }))[0];
      const { account, campaign, config } = row?.spec ?? deps.config().campaign(text);
      const { variables, audience, ...rules } = config;
      return {
        ...rules,
        run: row?.run_id ?? null,
        account,
        campaign,
        pace: row?.pace ?? null,
        variables: Object.keys(variables),
        audience: audience.map(({ from }) => from),
        parts: audience.map(partOf),
        exclude: excludedBy(config),
      };
    },
    'GET /campaigns/{campaign}/audit': async ({ campaign, limit, before }) => {
      const { run_id: run, spec } = await findRun(db, campaign);
      const found = await auditOf(db, run, { limit: limit + 1, before: before ?? null });
      const { page: entries, next } = pageOf(found, limit, ({ seq }) => seq);
      return { run, timeZone: spec.timeZone, entries, next };
    },
  };
}

/** A run is deleted only with the ledger. */
function gone(run: string): OperatorError {
  return new OperatorError('notFound', `the ledger no longer has the run ${run}`, { code: 'NO_SUCH_RUN' });
}

/** The server's schedule; the configuration's when there is no server or it does not have the schedule. */
async function scheduleNow(
  client: Client | null,
  name: { readonly account: string; readonly campaign: string },
  paused: boolean,
): Promise<{ nextAt: string | null; paused: boolean }> {
  if (client === null) return { nextAt: null, paused };
  try {
    const { info, state } = await client.schedule.getHandle(campaignScheduleId(name)).describe();
    return { nextAt: info.nextActionTimes[0]?.toISOString() ?? null, paused: state.paused };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return { nextAt: null, paused };
    throw error;
  }
}
