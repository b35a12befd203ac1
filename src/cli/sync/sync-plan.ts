// `sluice sync plan`: what the next run would do, and what it would cost. It writes nothing and makes no call.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Command } from 'commander';
import type { PlanProgress } from '../../../activities/sync/plan/plan-run.ts';
import type { PlanChange, PlanReport, PlanSample } from '../../contracts/wire/plan.ts';
import { dropTemporaryFiles } from '../../ledger/embedded/cluster.ts';
import { maskRecord } from '../../observability/masking.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { integer } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany, formatTime } from '../lib/format.ts';
import { lockLedgerToRead } from '../lib/ledger-alone.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { createProgress, formatDuration, formatCount as n } from '../lib/progress.ts';
import { openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { describeTotals, placeOf } from './describe-problems.ts';
import { type PlanInput, type PlanReader, planHere } from './plan-here.ts';
import { openPlanOutput } from './plan-output.ts';
import type { PlanAnswer } from './plan-thread.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly samples: number;
  readonly csv?: string;
  readonly unmasked: boolean;
}

export function registerSyncPlan(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('plan').argument('<name>', 'name of the sync'))
    .description(
      'dry run: show what the next run would create, update and move, its calls and its duration; makes no call',
    )
    .option('--json', 'print the plan as JSON, with every problem of a row', false)
    .option('--csv <file>', 'write every problem of a row as CSV to this file, or to stdout with -')
    .option('--samples <n>', 'number of people to show per kind of change', integer({ min: 0, max: 1000 }), 3)
    .option('--unmasked', 'show phone numbers, names, e-mail addresses and documents unmasked', false)
    .action(async (name: string, options: Options) => {
      const { json, csv, unmasked } = options;
      if (json && csv === '-')
        throw new CliError(EXIT.usage, '--json and --csv - both write to stdout; give --csv a file');
      process.exitCode = await runCommand(
        async (shutdown) => {
          const config = await openConfig(options.config, env);
          const spec = config.spec(name);
          const stateDir = await lockLedgerToRead('sluice sync plan', options.state, env, shutdown);
          const progress = createProgress(process.stderr, { label: `plan ${name}`, unit: 'row' });
          const account = config.config.accounts[spec.account];
          const input: PlanInput = {
            spec,
            baseDir: config.dir,
            stateDir,
            env: { ...env },
            samples: options.samples,
            callsPerMinute: (account?.callsPerMinute ?? 0) * new Set(account?.tokens).size,
            listed: json || csv !== undefined,
          };
          const shown = (plan: PlanReport) =>
            unmasked ? plan : { ...plan, samples: plan.samples.map(masked) };
          const { signal } = shutdown;
          const output = openPlanOutput({
            json,
            unmasked,
            signal,
            shown,
            ...(csv === undefined ? {} : { csv }),
          });
          if (unmasked) say('personal data is shown in clear (--unmasked)');
          const onProgress: OnProgress = ({ read, share }) => {
            const total = share === null || share === 0 ? null : Math.round(read / share);
            progress.update({ done: read, total });
          };
          const plan = await planBeside(input, shutdown, onProgress, output).finally(() => progress.finish());
          await output.end();
          if (csv === '-') for (const line of describePlan(shown(plan))) say(line);
          else if (!json) process.stdout.write(`${describePlan(shown(plan)).join('\n')}\n`);
          const found = plan.totals.reduce((sum, { rows }) => sum + rows, 0);
          if (found > 0 && !input.listed)
            say(`found ${formatMany(found, 'problem')} in rows; --csv FILE or --json lists all`);
          const cut = plan.warnings.some(({ code }) => code === 'NOT_READ');
          return (plan.read > 0 && plan.rejected === plan.read) || cut ? EXIT.failedRecords : EXIT.ok;
        },
        { graceMs: GRACE_MS },
      );
    });
}

/** Ending a thread and freeing a lock take milliseconds. */
const GRACE_MS = 1000;

type OnProgress = (progress: Pick<PlanProgress, 'read' | 'share'>) => void;

