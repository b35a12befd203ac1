// Lists pollers: those of the configuration, those of the ledger, and whether their workflows run.

import type { Client } from '@temporalio/client';
import type { describePollers } from '../../../workflows/poll-queries.ts';
import type { ResolvedConfig } from '../../config/load.ts';
import { pollingIdentity } from '../../contracts/ids.ts';
import { suggestion } from '../../contracts/suggest.ts';
import type { PollerName, PollerStatus, PollGap } from '../../contracts/wire/poll.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { isRunning, queryOperator } from '../lib/operator-query.ts';
import { failing } from '../sync/run-sync.ts';

export interface Opened {
  readonly client: Client;
  readonly config: Pick<ResolvedConfig, 'pollers'>;
  /** The configuration's file, for messages. */
  readonly file: string;
}

/** A poller to show; `startedAt` is null when it was never started. */
export type FoundPoller = Omit<PollerStatus, 'startedAt'> & {
  readonly startedAt: string | null;
  /** False: the configuration does not have it. */
  readonly configured: boolean;
  /** What Sluice retries without success. */
  readonly trouble: string | null;
};

/**
 * Names of pollers of the configuration: the given ones, or all.
 * @throws CliError when one is not there, or there are none
 */
export function knownNames({ config, file }: Omit<Opened, 'client'>, given: readonly string[]): string[] {
  const known = Object.keys(config.pollers);
  if (known.length === 0) throw new CliError(EXIT.usage, `${file} has no pollers; add one under pollers`);
  for (const name of given) if (!known.includes(name)) throw unknownPoller(name, known);
  return given.length === 0 ? known : known.filter((name) => given.includes(name));
}

/**
 * The poller with a name. `account/name` is used as it is, so that a poller that left the configuration can be stopped.
 * @throws CliError (not found)
 */
export function resolvePoller({ config }: Pick<Opened, 'config'>, name: string): PollerName {
  const [account = '', poller] = name.split('/', 2);
  if (poller !== undefined) return { account, poller };
  const own = Object.hasOwn(config.pollers, name) ? config.pollers[name] : undefined;
  if (own === undefined) throw unknownPoller(name, Object.keys(config.pollers));
  return { account: own.account, poller: name };
}

function unknownPoller(name: string, known: readonly string[]): CliError {
  return new CliError(EXIT.notFound, `there is no poller "${name}"; ${suggestion(name, known, 'pollers')}`);
}

/**
 * Pollers of the configuration and of the ledger, by account and name.
 * @param names only these, as `name` or `account/name`; without them, all
 * @throws CliError (not found) when one of the names is nowhere, (unavailable) when no worker answers
 */
export async function findPollers(opened: Opened, names: readonly string[]): Promise<FoundPoller[]> {
  const { pollers } = await ask(opened, names, { gaps: false, limit: 1 });
  const all = mergePollers(opened.config, pollers).filter((one) => matches(one, names));
  const missing = names.find((name) => !all.some((one) => matches(one, [name])));
  if (missing !== undefined) throw unknownPoller(missing, Object.keys(opened.config.pollers));
  return await Promise.all(all.map((one) => withWorkflow(opened.client, one)));
}

/** @throws CliError as {@link findPollers} does */
export async function listGaps(
  opened: Opened,
  names: readonly string[],
  limit: number,
): Promise<(PollGap & PollerName)[]> {
  const { pollers, gaps } = await ask(opened, names, { gaps: true, limit });
  const all = mergePollers(opened.config, pollers);
  const missing = names.find((name) => !all.some((one) => matches(one, [name])));
  if (missing !== undefined) throw unknownPoller(missing, Object.keys(opened.config.pollers));
  return gaps.filter((one) => matches(one, names));
}

async function ask(opened: Opened, names: readonly string[], what: { gaps: boolean; limit: number }) {
  const bare = names.map((name) => name.split('/', 2).at(-1) as string);
  const filter = { ...what, ...(names.length === 0 ? {} : { names: bare }) };
  return await queryOperator<typeof describePollers>(opened.client, 'poll', 'describePollers', [filter]);
}

function matches({ account, poller }: PollerName, names: readonly string[]): boolean {
  return names.length === 0 || names.includes(poller) || names.includes(`${account}/${poller}`);
}

/** Pollers of the ledger, and configured pollers that were never started. */
export function mergePollers(config: Opened['config'], known: readonly PollerStatus[]): FoundPoller[] {
  const configured = ({ account, poller }: PollerName) =>
    Object.hasOwn(config.pollers, poller) && config.pollers[poller]?.account === account;
  const found = known.map((one) => ({ ...one, configured: configured(one), trouble: null }));
  const fresh = Object.entries(config.pollers)
    .filter(([poller, { account }]) => !known.some((one) => one.account === account && one.poller === poller))
    .map(([poller, { account }]) => neverStarted({ account, poller }));
  const key = ({ account, poller }: PollerName) => `${account}/${poller}`;
  return [...found, ...fresh].sort((a, b) => key(a).localeCompare(key(b)));
}

function neverStarted(name: PollerName): FoundPoller {
  return {
    ...name,
    state: 'stopped',
    blocked: null,
    paused: null,
    since: null,
    watermark: null,
    history: false,
    conversations: 0,
    todo: 0,
    lagSeconds: null,
    polls: 0,
    calls: 0,
    messages: 0,
    gaps: 0,
    unread: 0,
    polledAt: null,
    newsAt: null,
    startedAt: null,
    configured: true,
    trouble: null,
  };
}

/** The ledger's state of a poller is valid only while its workflow runs. */
async function withWorkflow(client: Client, poller: FoundPoller): Promise<FoundPoller> {
  const handle = client.workflow.getHandle(pollingIdentity(poller).workflowId);
  if (!(await isRunning(handle))) return { ...poller, state: 'stopped' };
  const state = poller.state === 'stopped' ? 'polling' : poller.state;
  return { ...poller, state, trouble: await failing(handle) };
}
