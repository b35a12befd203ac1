// `sluice size`: what an installation needs for a number of tokens.
import type { Command } from 'commander';
import { integer } from '../lib/arguments.ts';
import { printLines } from '../lib/terminal/print.ts';
import { describeSize, describeSizes } from './describe-size.ts';
import { ASSUMED, MEASURED } from './figures.ts';
import { sizeOf } from './model.ts';

interface Options {
  readonly tokens?: number;
  readonly callsPerMinute: number;
  readonly busy: number;
  readonly people: number;
  readonly events: number;
  readonly keepCalls: number;
  readonly keepMinutes: number;
  readonly json: boolean;
}

/** Shown when no number of tokens is given. */
const USUAL = [1, 50, 500, 5000];

const MAX_TOKENS = 1_000_000;
const days = integer({ min: 1, max: 3650 });

export function registerSize(program: Command): void {
  program
    .command('size')
    .description('estimate the processes, cores, memory and disk for a number of tokens')
    .option(
      '--tokens <n>',
      'tokens in all; without it, the command shows 1, 50, 500 and 5,000',
      integer({ min: 1, max: MAX_TOKENS }),
    )
    .option(
      '--calls-per-minute <n>',
      'calls per minute that each token allows',
      integer({ min: 1, max: 60_000 }),
      120,
    )
    .option(
      '--busy <percent>',
      'percent of the tokens that use their whole limit at the same time',
      integer({ min: 0, max: 100 }),
      100,
    )
    .option('--people <n>', 'people per token', integer({ min: 0, max: 100_000_000 }), 10_000)
    .option('--events <n>', 'events a day and token', integer({ min: 0, max: 10_000_000 }), 100)
    .option('--keep-calls <days>', 'days for which calls are kept, as in retention.calls', days, 14)
    .option('--keep-minutes <days>', 'days for which minutes are kept, as in retention.minutes', days, 90)
    .option('--json', 'print JSON', false)
    .action(({ tokens, json, ...rest }: Options) => {
      const sizes = (tokens === undefined ? USUAL : [tokens]).map((each) =>
        sizeOf({ ...rest, tokens: each }),
      );
      const [only] = sizes;
      if (json) {
        const basis = { measured: MEASURED, assumptions: ASSUMED };
        printLines([JSON.stringify(tokens === undefined ? { sizes, ...basis } : { ...only, ...basis })]);
      } else if (tokens !== undefined && only !== undefined) printLines(describeSize(only));
      else printLines(describeSizes(sizes));
    });
}
