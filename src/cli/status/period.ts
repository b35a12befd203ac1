// Options of commands that show a period.
import type { Command } from 'commander';
import { integer } from '../lib/arguments.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { when } from '../lib/when.ts';

export interface PeriodOptions extends SessionOptions {
  readonly account?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
  readonly json: boolean;
}

export function withPeriod(command: Command, limit: number): Command {
  return withSessionOptions(command)
    .option('--account <name>', 'only this account')
    .option('--since <when>', 'begin: a time with offset, or a duration such as 12h (default: 24h)', when)
    .option('--until <when>', 'end: a time with offset, or a duration such as 1h (default: now)', when)
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: 1000 }), limit)
    .option('--json', 'print JSON', false);
}

export function periodOf({ account, since, until }: PeriodOptions) {
  return { account, since: since?.toISOString(), until: until?.toISOString() };
}
