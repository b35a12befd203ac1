// `sluice dlq replay`: sends the records of dead letters to their original topics again, at a limited pace.
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  type FoundDeadLetter,
  fetchBounds,
  markerMessage,
  produce,
  replayMessage,
} from '../../ingress/kafka/index.ts';
import { openRoutes } from '../../runtime/ingress.ts';
import { integer } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount } from '../lib/format.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { createProgress } from '../lib/progress.ts';
import { type Box, type BoxOptions, kafkaFailure, openBox, withBoxOptions } from './dlq-box.ts';
import { type ChoiceOptions, checkChoice, chooseDeadLetters, withChoiceOptions } from './dlq-choose.ts';
import { printDryRun } from './dlq-dry-run.ts';

interface Options extends BoxOptions, ChoiceOptions {
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly rate: number;
}

const MINUTE_MS = 60_000;

export function registerDlqReplay(dlq: Command, env: NodeJS.ProcessEnv): void {
  withChoiceOptions(withBoxOptions(dlq.command('replay').argument('[ids...]', 'ids of dead letters')))
    .description('write the records of dead letters to their topics again; a repeated replay makes one event')
    .option(
      '--dry-run',
      'only show what each dead letter would result in now, next to its original error',
      false,
    )
    .option('--json', 'print the numbers as JSON; with --dry-run, one JSON object per line', false)
    .option('--rate <number>', 'dead letters per minute', integer({ min: 1, max: 60_000 }), 60)
    .action(async (ids: string[], options: Options) => {
      process.exitCode = await runCommand(async ({ signal }) => {
        checkChoice(ids, options, options.dryRun);
        const box = await openBox(options, env);
        const foundLetters = await chooseDeadLetters(box, ids, { ...options, withValues: true }, signal);
        if (options.dryRun) {
          const routes = openRoutes(box.loaded).filter(({ config }) => config.kafka?.cluster === box.cluster);
          return await printDryRun(routes, foundLetters, options.json);
        }
        return await replay(box, foundLetters, options, signal);
      });
    });
}

async function replay(
  box: Box,
  foundLetters: readonly FoundDeadLetter[],
  { rate, json }: Pick<Options, 'rate' | 'json'>,
  signal: AbortSignal,
): Promise<number> {
  const whole = foundLetters.filter(({ omitted }) => omitted === null);
  const partitions = await partitionsOf(box, whole);
  const by = operatorName();
  const progress = createProgress(process.stderr, { label: 'replay', unit: 'dead letter' });
  let done = 0;
  try {
    for (const deadLetter of whole) {
      progress.update({ done, total: whole.length });
      if (done > 0) await delay(MINUTE_MS / rate, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const { topic, partition } = deadLetter.origin;
      const message = replayMessage(deadLetter);
      // To the same partition, if the topic still has it.
      const place = partitions.has(`${topic}/${partition}`) ? { partition } : {};
      await write(box, topic, { ...message, ...place });
      // If the command is killed here, the dead letter is replayed again: the event keeps its name and takes effect
      // once.
      const mark = {
        deadLetter: deadLetter.id,
        how: 'replayed',
        by,
        at: new Date().toISOString(),
        reason: null,
      } as const;
      await write(box, box.config.deadLetters, markerMessage(mark));
      done += 1;
    }
    progress.update({ done, total: whole.length });
  } finally {
    progress.finish();
  }
  const omitted = foundLetters.length - whole.length;
  const left = whole.length - done;
  process.stdout.write(
    json ? `${JSON.stringify({ replayed: done, left, omitted })}\n` : `${formatCount(done)} replayed\n`,
  );
  if (left > 0) say(`stopped: ${formatCount(left)} are still dead letters`);
  if (omitted === 0) return EXIT.ok;
  say(
    `${formatCount(omitted)} stand here without their value, and can't be replayed: their origin has it (\`sluice dlq show\`)`,
  );
  return EXIT.failedRecords;
}

async function write(box: Box, topic: string, message: Parameters<typeof produce>[2][number]): Promise<void> {
  await produce(box.access, topic, [message]).catch((error: unknown) => {
    throw kafkaFailure(error, `topic "${topic}"`);
  });
}

/** `topic/partition` of all topics that dead letters came from. @throws CliError where one is gone */
async function partitionsOf({ access, loaded, cluster }: Box, foundLetters: readonly FoundDeadLetter[]) {
  const topics = [...new Set(foundLetters.map(({ origin }) => origin.topic))];
  const read = new Set(
    Object.values(loaded.config.routes).flatMap(({ kafka }) =>
      kafka?.cluster === cluster ? kafka.topics : [],
    ),
  );
  for (const topic of topics)
    if (!read.has(topic)) say(`no route reads "${topic}" any more; replayed records wait there`);
  try {
    return new Set((await fetchBounds(access, topics)).keys());
  } catch (error) {
    const failure = kafkaFailure(error, `topics ${topics.join(', ')}`);
    if (failure.exitCode !== EXIT.notFound) throw failure;
    throw new CliError(
      EXIT.notFound,
      `one of the topics that the dead letters came from is gone: ${topics.join(', ')}`,
      {
        cause: error,
      },
    );
  }
}
