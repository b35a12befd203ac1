// `sluice campaign approve` and `sluice campaign start`: approves and starts a plan.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type {
  campaignOperatorCommand,
  campaignRunPlan,
  campaignRunReport,
} from '../../../workflows/campaign-queries.ts';
import type { CampaignPlan } from '../../contracts/wire/campaign.ts';
import type { CampaignReport } from '../../contracts/wire/campaign-report.ts';
import { confirm, withYes } from '../lib/confirm.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany } from '../lib/format.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { ANSWER_MS, queryOperator } from '../lib/operator-query.ts';
import { createProgress, formatCount as n } from '../lib/progress.ts';
import {
  connectClient,
  openConfig,
  openOrJoin,
  type SessionOptions,
  withSessionOptions,
} from '../lib/session.ts';
import { isAttended } from '../lib/terminal.ts';
import { type CampaignTarget, resolveCampaign, runsOf, sameConfig } from './campaign-find.ts';
import { campaignRefusal } from './campaign-refused.ts';
import { noSuchRun } from './campaign-target.ts';
import { describeCampaignPlan } from './describe-plan.ts';
import { followCampaign, startCampaign } from './run-campaign.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly reason: string;
}

interface StartOptions extends Options {
  readonly run?: string;
  readonly watch: boolean;
  readonly yes: boolean;
}

/** Number of runs to search. */
const RUNS = 20;

export function registerCampaignStart(campaign: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(campaign.command('approve').argument('<name>', 'name of the campaign'))
    .description(
      'approve the newest plan of a campaign, or the plan of a run; another person than its author must do it',
    )
    .option('--reason <text>', 'reason, recorded with the run', '')
    .option('--json', 'print the result as JSON', false)
    .action(async (name: string, options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const config = await openConfig(options.config, env);
        const target = resolveCampaign(config, name);
        const client = await connectClient(options.state, env, shutdown);
        const found = await runToApprove(client, target);
        if (found.state === 'planned') sameConfig(config, found);
        const { run } = found;
        const operatorCommand = { action: 'approve', by: operatorName(), reason: options.reason } as const;
        await queryOperator<typeof campaignOperatorCommand>(client, 'campaign', 'campaignOperatorCommand', [
          {
            account: target.account,
            campaign: target.campaign,
            run,
            command: operatorCommand,
            id: randomUUID(),
          },
        ]).catch(refused);
        const result = { run, approvedBy: operatorCommand.by };
        if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
        else
          process.stdout.write(
            `${run} is approved by ${operatorCommand.by}; \`sluice campaign start ${target.campaign}\` starts it\n`,
          );
        return EXIT.ok;
      });
    });

  withYes(withSessionOptions(campaign.command('start').argument('<name>', 'name of the campaign')))
    .description('start the newest plan of a campaign; joins the run if it is active')
    .option('--run <run>', 'start the plan of this run (default: the newest plan)')
    .option('--reason <text>', 'reason, recorded with the run', '')
    .option('--watch', 'show the progress until the run ends', false)
    .option('--json', 'print the started run as JSON; with --watch, the result', false)
    .action(async (name: string, options: StartOptions) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const config = await openConfig(options.config, env);
        const { timeZone } = config.campaign(name);
        const target = resolveCampaign(config, options.run ?? name);
        if (target.campaign !== name)
          throw new CliError(EXIT.usage, `--run ${options.run} is not a run of "${name}"`);
        const { account } = target;
        const stack = await openOrJoin(`sluice campaign start ${name}`, options, env, shutdown);
        const client = stack?.client ?? (await connectClient(options.state, env, shutdown));
        const unlessStackFails = <T>(work: Promise<T>) =>
          stack === null ? work : Promise.race([work, stack.failed]);

        const found = await unlessStackFails(runToStart(client, target));
        const { run } = found;
        const joins = found.state === 'running';
        const plan = await queryOperator<typeof campaignRunPlan>(client, 'campaign', 'campaignRunPlan', [
          { run },
        ]).catch(refused);
        if (plan !== null && !joins) {
          for (const line of describeCampaignPlan(plan)) say(line);
          if (plan.problems.length > 0) throw hasProblems(plan);
        }
        if (found.state === 'planned') sameConfig(config, found);
        const { signal } = shutdown;
        // To join a run changes nothing.
        if (!joins)
          await confirm({
            what: [`${run} of "${name}" will start, for ${formatMany(found.total.eligible, 'member')}`],
            yes: options.yes,
            signal,
          });
        const input = { account, campaign: name, run, by: operatorName(), reason: options.reason };
        const { handle } = await unlessStackFails(startCampaign({ client, signal }, input, ANSWER_MS));
        say(`${run} ${joins ? 'is under way' : 'has started'}`);
        if (!options.watch) {
          if (stack !== null)
            say('the run stops with this command; `sluice dev` or `sluice worker` continues it');
          if (options.json) process.stdout.write(`${JSON.stringify({ run, joined: joins, plan })}\n`);
          else process.stdout.write(`${run}\n`);
          return EXIT.ok;
        }
        const progress = createProgress(process.stderr, { label: `campaign ${name}`, unit: 'member' });
        const result = await unlessStackFails(
          followCampaign({ client, progress, signal }, handle, {
            campaign: name,
            timeZone,
            attended: isAttended(options.json),
          }),
        );
        if (result === null) {
          say(`stopped watching; \`sluice campaign start ${name} --watch\` watches it again`);
          return EXIT.ok;
        }
        const report = await queryOperator<typeof campaignRunReport>(
          client,
          'campaign',
          'campaignRunReport',
          [{ run }],
        ).catch(refused);
        if (report === null) throw new CliError(EXIT.notFound, `the ledger no longer has the run ${run}`);
        process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : `${describeEnd(report)}\n`);
        return exitCodeOf(report);
      });
    });
}

