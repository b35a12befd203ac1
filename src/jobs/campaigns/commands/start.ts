// `sluice campaign approve` and `sluice campaign start`: approves and starts a plan.
import type { Command } from 'commander';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { confirm, withYes } from '../../../cli/lib/terminal/confirm.ts';
import { formatMany } from '../../../cli/lib/terminal/format.ts';
import { createProgress, formatCount as n } from '../../../cli/lib/terminal/progress.ts';
import { isAttended } from '../../../cli/lib/terminal/terminal.ts';
import { inZone } from '../../../cli/lib/zone.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { CampaignPlan } from '../contract/plan.ts';
import type { CampaignReport } from '../contract/report.ts';
import { describeApprovers } from './describe-approvers.ts';
import { describeCampaignPlan } from './describe-plan.ts';
import { followCampaign } from './follow-campaign.ts';
import { campaignOrRun } from './target.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly reason: string;
}

interface ApproveOptions extends Options {
  readonly yes: boolean;
}

interface StartOptions extends ApproveOptions {
  readonly run?: string;
  readonly watch: boolean;
}

export function registerCampaignStart(campaign: Command, env: NodeJS.ProcessEnv): void {
  withYes(
    withSessionOptions(
      campaign.command('approve').argument('<name>', 'name of the campaign, or id of a run'),
    ),
  )
    .description(
      'show the newest plan of a campaign, or the plan of a run, and approve it; another person than its author must do it',
    )
    .option('--reason <text>', 'reason, recorded with the run', '')
    .option('--json', 'print the result as JSON', false)
    .action((name: string, options: ApproveOptions) =>
      withOperator(
        options,
        env,
        { command: `sluice campaign approve ${name}` },
        (client, _connected, { signal }) => approve({ client, signal, name, options }),
      ),
    );

  withYes(withSessionOptions(campaign.command('start').argument('<name>', 'name of the campaign')))
    .description('start the newest plan of a campaign; joins the run if it is active')
    .option('--run <run>', 'start the plan of this run (default: the newest plan)')
    .option('--reason <text>', 'reason, recorded with the run', '')
    .option('--watch', 'show the progress until the run ends', false)
    .option('--json', 'print the started run as JSON; with --watch, the result', false)
    .action((name: string, options: StartOptions) => {
      const connecting = { command: `sluice campaign start ${name}`, creates: true, configured: true };
      return withOperator(options, env, connecting, (client, connected, { signal }) =>
        start({ client, worksHere: connected.where === 'here', signal, name, options }),
      );
    });
}

interface Approving {
  readonly client: OperatorClient;
  readonly signal: AbortSignal;
  readonly name: string;
  readonly options: ApproveOptions;
}

/** Approves the run that it has shown: a plan that is made meanwhile is refused. */
async function approve({ client, signal, name, options }: Approving): Promise<number> {
  const run = name.includes('/') ? name : await newestPlan(client, name);
  const { plan } = await client.call('GET /campaigns/{campaign}/plan', { campaign: run });
  if (plan === null) throw new CliError(EXIT.error, `${run} has no plan yet; wait until it is planned`);
  for (const line of describeCampaignPlan(inZone(options, plan))) say(line);
  const { campaign, plannedBy, eligible } = plan;
  const { refusal, ...others } = await client.call('GET /campaigns/{campaign}/approval', { campaign: run });
  if (refusal !== null) {
    const { code, reason } = refusal;
    const kind = code === 'ROLE_REQUIRED' || code === 'IDENTITY_UNPROVEN' ? 'forbidden' : 'conflict';
    throw new OperatorError(kind, `${reason}; ${describeApprovers(others)}`, { code });
  }
  await confirm({
    what: [
      `you approve ${run} of "${campaign}", planned by ${plannedBy}, for ${formatMany(eligible, 'member')}`,
    ],
    yes: options.yes,
    signal,
  });
  const { reason } = options;
  const { approvedBy } = await client.call('POST /campaigns/{campaign}/approve', { campaign, run, reason });
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ run, approvedBy })}\n`
      : `${run} is approved by ${approvedBy}; \`sluice campaign start ${campaign}\` starts it\n`,
  );
  return EXIT.ok;
}

