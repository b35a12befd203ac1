// `sluice sync plan`: what the next run would do, and what it would cost. Writes nothing and calls nobody.
import type { Command } from 'commander';
import type { PlanChange, PlanReport, PlanSample } from '../contracts/plan.ts';
import { maskRecord } from '../observability/masking.ts';
import { integer } from './arguments.ts';
import { EXIT } from './exit.ts';
import { formatTime } from './format.ts';
import { openLedgerAlone } from './ledger-alone.ts';
import { runCommand, say } from './lifetime.ts';
import { createProgress, formatDuration, formatCount as n } from './progress.ts';
import { openConfig, type SessionOptions, withSessionOptions } from './session.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly samples: number;
}

export function registerSyncPlan(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('plan <name>'))
    .description(
      'what the next run would create, update and move, the calls that takes and how long; nothing is written, no call is made',
    )
    .option('--json', 'print the plan as JSON on stdout', false)
    .option('--samples <n>', 'people shown of each kind, masked', integer({ min: 0, max: 1000 }), 3)
    .action(async (name: string, options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        // A plan works as the worker does, with all that a worker loads; the other commands do without it.
        const { dryRun } = await import('../../activities/plan-dry.ts');
        const { createDeps } = await import('../../workers/compose.ts');
        const config = await openConfig(options.config, env);
        const spec = config.spec(name);
        const db = await openLedgerAlone('sluice sync plan', options.state, env, shutdown);
        const log = {
          info() {},
          warn: (_: object, text: string) => say(text),
          error: (_: object, text: string) => say(text),
        };
        const { deps, close } = await createDeps({ config, db, log });
        shutdown.add('API clients', close);
        const progress = createProgress(process.stderr, { label: `plan ${name}`, unit: 'row' });
        const plan = await dryRun(db, {
          spec,
          makers: deps,
          baseDir: deps.baseDir,
          samples: options.samples,
          signal: shutdown.signal,
          callsPerMinute: await deps.budget.pace(deps.account(spec.account).tokens.map(({ key }) => key)),
          onProgress: ({ read, share }) => {
            const total = share === null || share === 0 ? null : Math.round(read / share);
            progress.update({ done: read, total });
          },
        }).finally(() => progress.finish());
        const shown: PlanReport = { ...plan, samples: plan.samples.map(masked) };
        process.stdout.write(
          options.json ? `${JSON.stringify(shown)}\n` : `${describePlan(shown).join('\n')}\n`,
        );
        return plan.read > 0 && plan.rejected === plan.read ? EXIT.failedRecords : EXIT.ok;
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
export function describePlan(plan: PlanReport): string[] {
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
    `  ${n(plan.read)} rows read: ${n(plan.create)} to create, ${n(plan.update)} to update, ${n(plan.move)} to move, ${n(plan.unchanged)} unchanged, ${n(plan.rejected)} rejected`,
    ...(plan.carried === 0 ? [] : [`  ${n(plan.carried)} of them were left undone by the last run`]),
    ...(plan.vanished === 0
      ? []
      : [`  ${n(plan.vanished)} people have left the source and would be acted on`]),
    ...(plan.create === 0
      ? []
      : [
          '  to create: people whom the ledger does not know; those who are on the service already would be updated',
        ]),
    ...(Object.keys(fields.update).length === 0 ? [] : [`  changed: ${listed(fields.update)}`]),
    ...(Object.keys(fields.create).length === 0 ? [] : [`  for new people: ${listed(fields.create)}`]),
    `  ${range(calls.min, calls.max)} calls; at ${n(Math.round(pace.callsPerMinute))} a minute ${took}, if nothing else spends them: begun now, done ${when}`,
    ...calls.steps.map(({ what, min, max, why }) => `    ${range(min, max)} × ${what}: ${why}`),
    ...(calls.min === calls.max
      ? []
      : [
          `    the range is what only the service knows: who is there already, and with which values; ${n(calls.ifNew)} calls if nobody to create is there`,
        ]),
    ...plan.samples.flatMap(describeSample),
    ...plan.problems.map(({ row, where, reason }) => `  row ${n(row)} rejected: ${where}: ${reason}`),
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
