// Dependencies of activities in tests: what a test does not give throws at its first use.
import type { AccountAccess, ActivityLog, Deps } from '../../../activities/shared/deps.ts';
import type { MessagingClient } from '../../../src/service/api-client/client.ts';

/** An object of which a test gives some members. The others throw when they are read. */
export function partOf<T extends object>(name: string, given: Partial<T>): T {
  return new Proxy(given, {
    get(target, key) {
      if (key in target) return Reflect.get(target, key);
      throw new Error(`${name}.${String(key)} is not used here`);
    },
  }) as T;
}

/** Anything, as it is never used. */
function unused(name: string): never {
  const fail = (): never => {
    throw new Error(`${name} is not used here`);
  };
  return new Proxy(fail, { get: fail }) as never;
}

const UNUSED: Deps = {
  db: unused('db'),
  budget: unused('budget'),
  calls: unused('calls'),
  log: unused('log'),
  account: unused('account'),
  announce: unused('announce'),
  spec: unused('spec'),
  poller: unused('poller'),
  campaign: unused('campaign'),
  clock: unused('clock'),
  openSource: unused('openSource'),
  compileMapping: unused('compileMapping'),
  sink: unused('sink'),
  sinkNames: unused('sinkNames'),
  sinkRetry: unused('sinkRetry'),
};

export const testDeps = (given: Partial<Deps>): Deps => ({ ...UNUSED, ...given });

/** The account `acme`, whose only token is the client's unless `over` has others. */
export const testAccount = (client?: MessagingClient, over: Partial<AccountAccess> = {}): AccountAccess => ({
  name: 'acme',
  tokens: client === undefined ? [] : [{ client, key: 'token', position: 1 }],
  tokenKey: 'token',
  settleSeconds: 60,
  announce: [],
  optOut: { tags: [], words: [] },
  ...over,
});

/** Keeps the fields of warnings; errors are shown. */
export const testLog = (warnings: object[] = []): ActivityLog => ({
  info() {},
  warn: (fields) => void warnings.push(fields),
  error: console.error,
});
