// `sluice sync plan`: what the next run would do, and what it would cost. It writes nothing and makes no call.
import type { Command } from 'commander';
import { integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { formatMany, formatTime } from '../../../cli/lib/terminal/format.ts';
import { createProgress, formatDuration, formatCount as n } from '../../../cli/lib/terminal/progress.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Output } from '../../../operator/contract/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Lines } from '../contract/lines.ts';
import type { PlanReport, PlanSample } from '../contract/plan.ts';
import type { DryRun } from '../contract/plans.ts';
import { describeTags } from './describe-plan-tags.ts';
import { describeTotals, placeOf } from './describe-problems.ts';
import { openPlanOutput } from './plan-output.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly samples: number;
  readonly csv?: string;
  readonly unmasked: boolean;
}

export function registerSyncPlan(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('plan').argument('<name>', 'name of the sync'))
    .description(
      'dry run: show what the next run would create, update and move, tags that the account lacks, its calls and its duration; makes no call',
    )
    .option('--json', 'print the plan as JSON, with every problem of a row', false)
    .option('--csv <file>', 'write every problem of a row as CSV to this file, or to stdout with -')
    .option('--samples <n>', 'number of people to show per kind of change', integer({ min: 0, max: 1000 }), 3)
    .option('--unmasked', 'show phone numbers, names, e-mail addresses and documents unmasked', false)
    .action(async (name: string, options: Options) => {
      if (options.json && options.csv === '-')
        throw new CliError(EXIT.usage, '--json and --csv - both write to stdout; give --csv a file');
      const connecting = { command: `sluice sync plan ${name}`, mayBeEmpty: true, configured: true };
      await withOperator(options, env, connecting, (client, _, shutdown) =>
        printPlan(client, name, options, shutdown),
      );
    });
}

type Page = Output<'GET /plans/{plan}/problems'>;

/** Problems of one request. */
const PAGE_PROBLEMS = 1000;
/** Milliseconds between two looks at the progress; the end is answered at once. */
const CHECK_MS = 500;

async function printPlan(
  client: OperatorClient,
  name: string,
  { json, csv, samples, unmasked }: Options,
  shutdown: Shutdown,
): Promise<number> {
  const { signal } = shutdown;
  const listed = json || csv !== undefined;
  const { plan: id } = await client.call('POST /syncs/{sync}/plans', {
    sync: name,
    samples,
    problems: listed,
  });
  // A signal ends the dry run, wherever it works.
  shutdown.add('dry run', async () => {
    await client.call('POST /plans/{plan}/cancel', { plan: id }).catch(() => undefined);
  });
  if (unmasked) say('personal data is shown in clear (--unmasked)');
  const { report: plan, lines } = await reportOf(client, name, id, { unmasked, signal });
  const output = openPlanOutput(csv === undefined ? { json, signal } : { json, csv, signal });
  await output.plan(plan);
  let after: string | null | undefined = listed ? undefined : null;
  while (after !== null) {
    const input = { plan: id, limit: PAGE_PROBLEMS, after, unmask: unmasked };
    const page: Page = await client.call('GET /plans/{plan}/problems', input, { signal });
    const wanted = page.problems.length > 0 && (await output.problems(page.problems));
    after = wanted ? page.next : null;
  }
  await output.end();
  if (csv === '-') for (const line of describePlan(plan, lines)) say(line);
  else if (!json) process.stdout.write(`${describePlan(plan, lines).join('\n')}\n`);
  const found = plan.totals.reduce((sum, { rows }) => sum + rows, 0);
  if (found > 0 && !listed)
    say(`found ${formatMany(found, 'problem')} in rows; --csv FILE or --json lists all`);
  const cut = plan.warnings.some(({ code }) => code === 'NOT_READ');
  return (plan.read > 0 && plan.rejected === plan.read) || cut ? EXIT.failedRecords : EXIT.ok;
}