/** @throws OperatorError for an unknown campaign, or one without a plan; CliError while it is being planned */
async function newestPlan(client: OperatorClient, campaign: string): Promise<string> {
  const { state, run } = await client.call('GET /campaigns/{campaign}/planning', { campaign });
  if (state === 'planned' && run !== null) return run;
  throw new CliError(
    EXIT.error,
    `no plan of "${campaign}" waits for approval; \`sluice campaign plan ${campaign}\` ${state === 'planning' ? 'shows how far the planning is' : 'makes one'}`,
  );
}

interface Starting {
  readonly client: OperatorClient;
  /** The workers are in this process. */
  readonly worksHere: boolean;
  readonly signal: AbortSignal;
  readonly name: string;
  readonly options: StartOptions;
}

async function start({ client, worksHere, signal, name, options }: Starting): Promise<number> {
  const target = campaignOrRun(name, options.run);
  const found = await findPlan(client, target);
  if (found !== null) {
    for (const line of describeCampaignPlan(inZone(options, found))) say(line);
    if (found.problems.length > 0) throw hasProblems(found);
    const what = [
      `${found.run} of "${found.campaign}" will start, for ${formatMany(found.eligible, 'member')}`,
    ];
    await confirm({ what, yes: options.yes, signal });
  }
  const { reason } = options;
  const { run, campaign, joined } = await client.call('POST /campaigns/{campaign}/start', {
    campaign: target,
    reason,
  });
  say(`${run} ${joined ? 'is under way' : 'has started'}`);
  if (!options.watch) {
    if (worksHere) say('the run stops with this command; `sluice dev` or `sluice worker` continues it');
    const plan = found ?? (await client.call('GET /campaigns/{campaign}/plan', { campaign: run })).plan;
    process.stdout.write(options.json ? `${JSON.stringify({ run, joined, plan })}\n` : `${run}\n`);
    return EXIT.ok;
  }
  const progress = createProgress(process.stderr, { label: `campaign ${campaign}`, unit: 'member' });
  const attended = isAttended(options.json);
  if (!(await followCampaign({ client, campaign, run, progress, signal, attended }))) {
    say(`stopped watching; \`sluice campaign start ${campaign} --watch\` watches it again`);
    return EXIT.ok;
  }
  const report = await client.call('GET /campaigns/{campaign}/report', { campaign: run });
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${describeEnd(report)}\n`);
  return exitCodeOf(report);
}

/** The plan that a start would begin; null when a run is active, or there is none. */
async function findPlan(client: OperatorClient, target: string): Promise<CampaignPlan | null> {
  const isRun = target.includes('/');
  if (!isRun) {
    const { runs } = await client.call('GET /campaign-runs', { campaign: target, limit: 1 });
    if (runs[0]?.state !== 'planned') return null;
    return (await client.call('GET /campaigns/{campaign}/plan', { campaign: runs[0].run })).plan;
  }
  const { state } = await client.call('GET /campaigns/{campaign}/report', { campaign: target });
  if (state !== 'planned') return null;
  return (await client.call('GET /campaigns/{campaign}/plan', { campaign: target })).plan;
}

/** The problems are printed above it. */
function hasProblems({ campaign, problems }: CampaignPlan): CliError {
  const what = problems.length === 1 ? 'this problem' : `these ${problems.length} problems`;
  const way = `correct them, and plan it again with \`sluice campaign plan ${campaign}\``;
  return new CliError(EXIT.error, `a plan with ${what} can't be started: ${way}`);
}

/** The result of a run in one line. */
export function describeEnd({ run, state, total }: CampaignReport): string {
  const sums = [
    `${n(total.triggered)} triggered`,
    `${n(sum(total.skipped))} skipped`,
    `${n(sum(total.failed))} failed`,
    `${n(total.unknown)} unknown`,
    ...(total.cancelled === 0 ? [] : [`${n(total.cancelled)} cancelled`]),
  ];
  return `${run} is ${state}: of ${n(total.eligible)} members ${sums.join(', ')}`;
}

/** Exit code of a run that has ended. */
export function exitCodeOf({ total, state }: Pick<CampaignReport, 'total' | 'state'>): number {
  if (total.unknown > 0) return EXIT.unknownOutcomes;
  if (sum(total.failed) > 0) return EXIT.failedRecords;
  return state === 'finished' ? EXIT.ok : EXIT.error;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
