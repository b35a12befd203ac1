// Opens accounts: a client for each token, and the plan of the token's budget.
import type { AccountAccess, TokenAccess } from '../activities/shared/deps.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import type { Database } from '../src/core/sql/database.ts';
import { shortHash } from '../src/core/sql/short-hash.ts';
import { resolveAssumptions } from '../src/service/api-client/assumptions.ts';
import { MessagingClient } from '../src/service/api-client/client.ts';
import { type Budget, createBudget, type TokenPlan } from '../src/service/budget/slots.ts';
import { createSharedResources, type SharedResources } from './shared-resources.ts';

export interface OpenAccount extends AccountAccess {
  /** What a client needs besides the token. Accounts with the same place can use each other's clients. */
  readonly place: string;
}

export interface AccountSet {
  readonly accounts: ReadonlyMap<string, OpenAccount>;
  /** By key of the token. */
  readonly plans: ReadonlyMap<string, TokenPlan>;
  close(): Promise<void>;
}

export type SharedClients = SharedResources<MessagingClient>;

/**
 * Opens a client per token of these accounts.
 * @throws SecretError when a token is missing
 */
export async function openAccountSet(
  config: LoadedConfig,
  clients: SharedClients,
  deadlineMs?: number,
  names: ReadonlySet<string> = new Set(Object.keys(config.config.accounts)),
): Promise<AccountSet> {
  const accounts = new Map<string, OpenAccount>();
  const plans = new Map<string, TokenPlan>();
  const used: string[] = [];
  const close = async () => {
    await Promise.all(used.map((key) => clients.release(key)));
  };
  try {
    for (const [name, account] of Object.entries(config.config.accounts)) {
      if (!names.has(name)) continue;
      const { callsPerMinute: limit, reserve, floor, baseUrl, assumptions } = account;
      const place = JSON.stringify([baseUrl, assumptions]);
      const tokens = new Map<string, TokenAccess>();
      for (const [at, ref] of account.tokens.entries()) {
        const { value: token } = await config.secret(ref);
        // Identifies the token without its value.
        const key = shortHash(token);
        if (tokens.has(key)) continue;
        plans.set(key, { limit, ...reserve, floor });
        const shared = `${key} ${place}`;
        const client = await clients.acquire(
          shared,
          () => new MessagingClient({ baseUrl, token, assumptions, deadlineMs }),
        );
        used.push(shared);
        tokens.set(key, { client, key, position: at + 1 });
      }
      const keys = [...tokens.keys()];
      accounts.set(name, {
        name,
        place,
        tokens: [...tokens.values()],
        tokenKey: keys.length === 1 ? (keys[0] as string) : shortHash(keys.sort().join(' ')),
        settleSeconds: resolveAssumptions(assumptions)['readBack.settleSeconds'],
        announce: account.announce,
        optOut: account.optOut,
      });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { accounts, plans, close };
}

export interface OpenAccounts {
  readonly accounts: ReadonlyMap<string, AccountAccess>;
  readonly budget: Budget;
  close(): Promise<void>;
}

/**
 * Opens accounts for one piece of work, with a budget of their own.
 * @throws SecretError when a token is missing
 */
export async function openAccounts(
  config: LoadedConfig,
  db: Database,
  names: readonly string[],
): Promise<OpenAccounts> {
  const { accounts, plans, close } = await openAccountSet(
    config,
    createSharedResources(),
    undefined,
    new Set(names),
  );
  return { accounts, budget: createBudget(db, (token) => planOf(token, [plans])), close };
}

/** @param sets the newest first */
export function planOf(token: string, sets: readonly ReadonlyMap<string, TokenPlan>[]): TokenPlan {
  for (const plans of sets) {
    const plan = plans.get(token);
    if (plan !== undefined) return plan;
  }
  throw new Error('no account has the token that this slot belongs to');
}
