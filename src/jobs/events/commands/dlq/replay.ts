// `sluice dlq replay`: sends the records of dead letters to their original topics again, at a limited pace.
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { integer } from '../../../../cli/lib/arguments.ts';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { say } from '../../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { readFields, withFields } from '../../../../cli/lib/route/fields.ts';
import { printDryRun } from '../../../../cli/lib/terminal/dry-run.ts';
import { formatCount } from '../../../../cli/lib/terminal/format.ts';
import { createProgress } from '../../../../cli/lib/terminal/progress.ts';
import type { Shutdown } from '../../../../core/shutdown.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import { REFUSALS, type Replay } from '../../contract/refusals.ts';
import { CHOICE, choiceOf, IDS, YES } from './options.ts';

interface Options extends SessionOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly rate: number;
}

/** Interval of the checks whether a replay has ended. */
const CHECK_MS = 300;
/** Maximum number of dead letters of a dry run. */
const MOST = 1000;

export function registerDlqReplay(dlq: Command, env: NodeJS.ProcessEnv): void {
  const { input } = REFUSALS['POST /dead-letters/replay'];
  const [, ids, help] = IDS;
  withFields(withSessionOptions(dlq.command('replay').argument(ids, help)), input, CHOICE)
    .option('--yes', YES, false)
    .description('write the records of dead letters to their topics again; a repeated replay makes one event')
    .option(
      '--dry-run',
      'only show what each dead letter would result in now, next to its original error',
      false,
    )
    .option('--json', 'print the numbers as JSON; with --dry-run, one JSON object per line', false)
    .option('--rate <number>', 'dead letters per minute', integer({ min: 1, max: 60_000 }), 60)
    .action(async (given: string[], options: Options) => {
      const { json, rate, yes, dryRun } = options;
      const filter = readFields({ ...options }, input, CHOICE);
      const choice = choiceOf({ ...filter, ids: given.length === 0 ? undefined : given }, yes, dryRun);
      const command = { command: 'sluice dlq replay' };
      await withOperator(options, env, command, async (client, _connected, shutdown) => {
        if (dryRun) {
          const limit = Math.min(choice.limit ?? MOST, MOST);
          const { results, total } = await client.call('POST /dead-letters/dry-run', { ...choice, limit });
          return await printDryRun(results, { one: 'dead letter', total, json });
        }
        const begun = await client.call('POST /dead-letters/replay', { ...choice, rate });
        for (const topic of begun.unread)
          say(`no route reads "${topic}" any more; replayed records wait there`);
        return report(await watch(client, begun, shutdown), json);
      });
    });
}

/** Follows a replay to its end. Ctrl-C stops the replay, too. */
async function watch(client: OperatorClient, begun: Replay, { signal, add }: Shutdown): Promise<Replay> {
  const { replay } = begun;
  let now = begun;
  const left = () => say(`stopped: ${formatCount(now.total - now.done)} are still dead letters`);
  // Registered last, so it runs first: the connection is still open.
  add('replay', async () => {
    if (now.state !== 'running') return;
    now = await client.call('POST /dead-letters/replays/{replay}/stop', { replay });
    if (now.state === 'stopped') left();
  });
  const progress = createProgress(process.stderr, { label: 'replay', unit: 'dead letter' });
  try {
    while (now.state === 'running' && !signal.aborted) {
      progress.update({ done: now.done, total: now.total });
      await delay(CHECK_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) now = await client.call('GET /dead-letters/replays/{replay}', { replay });
    }
    progress.update({ done: now.done, total: now.total });
    return now;
  } finally {
    progress.finish();
  }
}

function report(replay: Replay, json: boolean): number {
  const { state, done, total, omitted, problem } = replay;
  const left = total - done;
  process.stdout.write(
    json ? `${JSON.stringify({ replayed: done, left, omitted })}\n` : `${formatCount(done)} replayed\n`,
  );
  if (state === 'failed')
    throw new CliError(
      EXIT.unavailable,
      `${problem ?? 'Kafka refused'}; ${total - done} are still dead letters`,
    );
  if (state === 'stopped') say(`stopped: ${formatCount(total - done)} are still dead letters`);
  if (omitted === 0) return EXIT.ok;
  say(
    `${formatCount(omitted)} stand here without their value, and can't be replayed: their origin has it (\`sluice dlq show\`)`,
  );
  return EXIT.failedRecords;
}
