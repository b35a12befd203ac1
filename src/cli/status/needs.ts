// What needs a person, in words, with the command that helps.
import type { Need } from '../../contracts/operator/overview.ts';
import { formatCount, formatTime } from '../lib/terminal/format.ts';

interface Words {
  /** What is the case. `count` and `name` are of the need. */
  readonly what: (count: string, name: string) => string;
  /** The command of `sluice`, without `npx sluice`. */
  readonly command: (need: Need) => string;
}

const WORDS: Readonly<Record<Need['kind'], Words>> = {
  'unknown-records': {
    what: (count, name) => `${count} records of the sync ${name} have an unknown outcome`,
    command: ({ name }) => `sync retry ${name} --unknown`,
  },
  'unknown-events': {
    what: (count, name) => `${count} events of the route ${name} have an unknown outcome`,
    command: ({ name }) => `events list --unknown --route ${name}`,
  },
  'unknown-members': {
    what: (count, name) => `${count} members of the campaign ${name} have an unknown outcome`,
    command: ({ name }) => `campaign export ${name} --members --only unknown`,
  },
  'blocked-poller': {
    what: (_, name) => `the poller ${name} is blocked`,
    command: ({ name }) => `poll resume ${name}`,
  },
  'blocked-campaign': {
    what: (_, name) => `the campaign ${name} is blocked`,
    command: ({ name }) => `campaign status ${name}`,
  },
  'blocked-events': {
    what: (count, name) => `${count} events of the route ${name} are blocked`,
    command: ({ name }) => `events retry --blocked --route ${name} --yes`,
  },
  'blocked-sync': {
    what: (_, name) => `the sync ${name} is blocked`,
    command: ({ name }) => `sync resume ${name}`,
  },
  'refused-token': {
    what: (_, name) => `the service refuses token ${name}`,
    command: () => 'doctor',
  },
  'dead-letters': {
    what: (count, name) => `${count} dead letters of the route ${name} are open`,
    command: ({ name }) => `dlq list --route ${name}`,
  },
  'dead-outbox': {
    what: (count, name) => `${count} events for the sink ${name} are dead`,
    command: ({ name }) => `outbox list --dead --sink ${name}`,
  },
  'paused-campaign': {
    what: (_, name) => `the campaign ${name} is paused`,
    command: ({ name }) => `campaign resume ${name}`,
  },
  'paused-poller': {
    what: (_, name) => `the poller ${name} is paused`,
    command: ({ name }) => `poll resume ${name}`,
  },
  'paused-sync': {
    what: (_, name) => `the sync ${name} is paused`,
    command: ({ name }) => `sync resume ${name}`,
  },
  approval: {
    what: (_, name) => `a plan of the campaign ${name} waits for approval`,
    command: ({ name }) => `campaign approve ${name}`,
  },
  'failed-run': {
    what: (_, name) => `a run of ${name} failed`,
    command: ({ name }) => `sync status ${name}`,
  },
};

const MARK = { critical: '!!', warning: '! ', info: '  ' } as const;

/** One line for the fact and one for the command. */
export function describeNeed(need: Need): string[] {
  const { kind, severity, account, name, count, since, code, reason } = need;
  const { what, command } = WORDS[kind];
  const where = account === null ? '' : ` (${account})`;
  const why = [reason, code === null ? null : `[${code}]`].filter((part) => part !== null).join(' ');
  const from = since === null ? '' : `, since ${formatTime(since)}`;
  return [
    `${MARK[severity]} ${what(formatCount(count), name)}${where}${from}${why === '' ? '' : `: ${why}`}`,
    `   npx sluice ${command(need)}`,
  ];
}