/** Plans in a thread of its own, which a signal ends at once. */
async function planBeside(
  input: PlanInput,
  shutdown: Shutdown,
  onProgress: OnProgress,
  reader: PlanReader,
): Promise<PlanReport> {
  // Compiled code only: Node 20 runs no TypeScript in a thread.
  if (!import.meta.url.endsWith('.js')) return await planHere(input, onProgress, reader);
  const thread = new Worker(new URL('./plan-thread.js', import.meta.url), {
    workerData: input,
    // Measured with 300,000 new rows: 620 MB at a first start, 720 where V8 lets garbage grow.
    // Measured: 2,000,000 new rows take 641 MB in all, 651 MB with 384 here.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
    // What this process was started with, as --input-type, need not suit a file.
    execArgv: [],
  });
  // After the thread has ended, or has had its time: on a busy machine a thread may need seconds to end.
  if (!input.env.DATABASE_URL)
    shutdown.add('temporary tables', () => dropTemporaryFiles(join(input.stateDir, 'ledger')));
  shutdown.add('plan', async () => {
    await thread.terminate();
  });
  return await new Promise((done, failed) => {
    let plan: PlanReport | null = null;
    const take = async (answer: PlanAnswer) => {
      if (answer.kind === 'progress') onProgress(answer);
      else if (answer.kind === 'plan') {
        plan = answer.plan;
        await reader.plan(plan);
      } else if (answer.kind === 'problems') {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        thread.postMessage(await reader.problems(answer.problems));
      } else if (answer.kind === 'error') failed(new CliError(answer.exitCode, answer.message));
      else if (plan !== null) done(plan);
    };
    // One after the other: what is written keeps the order in which it came.
    let taken = Promise.resolve();
    thread.on('message', (answer: PlanAnswer) => {
      taken = taken.then(() => take(answer)).catch(failed);
    });
    thread.on('error', failed);
    thread.on('exit', (code) => {
      // What the thread said last may still be on its way into a file.
      void taken.then(() => failed(new Error(`the thread that plans ended with code ${code}`)));
    });
  });
}

function masked(sample: PlanSample): PlanSample {
  const { key } = maskRecord({ key: sample.key }) as { key: string };
  return { ...sample, key, changes: sample.changes.map(maskedChange) };
}

const CONTACT = new Set(['name', 'email', 'document', 'disableBot']);

function maskedChange({ field, was, now }: PlanChange): PlanChange {
  const mask = (part: object, place: string) => (maskRecord(part) as Record<string, unknown>)[place];
  if (CONTACT.has(field)) {
    const contact = mask({ contact: { [field]: now } }, 'contact') as Record<string, unknown>;
    return { field, was, now: contact[field] };
  }
  if (field === 'stage') return { field, was, now };
  return { field, was, now: mask({ [field]: now }, field) };
}

/** A plan as people read it; expects samples masked. */
function describePlan(plan: PlanReport): string[] {
  const { calls, pace, fields } = plan;
  const range = (min: number, max: number) => (min === max ? n(min) : `${n(min)} to ${n(max)}`);
  const time = (seconds: number) => formatDuration(seconds * 1000);
  const took =
    pace.minSeconds === pace.maxSeconds
      ? time(pace.minSeconds)
      : `${time(pace.minSeconds)} to ${time(pace.maxSeconds)}`;
  const [earliest, latest] = [plan.done.earliest, plan.done.latest].map((at) => formatTime(new Date(at)));
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
    `  ${range(calls.min, calls.max)} ${calls.min === 1 && calls.max === 1 ? 'call' : 'calls'}; at ${n(Math.round(pace.callsPerMinute))} a minute ${took}, if nothing else spends them: begun now, done ${when}`,
    ...calls.steps.map(({ what, min, max, why }) => `    ${range(min, max)} × ${what}: ${why}`),
    ...(calls.min === calls.max
      ? []
      : [
          `    the range is what only the service knows: who is there already, and with which values; ${formatMany(calls.ifNew, 'call')} if nobody to create is there`,
        ]),
    ...plan.samples.flatMap(describeSample),
    ...describeTotals(plan.totals),
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
