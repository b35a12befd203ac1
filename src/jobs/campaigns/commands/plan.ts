// `sluice campaign plan`: the audience of a campaign, its variables, its cost and its end time.
import type { Command } from 'commander';
import { integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { pause } from '../../../cli/lib/connect/follow.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { createProgress, type Progress } from '../../../cli/lib/terminal/progress.ts';
import { inZone } from '../../../cli/lib/zone.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { CampaignPlan } from '../contract/plan.ts';
import { approverOf, describeCampaignPlan, describeSample } from './describe-plan.ts';

const CHECK_MS = 300;
/** A worker takes a plan within this time, in milliseconds; after it, the command says that none has. */
const QUIET_MS = 5000;

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
    .action((name: string, options: Options) => {
      const command = `sluice campaign plan ${name}`;
      return withOperator(
        options,
        env,
        { command, creates: true, configured: true },
        async (client, _connected, { signal }) => {
          await client.call('POST /campaigns/{campaign}/plan', { campaign: name });
          const progress = createProgress(process.stderr, { label: `plan ${name}`, unit: 'row' });
          const run = await followPlanning(client, { name, progress, signal });
          if (run === null) {
            say(`stopped watching; \`${command}\` joins the planning`);
            return EXIT.ok;
          }
          const { plan } = await client.call('GET /campaigns/{campaign}/plan', { campaign: run });
          if (plan === null) throw new CliError(EXIT.error, `the run ${run} has no plan; see its audit`);
          const wanted = Math.min(options.sample, plan.eligible);
          const { members: sample } =
            wanted === 0
              ? { members: [] }
              : await client.call('POST /campaigns/{campaign}/sample', {
                  campaign: run,
                  limit: wanted,
                  unmask: true,
                });
          if (options.json) process.stdout.write(`${JSON.stringify({ ...plan, sample })}\n`);
          else {
            const lines = [
              ...describeCampaignPlan(inZone(options, plan)),
              ...describeSample(sample),
              ...describeNext(plan),
            ];
            process.stdout.write(`${lines.join('\n')}\n`);
          }
          return plan.problems.length === 0 ? EXIT.ok : EXIT.error;
        },
      );
    });
}

interface Planning {
  readonly name: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Shows the planning until it ends.
 * @returns the planned run; null when `signal` stopped the watching
 * @throws OperatorError when the campaign can't be planned
 */
async function followPlanning(
  client: OperatorClient,
  { name, progress, signal }: Planning,
): Promise<string | null> {
  const startedMs = performance.now();
  let trouble: string | null = null;
  let isQuiet = true;
  try {
    while (!signal.aborted) {
      const now = await client.call('GET /campaigns/{campaign}/planning', { campaign: name }, { signal });
      if (now.state === 'planned') {
        progress.update({ done: now.found, total: now.found, note: 'done' });
        return now.run;
      }
      if (now.state === 'lost')
        throw new CliError(
          EXIT.unavailable,
          `nobody makes the plan ${now.run}: its workflow is gone; plan again with \`sluice campaign plan ${name}\``,
        );
      const part = now.parts > 1 && now.part < now.parts ? ` (part ${now.part + 1} of ${now.parts})` : '';
      const note = now.phase === 'reading' ? `reading the audience${part}` : now.phase;
      progress.update({ done: now.found, total: null, note });
      if (now.trouble !== null && now.trouble !== trouble) progress.line(now.trouble);
      trouble = now.trouble;
      if (isQuiet && now.phase === 'opening' && performance.now() - startedMs > QUIET_MS) {
        isQuiet = false;
        progress.line('no worker has taken the plan yet: it waits until one is started (`sluice worker`)');
      }
      await pause(CHECK_MS, signal);
    }
    return null;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    progress.finish();
  }
}

/** The next step of the operator. */
export function describeNext({ campaign, plannedBy, problems, approval }: CampaignPlan): string[] {
  if (problems.length > 0)
    return [`it can't be started as it is: correct the problems above, and plan it again`];
  const start = `\`sluice campaign start ${campaign}\``;
  if (approval === 'none') return [`${start} starts it`];
  return [`${approverOf(plannedBy)} approves it with \`sluice campaign approve ${campaign}\`; then ${start}`];
}
