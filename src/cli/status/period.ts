// Options of commands that show a period.
import type { Command } from 'commander';
import { integer } from '../lib/arguments.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { WHEN, when } from '../lib/when.ts';

export interface PeriodOptions extends SessionOptions {
  readonly account?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
  readonly json: boolean;
}

/** Entries of one answer of the operator API. */
const MOST = 1000;

export function withPeriod(command: Command, limit: number): Command {
  return withSessionOptions(command)
    .option('--account <name>', 'only this account')
    .option('--since <when>', `begin: ${WHEN} (default: 24h)`, when)
    .option('--until <when>', `end: ${WHEN} (default: now)`, when)
    .option(
      '--limit <count>',
      `maximum number of entries, at most ${MOST}`,
      integer({ min: 1, max: MOST }),
      limit,
    )
    .option('--json', 'print JSON', false);
}

export function periodOf({ account, since, until }: PeriodOptions) {
  return { account, since: since?.toISOString(), until: until?.toISOString() };
}
