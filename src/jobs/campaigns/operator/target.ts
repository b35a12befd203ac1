// Finds the campaign and the run that an operator names.
import type { LoadedConfig } from '../../../config/load.ts';
import { parseCampaignRunId } from '../../../core/ids.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { CampaignCommand, CampaignName, CampaignState } from '../contract/batches.ts';
import { type CampaignRow, findCampaign, listRuns } from '../store/campaigns.ts';

/** A configured campaign, or the campaign in a run's id `{account}/+{campaign}/{number}`. */
export interface CampaignTarget extends CampaignName {
  /** Null: no run was named. */
  readonly run: string | null;
}

/** @throws UnknownNameError when it is neither a campaign of the configuration nor the id of a run */
export function resolveCampaign(config: Pick<LoadedConfig, 'campaign'>, text: string): CampaignTarget {
  const named = parseCampaignRunId(text);
  if (named !== null) return { account: named.account, campaign: named.campaign, run: text };
  return { account: config.campaign(text).account, campaign: text, run: null };
}

/**
 * The run with this id, or the newest run of the campaign with this name. It needs no configuration.
 * @throws OperatorError (not found)
 */
export async function findRun(db: Queryable, text: string): Promise<CampaignRow> {
  const isRun = parseCampaignRunId(text) !== null;
  const row = isRun ? await findCampaign(db, text) : (await listRuns(db, { campaign: text, limit: 1 }))[0];
  if (row != null) return row;
  const problem = isRun
    ? `the ledger has no run ${text}; \`sluice campaign list\` shows all`
    : `the campaign "${text}" has no run; make one with \`sluice campaign plan ${text}\`, or see \`sluice campaign list\``;
  throw new OperatorError('notFound', problem, { code: 'NO_SUCH_RUN' });
}

export type Run = Pick<CampaignRow, 'run_id' | 'state' | 'started_at' | 'digest'>;

/** Number of runs to search for the one that a command applies to. */
const RUNS = 200;

/** The runs that a command may apply to, newest first; also the named run if it is older. */
export async function runsOf(
  db: Queryable,
  { account, campaign, run }: CampaignTarget,
): Promise<readonly Run[]> {
  const runs = await listRuns(db, { account, campaign, limit: RUNS });
  if (run === null || runs.some(({ run_id }) => run_id === run)) return runs;
  const named = await findCampaign(db, run);
  return named === null ? runs : [...runs, named];
}

/**
 * The plan that somebody has read and approves.
 * @throws OperatorError (conflict) when a newer plan waits; (not found) when the campaign has no such run
 */
export function planToApprove(target: CampaignTarget, run: string, runs: readonly Run[]): Run {
  const named = parseCampaignRunId(run);
  const isOther = target.run !== null && target.run !== run;
  if (named?.account !== target.account || named.campaign !== target.campaign || isOther)
    throw new OperatorError(
      'invalid',
      `${run} is no run of ${target.run ?? `the campaign "${target.campaign}"`}; approve the run of the plan that you have read`,
      { code: 'ANOTHER_RUN' },
    );
  const newest = runs.find(({ state }) => state === 'planned');
  if (newest !== undefined && newest.run_id !== run)
    throw new OperatorError(
      'conflict',
      `${newest.run_id} is a newer plan of "${target.campaign}" than ${run}; read it, and approve that one`,
      { code: 'PLAN_OVER' },
    );
  return pick({ ...target, run }, runs, () => false);
}

/** The run to start: the named one, else the active one or the newest plan. */
export function runToStart(target: CampaignTarget, runs: readonly Run[]): Run {
  return pick(target, runs, ({ state }) => state === 'running' || state === 'planned');
}

function pick(target: CampaignTarget, runs: readonly Run[], fits: (run: Run) => boolean): Run {
  const { campaign, run: named } = target;
  const found = runs.find((run) => (named === null ? fits(run) : run.run_id === named));
  if (found !== undefined) return found;
  if (named !== null)
    throw new OperatorError(
      'notFound',
      `the ledger has no run ${named}; \`sluice campaign list\` shows all`,
      {
        code: 'NO_SUCH_RUN',
      },
    );
  const [newest] = runs;
  const last = newest === undefined ? '' : `; its newest run, ${newest.run_id}, is ${newest.state}`;
  const way = `make one with \`sluice campaign plan ${campaign}\``;
  throw new OperatorError('notFound', `no plan of "${campaign}" waits for its start${last}; ${way}`, {
    code: 'NO_PLAN',
  });
}

/**
 * The run that a command applies to: the named run, else the active one. Without an active one: for `cancel` and
 * `rate` the waiting plan, for `retry` and `resolve` the run that was started last.
 * @param runs newest first
 * @throws OperatorError (not found) when there is none
 */
export function runToSteer(
  { account, campaign, run: named }: CampaignTarget,
  action: CampaignCommand['action'],
  runs: readonly Run[],
): Run {
  const inState = (state: CampaignState) => runs.find((run) => run.state === state);
  const found = () => {
    if (named !== null) return runs.find(({ run_id }) => run_id === named);
    const other = action === 'cancel' || action === 'rate' ? inState('planned') : undefined;
    const last =
      action === 'retry' || action === 'resolve'
        ? runs.find(({ started_at }) => started_at !== null)
        : undefined;
    return inState('running') ?? other ?? last;
  };
  const run = found();
  if (run !== undefined) return run;
  const what = action === 'retry' || action === 'resolve' ? 'was never started' : 'has no run under way';
  const problem =
    named !== null
      ? `the campaign "${campaign}" has no run ${named}`
      : `the campaign "${campaign}" of the account "${account}" ${what}; \`sluice campaign list ${campaign}\` shows its runs`;
  throw new OperatorError('notFound', problem, { code: 'NO_SUCH_RUN' });
}

/**
 * Whether the workflow of the campaign must take part: while the run is active, and when members are retried. While
 * another run is active, the workflow belongs to that run, and the ledger handles the command.
 */
export function needsWorkflow(
  { run_id, state }: Pick<Run, 'run_id' | 'state'>,
  action: CampaignCommand['action'],
  runs: readonly Pick<Run, 'run_id' | 'state'>[],
): boolean {
  if (state === 'running') return true;
  const taken = runs.some((other) => other.state === 'running' && other.run_id !== run_id);
  return state === 'finished' && (action === 'retry' || action === 'resolve') && !taken;
}
