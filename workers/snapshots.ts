// Configurations that activities work with: each activity keeps the one that it began with, and a reload makes the next
// one current. What an old one opened closes when its last activity has ended.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AccountAccess, ActivityLog, TokenAccess } from '../activities/shared/deps.ts';
import type { PreparedPart } from '../src/config/live-config.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import { secretsOfSink } from '../src/connectors/sinks/config.ts';
import { openSink } from '../src/connectors/sinks/index.ts';
import type { Sink } from '../src/connectors/sinks/sink.ts';
import { shortHash } from '../src/core/sql/short-hash.ts';
import { NO_TRACING, type Tracing } from '../src/core/tracing.ts';
import type { TokenPlan } from '../src/service/budget/slots.ts';
import { type AccountSet, type OpenAccount, openAccountSet, planOf, type SharedClients } from './accounts.ts';
import { createSharedResources, type SharedResources } from './shared-resources.ts';

export interface Snapshot {
  readonly config: LoadedConfig;
  readonly accounts: ReadonlyMap<string, AccountAccess>;
  readonly sinks: ReadonlyMap<string, Sink>;
}

interface Kept extends Snapshot {
  readonly plans: ReadonlyMap<string, TokenPlan>;
  readonly opened: ReadonlyMap<string, OpenAccount>;
  /** Activities that work with it now. */
  users: number;
  close(): Promise<void>;
}

export interface Snapshots {
  /** The configuration of the activity that asks; outside of activities, the current one. */
  now(): Snapshot;
  /** Runs an activity with the configuration that is current now. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** @throws Error when no configuration in use has the token */
  planOf(token: string): TokenPlan;
  /** @throws SecretError, SinkError for a configuration that cannot be used */
  prepare(next: LoadedConfig): Promise<PreparedPart>;
  close(): Promise<void>;
}

interface Options {
  readonly log: ActivityLog;
  readonly deadlineMs?: number | undefined;
  /** @default nothing is traced */
  readonly tracing?: Tracing;
}

export async function openSnapshots(
  config: LoadedConfig,
  { log, deadlineMs, tracing = NO_TRACING }: Options,
): Promise<Snapshots> {
  const clients: SharedClients = createSharedResources();
  const sinks: SharedResources<Sink> = createSharedResources();
  const scope = new AsyncLocalStorage<Kept>();
  /** The oldest first; the last one is current. */
  const alive: Kept[] = [];
  const current = () => alive.at(-1) as Kept;

  async function open(next: LoadedConfig): Promise<Kept> {
    const set = await openAccountSet(next, clients, deadlineMs);
    const opened = await openSinks(next, sinks, { log, tracing }).catch(async (error: unknown) => {
      await set.close();
      throw error;
    });
    return {
      config: next,
      opened: set.accounts,
      accounts: new Map([...set.accounts].map(([name, own]) => [name, withNewestTokens(own, current)])),
      plans: set.plans,
      sinks: opened.sinks,
      users: 0,
      close: async () => {
        await Promise.all([set.close(), opened.close()]);
      },
    };
  }

  /** In the order of their age: a call of an old activity may use the tokens of a newer configuration. */
  function retire(): void {
    while (alive.length > 1 && alive[0]?.users === 0) {
      const old = alive.shift() as Kept;
      old
        .close()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'a connection of the last configuration did not close'),
        );
    }
  }

  alive.push(await open(config));
  return {
    now: () => scope.getStore() ?? current(),
    async run(work) {
      const own = current();
      own.users++;
      try {
        return await scope.run(own, work);
      } finally {
        own.users--;
        retire();
      }
    },
    planOf: (token) => planOf(token, alive.map(({ plans }) => plans).toReversed()),
    async prepare(next) {
      const opened = await open(next);
      return {
        commit() {
          alive.push(opened);
          retire();
        },
        discard: () => opened.close(),
      };
    },
    async close() {
      await Promise.all(alive.map((each) => each.close()));
    },
  };
}

/**
 * A call uses the tokens of the current configuration, so that a token can be revoked while a batch is in progress.
 * Where the account has moved to another address, the batch keeps its own.
 */
function withNewestTokens(own: OpenAccount, current: () => Kept | undefined): AccountAccess {
  const { name, tokenKey, settleSeconds, announce, optOut } = own;
  return {
    name,
    tokenKey,
    settleSeconds,
    announce,
    optOut,
    get tokens(): readonly TokenAccess[] {
      const newest = current()?.opened.get(name);
      return newest?.place === own.place ? newest.tokens : own.tokens;
    },
  };
}

async function openSinks(
  config: LoadedConfig,
  shared: SharedResources<Sink>,
  { log, tracing }: Required<Pick<Options, 'log' | 'tracing'>>,
) {
  const sinks = new Map<string, Sink>();
  const used: string[] = [];
  const close: AccountSet['close'] = async () => {
    await Promise.all(used.map((key) => shared.release(key)));
  };
  const secret = async (ref: string) => (await config.secret(ref)).value;
  try {
    for (const [name, sink] of Object.entries(config.config.sinks)) {
      const values = await Promise.all(secretsOfSink(sink).map(secret));
      const key = JSON.stringify([name, sink, config.dir, values.map(shortHash)]);
      const opened = await shared.acquire(key, () =>
        openSink(sink, {
          name,
          secret,
          baseDir: config.dir,
          log: (fields, message) => log.info({ sink: name, ...fields }, message),
          tracing,
        }),
      );
      used.push(key);
      sinks.set(name, opened);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { sinks, close };
}
