// Where the console shows a need. The browser loads it too, so it imports nothing but a type.
import type { Need } from './overview.ts';

const SCREEN_OF = {
  'unknown-records': '/syncs',
  'unknown-events': '/events',
  'unknown-members': '/campaigns',
  'failed-members': '/campaigns',
  'blocked-poller': '/conversations',
  'blocked-campaign': '/campaigns',
  'blocked-events': '/events',
  'blocked-sync': '/syncs',
  'failing-batch': '/settings',
  'refused-token': '/settings',
  'dead-letters': '/events',
  'dead-outbox': '/conversations',
  'paused-campaign': '/campaigns',
  'paused-poller': '/conversations',
  'paused-sync': '/syncs',
  approval: '/campaigns',
  'failed-run': '/syncs',
  'failed-campaign': '/campaigns',
  'failed-records': '/syncs',
  'rejected-rows': '/syncs',
  'failed-events': '/events',
  'refused-events': '/events',
  'unread-conversations': '/conversations',
  'failing-calls': '/settings',
  'service-away': '/settings',
  'waiting-sink': '/conversations',
  'no-worker': '/',
  'temporal-away': '/',
  'kafka-away': '/events',
  'broken-configuration': '/settings',
  'failing-notices': '/settings',
} as const satisfies Record<Need['kind'], string>;

const SCREEN_OF_WORK = {
  sync: '/syncs',
  campaign: '/campaigns',
  poller: '/conversations',
  route: '/events',
  sink: '/conversations',
  delivery: '/conversations',
  other: '/settings',
} as const satisfies Record<NonNullable<Need['work']>, string>;

/** Screen on which a need can be seen in full: of work that fails, that of its job. */
export function screenOf({ kind, work }: Pick<Need, 'kind' | 'work'>) {
  return kind === 'failing-batch' && work !== undefined ? SCREEN_OF_WORK[work] : SCREEN_OF[kind];
}

type Shown = Pick<Need, 'kind' | 'account' | 'name' | 'run' | 'commands' | 'work'>;

/** Query of the screen that shows it. */
export function searchOf({
  kind,
  account,
  name,
  run,
  commands,
  work,
}: Shown): Readonly<Record<string, unknown>> {
  if (kind === 'refused-events') return { tab: 'refused', route: name };
  if (kind === 'refused-token' || kind === 'failing-calls' || kind === 'service-away')
    return account === null ? { tab: 'accounts' } : { tab: 'accounts', account };
  // Its page is that of the job, not that of one run.
  if (kind === 'failing-batch') return work === 'sync' || work === 'campaign' ? { account, name } : {};
  // The configuration lists the channels.
  if (kind === 'failing-notices') return {};
  if (kind === 'unread-conversations') return { tab: 'gaps' };
  // Where their outcome is recorded.
  if (kind === 'unknown-members') return { account, name, run: run ?? '', tab: 'members', state: 'unknown' };
  // The page of what is to be approved.
  if (kind === 'approval') return { run: run ?? '', tab: 'plan' };
  if (kind !== 'dead-letters') return { account, name, run: run ?? '' };
  return { tab: 'dead', route: name, cluster: commands[0]?.input['cluster'] };
}

/** Path and query of that screen. The console reads a value as JSON if it can, so a text that looks so is quoted. */
export function pathOfNeed(need: Shown): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(searchOf(need)))
    if (typeof value === 'string' && value !== '')
      query.set(key, isJson(value) ? JSON.stringify(value) : value);
  const path = screenOf(need);
  return path === '/' || query.size === 0 ? path : `${path}?${query}`;
}

function isJson(text: string): boolean {
  return /^(?:-?\d|true$|false$|null$|["[{])/.test(text);
}
