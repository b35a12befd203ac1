// `sluice campaign plan`: the audience of a campaign, its variables, its cost and its end time.
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { LoadedConfig } from '../../config/load.ts';
import type { CampaignPlan } from '../../contracts/wire/campaign.ts';
import { integer } from '../lib/arguments.ts';
import { EXIT } from '../lib/exit.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { createProgress } from '../lib/progress.ts';
import {
  connectClient,
  openConfig,
  openOrJoin,
  type SessionOptions,
  withSessionOptions,
} from '../lib/session.ts';
import { warnWithoutWorker } from '../lib/workers.ts';
import { runsOf, sameConfig } from './campaign-find.ts';
import { describeSample, sampleOf } from './campaign-sample.ts';
import { describeCampaignPlan } from './describe-plan.ts';
import { planCampaign } from './run-campaign.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly sample: number;
}

export function registerCampaignPlan(campaign: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(campaign.command('plan').argument('<name>', 'name of the campaign'))
    .description(
      'read and freeze the audience, and show exclusions, calls, waves and end time; sends nothing',
    )
    .option('--json', 'print the plan as JSON', false)
    .option(
      '--sample <n>',
      'number of members to show with their variables (personal data)',
      integer({ min: 0, max: 100 }),
      3,
    )
    .action(async (name: string, options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        // A mistyped name fails before anything starts.
        const config = await openConfig(options.config, env);
        const { account } = config.campaign(name);
        const stack = await openOrJoin(`sluice campaign plan ${name}`, options, env, shutdown);
        const client = stack?.client ?? (await connectClient(options.state, env, shutdown));
        if (stack === null) await warnWithoutWorker(client);
        const progress = createProgress(process.stderr, { label: `plan ${name}`, unit: 'row' });
        const watching = { client, progress, signal: shutdown.signal };
        const planned = planCampaign(watching, { account, campaign: name, by: operatorName() });
        const plan = await (stack === null ? planned : Promise.race([planned, stack.failed]));
        if (plan === null) {
          say(`stopped watching; \`sluice campaign plan ${name}\` joins the planning`);
          return EXIT.ok;
        }
        const { run, eligible } = plan;
        await plannedAsConfigured(client, config, plan);
        const wanted = Math.min(options.sample, eligible);
        const sample = wanted === 0 ? [] : await sampleOf({ stack, options, env, shutdown }, run, wanted);
        if (options.json) process.stdout.write(`${JSON.stringify({ ...plan, sample })}\n`);
        else {
          const lines = [...describeCampaignPlan(plan), ...describeSample(sample), ...describeNext(plan)];
          process.stdout.write(`${lines.join('\n')}\n`);
        }
        return plan.problems.length === 0 ? EXIT.ok : EXIT.error;
      });
    });
}

/** @throws CliError (conflict) when the plan was made with another configuration than this command's */
async function plannedAsConfigured(client: Client, config: LoadedConfig, plan: CampaignPlan): Promise<void> {
  const runs = await runsOf(client, plan, 1);
  for (const report of runs) if (report.run === plan.run) sameConfig(config, report);
}

/** The next step of the operator. */
export function describeNext({ campaign, plannedBy, problems, approval }: CampaignPlan): string[] {
  if (problems.length > 0)
    return [`it can't be started as it is: correct the problems above, and plan it again`];
  const start = `\`sluice campaign start ${campaign}\``;
  if (approval === 'none') return [`${start} starts it`];
  return [
    `somebody else than ${plannedBy} approves it with \`sluice campaign approve ${campaign}\`; then ${start}`,
  ];
}
