// Finds pollers: those of the configuration, those of the ledger, and whether their workflows run.
import type { Client } from '@temporalio/client';
import type { LoadedConfig } from '../../../config/load.ts';
import { UnknownNameError } from '../../../core/config/errors.ts';
import { pollingIdentity } from '../../../core/ids.ts';
import { suggestion } from '../../../core/suggest.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { OperatorDeps } from '../../../operator/service/deps.ts';
import { failing, isRunning } from '../../../operator/service/workflows.ts';
import type { PollerName } from '../contract/poll.ts';
import type { PollerStatus } from '../contract/pollers.ts';
import { describePollers, type StoredPoller } from '../store/pollers.ts';

type Pollers = LoadedConfig['config']['pollers'];

/**
 * Names of pollers of the configuration: the given ones, or all.
 * @throws OperatorError, UnknownNameError when one is not there, or there are none
 */
export function knownNames(
  { config: { pollers }, file }: Pick<LoadedConfig, 'file'> & { config: { pollers: Pollers } },
  given: readonly string[] | undefined,
): string[] {
  const known = Object.keys(pollers);
  if (known.length === 0)
    throw new OperatorError('invalid', `${file} has no pollers; add one under pollers`, {
      code: 'NO_POLLERS',
    });
  for (const name of given ?? []) if (!known.includes(name)) throw unknownPoller(name, known);
  return given === undefined ? known : known.filter((name) => given.includes(name));
}

/**
 * The poller with a name. `account/name` is used as it is, so that a poller that left the configuration can be stopped.
 * @param pollers of the configuration; read only when the name has no account
 * @throws UnknownNameError
 */
export function resolvePoller(pollers: () => Pollers, name: string): PollerName {
  const [account = '', poller] = name.split('/', 2);
  if (poller !== undefined) return { account, poller };
  const configured = pollers();
  const own = Object.hasOwn(configured, name) ? configured[name] : undefined;
  if (own === undefined) throw unknownPoller(name, Object.keys(configured));
  return { account: own.account, poller: name };
}

function unknownPoller(name: string, known: readonly string[]): UnknownNameError {
  return new UnknownNameError('poller', name, suggestion(name, known, 'pollers'));
}

/**
 * Pollers of the configuration and of the ledger, by account and name.
 * @param names only these, as `name` or `account/name`; without them, all
 * @throws UnknownNameError when one of the names is nowhere
 */
export async function findPollers(
  deps: OperatorDeps,
  names: readonly string[] | undefined,
): Promise<PollerStatus[]> {
  const all = await matchingPollers(deps, names);
  const client = await deps.runningTemporal();
  return await Promise.all(all.map((one) => withWorkflow(client, one)));
}

/** {@link findPollers} without asking Temporal. */
export async function matchingPollers(
  { db, config }: OperatorDeps,
  names: readonly string[] | undefined,
): Promise<PollerStatus[]> {
  const { pollers } = config().config;
  const found = await describePollers(db, names?.map((name) => name.split('/', 2).at(-1) as string) ?? null);
  const all = mergePollers(pollers, found).filter((one) => matches(one, names));
  const missing = names?.find((name) => !all.some((one) => matches(one, [name])));
  if (missing !== undefined) throw unknownPoller(missing, Object.keys(pollers));
  return all;
}

function matches({ account, poller }: PollerName, names: readonly string[] | undefined): boolean {
  return names === undefined || names.includes(poller) || names.includes(`${account}/${poller}`);
}

/** Pollers of the ledger, and configured pollers that were never started. */
export function mergePollers(
  configured: Pick<Pollers, string>,
  known: readonly StoredPoller[],
): PollerStatus[] {
  const has = ({ account, poller }: PollerName) =>
    Object.hasOwn(configured, poller) && configured[poller]?.account === account;
  const found = known.map((one): PollerStatus => ({ ...one, configured: has(one), trouble: null }));
  const fresh = Object.entries(configured)
    .filter(([poller, { account }]) => !known.some((one) => one.account === account && one.poller === poller))
    .map(([poller, { account }]) => neverStarted({ account, poller }));
  const key = ({ account, poller }: PollerName) => `${account}/${poller}`;
  return [...found, ...fresh].sort((a, b) => key(a).localeCompare(key(b)));
}

function neverStarted({ account, poller }: PollerName): PollerStatus {
  return {
    account,
    poller,
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
async function withWorkflow(client: Client | null, poller: PollerStatus): Promise<PollerStatus> {
  const handle = client?.workflow.getHandle(pollingIdentity(poller).workflowId);
  if (handle === undefined || !(await isRunning(handle))) return { ...poller, state: 'stopped' };
  const state = poller.state === 'stopped' ? 'polling' : poller.state;
  return { ...poller, state, trouble: await failing(handle) };
}
