// What needs a person, in words, with the command that helps.

import { ownReason } from '../../core/own-reason.ts';
import { needsToken } from '../../core/refused-access.ts';
import { describeApprovers } from '../../jobs/campaigns/commands/describe-approvers.ts';
import type { Health, Need } from '../../operator/contract/overview.ts';
import { formatMany, formatTime } from '../lib/terminal/format.ts';

type LedgerKind = Health['ledger']['kind'];

interface Words {
  /** What is the case. `name` is of the need; `many` counts its things. */
  readonly what: (
    name: string,
    many: (one: string) => string,
    is: (one: string, more: string) => string,
  ) => string;
  /** The command of `sluice`, without `npx sluice`. */
  readonly command: (need: Need, ledger: LedgerKind) => string;
}

const WORDS: Readonly<Record<Need['kind'], Words>> = {
  'unknown-records': {
    what: (name, many, is) => `${many('record')} of the sync ${name} ${is('has', 'have')} an unknown outcome`,
    command: ({ name }) => `sync retry ${name} --unknown`,
  },
  'unknown-events': {
    what: (name, many, is) => `${many('event')} of the route ${name} ${is('has', 'have')} an unknown outcome`,
    command: ({ name }) => `events list --unknown --route ${name}`,
  },
  'unknown-members': {
    what: (name, many, is) =>
      `${many('member')} of the campaign ${name} ${is('has', 'have')} an unknown outcome`,
    command: ({ name, run }) => `campaign resolve ${run ?? name} --all --as …`,
  },
  'failed-members': {
    what: (name, many) => `${many('member')} of the campaign ${name} failed`,
    command: ({ name, run }) => `campaign retry ${run ?? name}`,
  },
  'blocked-poller': {
    what: (name) => `the poller ${name} is blocked`,
    command: ({ name }) => `poll resume ${name}`,
  },
  'blocked-campaign': {
    what: (name) => `the campaign ${name} is blocked`,
    command: ({ name }) => `campaign status ${name}`,
  },
  'blocked-events': {
    what: (name, many, is) => `${many('event')} of the route ${name} ${is('is', 'are')} blocked`,
    command: ({ name }) => `events retry --blocked --route ${name} --yes`,
  },
  'blocked-sync': {
    what: (name) => `the sync ${name} is blocked`,
    command: ({ name }) => `sync resume ${name}`,
  },
  'failing-batch': {
    what: (name) => `work of ${name} fails again and again`,
    command: () => 'doctor',
  },
  'refused-token': {
    what: (name) => `the service refuses token ${name}`,
    command: () => 'doctor',
  },
  'dead-letters': {
    what: (name, many, is) => `${many('dead letter')} of the route ${name} ${is('is', 'are')} open`,
    command: ({ name }) => `dlq list --route ${name}`,
  },
  'dead-outbox': {
    what: (name, many, is) => `${many('event')} for the sink ${name} ${is('is', 'are')} dead`,
    command: ({ name }) => `outbox list --dead --sink ${name}`,
  },
  'paused-campaign': {
    what: (name) => `the campaign ${name} is paused`,
    command: ({ name }) => `campaign resume ${name}`,
  },
  'paused-poller': {
    what: (name) => `the poller ${name} is paused`,
    command: ({ name }) => `poll resume ${name}`,
  },
  'paused-sync': {
    what: (name) => `the sync ${name} is paused`,
    command: ({ name }) => `sync resume ${name}`,
  },
  approval: {
    what: (name) => `a plan of the campaign ${name} waits for approval`,
    command: ({ name, approval }) =>
      approval !== null && approval.refusal !== null ? `campaign status ${name}` : `campaign approve ${name}`,
  },
  'failed-run': {
    what: (name) => `a run of ${name} failed`,
    command: ({ name }) => `sync status ${name}`,
  },
  'failed-campaign': {
    what: (name) => `a plan of the campaign ${name} failed`,
    command: ({ name }) => `campaign status ${name}`,
  },
  'failed-records': {
    what: (name, many) => `${many('record')} of the last run of the sync ${name} failed`,
    command: ({ name }) => `sync retry ${name} --failed`,
  },
  'rejected-rows': {
    what: (name, many, is) =>
      `${many('row')} of the sync ${name} ${is('was', 'were')} rejected in its last run`,
    command: ({ name }) => `sync rows ${name}`,
  },
  'failed-events': {
    what: (name, many) => `${many('event')} of the route ${name} failed`,
    command: ({ name }) => `events list --failed --route ${name}`,
  },
  'refused-events': {
    what: (name, many, is) => `${many('request')} to the route ${name} ${is('was', 'were')} refused`,
    command: ({ name }) => `refused list --route ${name}`,
  },
  'failing-calls': {
    what: (name) => `every call of the account ${name} fails`,
    command: () => 'doctor',
  },
  'service-away': {
    what: (name) =>
      `the service of the account ${name} does not answer; work waits, and goes on by itself when it answers`,
    command: () => 'doctor',
  },
  'waiting-sink': {
    what: (name) => `the sink ${name} takes no events`,
    command: ({ name }) => `outbox list --sink ${name}`,
  },
  'no-worker': {
    what: () => 'work waits, and no worker process is alive',
    // A worker alone needs servers; `dev` brings them.
    command: (_, ledger) => (ledger === 'pglite' ? 'dev' : 'worker'),
  },
  'temporal-away': {
    what: () => 'Temporal does not answer',
    command: () => 'doctor',
  },
  'kafka-away': {
    what: () => 'Kafka does not answer',
    command: () => 'doctor',
  },
  'broken-configuration': {
    what: () => 'the configuration on the disk is broken, and the one before is in use',
    command: () => 'config check',
  },
};

const MARK = { critical: '!!', warning: '! ', info: '  ' } as const;

/** One line for the fact and one for the command, with what comes before the command if it alone does not help. */
export function describeNeed(need: Need, ledger: LedgerKind): string[] {
  const { kind, severity, account, name, count, since, code, reason, approval } = need;
  const { what, command } = WORDS[kind];
  const where = account === null ? '' : ` (${account})`;
  const why = [ownReason(code, reason), code === null ? null : `[${code}]`]
    .filter((part) => part !== null)
    .join(' ');
  const from = since === null ? '' : `, since ${formatTime(since)}`;
  return [
    `${MARK[severity]} ${what(
      name,
      (one) => formatMany(count, one),
      (one, more) => (count === 1 ? one : more),
    )}${where}${from}${why === '' ? '' : `: ${why}`}`,
    ...(approval === null || approval.refusal === null
      ? []
      : [
          `   it waits for somebody else than you: ${approval.refusal.reason}; ${describeApprovers(approval)}`,
        ]),
    ...(needsToken(code, reason) ? ['   give the account a token that works, then:'] : []),
    `   npx sluice ${command(need, ledger)}`,
  ];
}