function refused(error: unknown): never {
  throw campaignRefusal(error);
}

async function runNamed(client: Client, run: string): Promise<CampaignReport> {
  const report = await queryOperator<typeof campaignRunReport>(client, 'campaign', 'campaignRunReport', [
    { run },
  ]).catch(refused);
  if (report !== null) return report;
  throw noSuchRun({ run });
}

/** The named run, or the newest plan. @throws CliError (not found) when there is none */
async function runToApprove(client: Client, target: CampaignTarget): Promise<CampaignReport> {
  if (target.run !== null) return await runNamed(client, target.run);
  const runs = await runsOf(client, target, RUNS);
  const planned = runs.find(({ state }) => state === 'planned');
  if (planned !== undefined) return planned;
  throw noPlan(target, runs[0]);
}

/** The named run, or the active one, or the newest plan. */
async function runToStart(client: Client, target: CampaignTarget): Promise<CampaignReport> {
  if (target.run !== null) return await runNamed(client, target.run);
  const runs = await runsOf(client, target, RUNS);
  const open = runs.find(({ state }) => state === 'running' || state === 'planned');
  if (open !== undefined) return open;
  throw noPlan(target, runs[0]);
}

/** The problems are printed above it. */
function hasProblems({ campaign, problems }: CampaignPlan): CliError {
  const what = problems.length === 1 ? 'this problem' : `these ${problems.length} problems`;
  const way = `correct them, and plan it again with \`sluice campaign plan ${campaign}\``;
  return new CliError(EXIT.error, `a plan with ${what} can't be started: ${way}`);
}

function noPlan({ campaign }: CampaignTarget, newest: CampaignReport | undefined): CliError {
  const last = newest === undefined ? '' : `; its newest run, ${newest.run}, is ${newest.state}`;
  const way = `make one with \`sluice campaign plan ${campaign}\``;
  return new CliError(EXIT.notFound, `no plan of "${campaign}" waits for its start${last}; ${way}`);
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
