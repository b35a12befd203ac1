// The endpoints of opt-outs over a ledger of tests, as operators call them.
import { beforeEach } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { Input, Output, Route } from '../../../../src/operator/contract/index.ts';
import type { OPT_OUTS } from '../../../../src/operator/contract/opt-outs.ts';
import { OperatorError } from '../../../../src/operator/error.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { createDispatch } from '../../../../src/operator/service/dispatch.ts';
import { createExpensiveRequests } from '../../../../src/operator/service/expensive.ts';
import { optOutHandlers } from '../../../../src/operator/service/opt-outs/index.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';

export const NOW = Date.UTC(2026, 5, 1);
const ana = { identity: 'user:ana', name: 'Ana', role: 'operator', via: 'session' } as const;
export const vera = { identity: 'user:vera', name: 'Vera', role: 'viewer', via: 'session' } as const;

export interface Registry {
  readonly db: Database;
  /** What the log and the audit log got. */
  readonly lines: string[];
  /** Uploaded files by their id. */
  readonly uploads: Map<string, string>;
  call<R extends Route & keyof typeof OPT_OUTS>(
    route: R,
    input: Input<R>,
    caller?: Caller,
  ): Promise<Output<R>>;
}

/** Call it once per file, outside of the tests. Each test begins with an empty registry. */
export function openRegistry(): Registry {
  let db: Database;
  const lines: string[] = [];
  const uploads = new Map<string, string>();
  const firstSync = {
    find: (id: string) => {
      const path = uploads.get(id);
      if (path === undefined)
        throw new OperatorError('notFound', 'the upload was deleted', { code: 'NO_UPLOAD' });
      return { path };
    },
    remove: async (id: string) => void uploads.delete(id),
  };
  beforeEach(async () => {
    db = await testLedger();
    await db.query('delete from opt_outs');
    lines.length = 0;
    uploads.clear();
  });
  return {
    get db() {
      return db;
    },
    lines,
    uploads,
    async call(route, input, caller = ana) {
      const deps = {
        db,
        config: () => ({ config: { accounts: { acme: {}, other: {} } } }),
        now: async () => NOW,
        tools: { firstSync, expensive: createExpensiveRequests() },
      };
      const dispatch = createDispatch({
        handlers: optOutHandlers(deps as never) as never,
        log: {
          info: () => undefined,
          warn: () => undefined,
          error: (...all) => lines.push(JSON.stringify(all)),
        },
        audit: {
          write: async (entry, outcome) => lines.push(JSON.stringify({ ...entry, outcome })),
          count: async (entry) => void lines.push(JSON.stringify(entry)),
          complete: async (_id, _outcome, details) => void lines.push(JSON.stringify(details ?? {})),
        },
      });
      return (await dispatch(route, input, caller)) as never;
    },
  };
}
