// What a need says in one sentence, for the command line and for notices. The console has its own catalogs.
import { OPERATOR_ROUTE } from '../../core/ids.ts';
import type { Need } from './overview.ts';

/** `name` is of the need; `many` counts its things. */
type Sentence = (
  name: string,
  many: (one: string) => string,
  is: (one: string, more: string) => string,
) => string;

/** What people send by hand has a route of its own, whose name nobody chose. */
const eventsOf = (route: string, many: (one: string) => string): string =>
  route === OPERATOR_ROUTE ? `${many('message')} sent by hand` : `${many('event')} of the route ${route}`;

const SENTENCES: Readonly<Record<Need['kind'], Sentence>> = {
  'unknown-records': (name, many, is) =>
    `${many('record')} of the sync ${name} ${is('has', 'have')} an unknown outcome`,
  'unknown-events': (name, many, is) => `${eventsOf(name, many)} ${is('has', 'have')} an unknown outcome`,
  'unknown-members': (name, many, is) =>
    `${many('member')} of the campaign ${name} ${is('has', 'have')} an unknown outcome`,
  'failed-members': (name, many) => `${many('member')} of the campaign ${name} failed`,
  'blocked-poller': (name) => `the poller ${name} is blocked`,
  'blocked-campaign': (name) => `the campaign ${name} is blocked`,
  'blocked-events': (name, many, is) => `${eventsOf(name, many)} ${is('is', 'are')} blocked`,
  'blocked-sync': (name) => `the sync ${name} is blocked`,
  'failing-batch': (name) => `work of ${name} failed several times and retries by itself`,
  'refused-token': (name) => `the service refuses token ${name}`,
  'dead-letters': (name, many, is) => `${many('dead letter')} of the route ${name} ${is('is', 'are')} open`,
  'dead-outbox': (name, many, is) => `${many('event')} for the sink ${name} ${is('is', 'are')} dead`,
  'paused-campaign': (name) => `the campaign ${name} is paused`,
  'paused-poller': (name) => `the poller ${name} is paused`,
  'paused-sync': (name) => `the sync ${name} is paused`,
  approval: (name) => `a plan of the campaign ${name} waits for approval`,
  'failed-run': (name) => `a run of ${name} failed`,
  'failed-campaign': (name) => `a plan of the campaign ${name} failed`,
  'failed-records': (name, many) => `${many('record')} of the last run of the sync ${name} failed`,
  'rejected-rows': (name, many, is) =>
    `${many('row')} of the sync ${name} ${is('was', 'were')} rejected in its last run`,
  'failed-events': (name, many) => `${eventsOf(name, many)} failed`,
  'refused-events': (name, many, is) =>
    `${many('request')} to the route ${name} ${is('was', 'were')} refused`,
  'unread-conversations': (name, many) => `the poller ${name} cannot read ${many('conversation')} in full`,
  'failing-calls': (name) => `every call of the account ${name} fails`,
  'service-away': (name) =>
    `the service of the account ${name} does not answer; work waits, and goes on by itself when it answers`,
  'waiting-sink': (name) => `the sink ${name} takes no events`,
  'no-worker': () => 'work waits, and no worker process is alive',
  'temporal-away': () => 'Temporal does not answer',
  'kafka-away': () => 'Kafka does not answer',
  'broken-configuration': () => 'the configuration on the disk is broken, and the one before is in use',
  'failing-notices': (name) => `notices do not arrive at the channel ${name}`,
};

/** Work that a refused token blocks: `sync leads, campaign spring and 2 more`. @param most names more than this as a count */
export function blockedWorkWords(
  blocks: NonNullable<Need['blocks']>,
  most = Number.POSITIVE_INFINITY,
): string {
  const words = blocks.map(({ kind, name }) =>
    kind === 'route' && name === OPERATOR_ROUTE ? 'messages sent by hand' : `${kind} ${name}`,
  );
  const more = words.length - most;
  return more > 0 ? `${words.slice(0, most).join(', ')} and ${more} more` : words.join(', ');
}

/** @param format writes the count */
export function needSentence(
  { kind, name, count }: Pick<Need, 'kind' | 'name' | 'count'>,
  format: (count: number) => string = String,
): string {
  return SENTENCES[kind](
    name,
    (one) => `${format(count)} ${count === 1 ? one : `${one}s`}`,
    (one, more) => (count === 1 ? one : more),
  );
}