/** Shows the progress until the dry run has ended. */
async function reportOf(
  client: OperatorClient,
  name: string,
  plan: string,
  { unmasked, signal }: { unmasked: boolean; signal: AbortSignal },
): Promise<{ readonly report: PlanReport; readonly lines: Lines }> {
  const progress = createProgress(process.stderr, { label: `plan ${name}`, unit: 'row' });
  try {
    for (;;) {
      const now: DryRun = await client.call('GET /plans/{plan}', { plan, waitMs: CHECK_MS }, { signal });
      const { read, share, report, lines } = now;
      progress.update({ done: read, total: share === null || share === 0 ? null : Math.round(read / share) });
      if (now.state === 'running') continue;
      if (now.error !== null) throw new OperatorError(now.error.kind, now.error.message, now.error);
      if (report === null) throw new CliError(EXIT.conflict, `the dry run of "${name}" was cancelled`);
      if (!unmasked) return { report, lines };
      const shown = await client.call('GET /plans/{plan}', { plan, unmask: true }, { signal });
      return { report: shown.report ?? report, lines };
    }
  } finally {
    progress.finish();
  }
}

/** A plan as people read it; expects samples masked. */
function describePlan(plan: PlanReport, lines: Lines): string[] {
  const { calls, pace, fields } = plan;
  const range = (min: number, max: number) => (min === max ? n(min) : `${n(min)} to ${n(max)}`);
  const time = (seconds: number) => formatDuration(seconds * 1000);
  const took =
    pace.minSeconds === pace.maxSeconds
      ? time(pace.minSeconds)
      : `${time(pace.minSeconds)} to ${time(pace.maxSeconds)}`;
  const [earliest, latest] = [plan.done.earliest, plan.done.latest].map((at) => formatTime(at));
  const when = earliest === latest ? `at ${earliest}` : `between ${earliest} and ${latest}`;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort((a, b) => b[1] - a[1])
      .map(([field, count]) => `${field} ${n(count)}`)
      .join(', ');
  return [
    `plan of "${plan.sync}" into the account "${plan.account}": nothing was written, no call was made`,
    `  ${formatMany(plan.read, 'row')} read: ${n(plan.create)} to create, ${n(plan.update)} to update, ${n(plan.move)} to move, ${n(plan.unchanged)} unchanged, ${n(plan.merged)} merged, ${n(plan.rejected)} rejected`,
    ...(plan.carried === 0
      ? []
      : [`  ${n(plan.carried)} of them ${plan.carried === 1 ? 'was' : 'were'} left undone by the last run`]),
    ...(plan.vanished === 0
      ? []
      : [
          `  ${formatMany(plan.vanished, 'person has', 'people have')} left the source and would be acted on`,
        ]),
    ...(plan.create === 0
      ? []
      : [
          '  to create: people who are not in the ledger; those who are already on the service would be updated',
        ]),
    ...(Object.keys(fields.update).length === 0 ? [] : [`  changed: ${listed(fields.update)}`]),
    ...(Object.keys(fields.create).length === 0 ? [] : [`  for new people: ${listed(fields.create)}`]),
    ...describeTags(plan.tags, plan.account, lines),
    `  ${range(calls.min, calls.max)} ${calls.min === 1 && calls.max === 1 ? 'call' : 'calls'}; at ${n(Math.round(pace.callsPerMinute))} a minute ${took}, if nothing else spends them: begun now, done ${when}`,
    ...calls.steps.map(({ what, min, max, why }) => `    ${range(min, max)} × ${what}: ${why}`),
    ...(calls.min === calls.max
      ? []
      : [
          `    the range is what only the service knows: who is there already, and with which values; ${formatMany(calls.ifNew, 'call')} if nobody to create is there`,
        ]),
    ...plan.samples.flatMap(describeSample),
    ...describeTotals(plan.totals, lines),
    ...plan.problems.map(
      ({ row, where, column, reason }) => `  row ${n(row)} rejected: ${placeOf(where, column)}: ${reason}`,
    ),
    ...plan.warnings.map(({ step, code, reason }) => `  warning: ${step}: ${reason} [${code}]`),
  ];
}

function describeSample({ row, key, action, changes }: PlanSample): string[] {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return [
    `  ${row === 0 ? 'left the source' : `row ${n(row)}`}, ${key}: ${action}`,
    ...changes.map(({ field, was, now }) => {
      const before = was === null ? '' : field === 'stage' ? `${was} → ` : `(hash ${was.slice(0, 10)}) → `;
      return `    ${field}: ${before}${now === null ? 'emptied' : text(now)}`;
    }),
  ];
}
