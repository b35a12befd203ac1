// The search attributes that Sluice's workflows have. A start is refused where the namespace lacks them.
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { SEARCH_KEYS } from '../core/ids.ts';
import type { Shutdown } from '../core/shutdown.ts';
import {
  ensureSearchAttributes,
  type SearchAttributes,
  TemporalUnavailableError,
} from './temporal-health.ts';
import type { TemporalTarget } from './temporal-target.ts';

export const SEARCH_ATTRIBUTES: SearchAttributes = Object.fromEntries(
  Object.values(SEARCH_KEYS).map((key) => [key.name, 'Keyword']),
);

const TIMEOUT_MS = 10_000;
/** Delay between two tries while the server does not answer. */
const RETRY_MS = 5000;

interface Registration {
  readonly target: Pick<TemporalTarget, 'address' | 'namespace' | 'access'>;
  readonly attributes: SearchAttributes;
  readonly timeoutMs: number;
  say(line: string): void;
}

/**
 * Registers the attributes that the namespace lacks, and names them.
 * @throws TemporalUnavailableError; Error when one exists with another type
 */
export async function register({ target, attributes, timeoutMs, say }: Registration): Promise<void> {
  const { address, namespace, access } = target;
  const added = await ensureSearchAttributes(address, namespace, attributes, { timeoutMs, access });
  if (added.length > 0) say(`Registered search attributes in namespace ${namespace}: ${added.join(', ')}`);
}

/** What an operator of the cluster has to do where clients may not read or add attributes. */
export function describeRefusal(error: Error, attributes: SearchAttributes): string {
  const wanted = Object.entries(attributes).map(([name, kind]) => `--name ${name} --type ${kind}`);
  return `${error.message}. If they are missing: temporal operator search-attribute create ${wanted.join(' ')}`;
}

interface Waiting extends Pick<Registration, 'target' | 'say'> {
  readonly shutdown: Pick<Shutdown, 'signal'>;
}

/** Registers those of Sluice as soon as the server answers, for a process that starts without it. */
export async function registerWhenUp({ target, shutdown: { signal }, say }: Waiting): Promise<void> {
  while (!signal.aborted) {
    try {
      return await register({ target, attributes: SEARCH_ATTRIBUTES, timeoutMs: TIMEOUT_MS, say });
    } catch (error) {
      if (!isAway(error)) return say(describeRefusal(error as Error, SEARCH_ATTRIBUTES));
      await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** DEADLINE_EXCEEDED, UNAVAILABLE */
const AWAY = new Set([4, 14]);

/** The server does not answer. Other refusals stay, for example where clients may not read the attributes. */
function isAway(error: unknown): boolean {
  if (!(error instanceof TemporalUnavailableError)) return false;
  return !isGrpcServiceError(error.cause) || AWAY.has(error.cause.code);
}
