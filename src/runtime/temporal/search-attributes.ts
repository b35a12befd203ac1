// The search attributes that Sluice's workflows have. A start is refused where the namespace lacks them.
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { SEARCH_KEYS } from '../../contracts/ids.ts';
import type { Shutdown } from '../shutdown.ts';
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

interface Options {
  readonly target: TemporalTarget;
  readonly shutdown: Pick<Shutdown, 'signal'>;
  say(line: string): void;
}

/** Registers them as soon as the server answers, for a process that starts without it. */
export async function registerWhenUp({ target, shutdown: { signal }, say }: Options): Promise<void> {
  const { address, namespace, access } = target;
  while (!signal.aborted) {
    try {
      const added = await ensureSearchAttributes(address, namespace, SEARCH_ATTRIBUTES, {
        timeoutMs: TIMEOUT_MS,
        access,
      });
      if (added.length > 0)
        say(`Registered search attributes in namespace ${namespace}: ${added.join(', ')}`);
      return;
    } catch (error) {
      if (!isAway(error)) {
        say(`${(error as Error).message}. ${createCommand()}`);
        return;
      }
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

/** How an operator of the cluster registers them, where clients may not. */
function createCommand(): string {
  const wanted = Object.entries(SEARCH_ATTRIBUTES).map(([name, kind]) => `--name ${name} --type ${kind}`);
  return `If they are missing: temporal operator search-attribute create ${wanted.join(' ')}`;
}
