// The endpoints about people as the dispatcher calls them, with a person in every table of the ledger.
import { beforeEach } from 'vitest';
import type { Input, Output, Route } from '../../../../src/operator/contract/index.ts';
import type { PEOPLE } from '../../../../src/operator/contract/people.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import type { OperatorDeps } from '../../../../src/operator/service/deps.ts';
import { createDispatch } from '../../../../src/operator/service/dispatch.ts';
import { peopleHandlers } from '../../../../src/operator/service/people/index.ts';
import { emptyLedger, testLedger } from '../../../support/postgres/ledger.ts';
import { addPerson } from '../store/person-rows.ts';
import { IOLANDA, tracesOf } from '../store/somebody.ts';

const CONFIG = {
  accounts: {
    acme: { announce: [{ sink: 'archive' }, { sink: 'bus' }, { sink: 'gone' }] },
    other: { announce: [] },
  },
  mappings: { leads: { defaultCountry: 'BR' } },
  syncs: { leads: { account: 'acme', source: 'crm' }, others: { account: 'other', source: 'shop' } },
  sources: { crm: { type: 'csv', path: '/srv/sluice/data/crm.csv' }, shop: { type: 'http' } },
  sinks: { archive: { type: 'jsonl' }, bus: { type: 'kafka' } },
  routes: { signup: { account: 'acme', kafka: { cluster: 'main', topics: ['leads'] } } },
  ingress: { kafka: { main: { deadLetters: 'dead' } } },
};
export const ADMIN = { identity: 'user:ana', name: 'Ana', role: 'admin', via: 'session' } as const;

interface Outside extends Pick<OperatorDeps, 'runningTemporal'> {
  tools: Pick<OperatorDeps['tools'], 'eraseFromSinkFiles' | 'forgetExports'>;
}

/** Call it once, at the top of a test file. */
export async function peopleContext() {
  const db = await testLedger();
  let person = '';
  /** What is logged and audited. */
  const lines: string[] = [];
  /** What the process was asked to forget. */
  const forgotten: string[] = [];
  /** What the erasure asks for besides the ledger. */
  let outside: Outside;
  beforeEach(async () => {
    await emptyLedger(db);
    await addPerson(db, 'acme');
    lines.length = 0;
    forgotten.length = 0;
    outside = {
      runningTemporal: async () => null,
      tools: {
        eraseFromSinkFiles: async () => [{ sink: 'archive', events: 2 }],
        forgetExports: async () => void forgotten.push('all'),
      },
    };
    const { people } = await call('POST /people/search', { query: '+55 11 91234-5601' });
    person = people[0]?.person ?? '';
  });

  function depsNow(): OperatorDeps {
    const write = (...all: unknown[]) => lines.push(JSON.stringify(all));
    const log = { info: write, warn: write, error: write };
    return Object.assign({ db, config: () => ({ config: CONFIG }), log }, outside) as never;
  }

  async function call<R extends Route & keyof typeof PEOPLE>(
    route: R,
    input: Input<R>,
    caller: Caller = ADMIN,
  ): Promise<Output<R>> {
    const dispatch = createDispatch({
      handlers: peopleHandlers(depsNow()) as never,
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (...all) => lines.push(JSON.stringify(all)),
      },
      audit: {
        write: async (entry, outcome) => lines.push(JSON.stringify({ ...entry, outcome })),
        count: async (entry) => void lines.push(JSON.stringify(entry)),
        complete: async () => undefined,
      },
    });
    return (await dispatch(route, input, caller)) as Output<R>;
  }

  const traces = [...tracesOf(IOLANDA), '91234'];
  const tracesIn = (value: unknown) => {
    const text = JSON.stringify(value).toLowerCase();
    return traces.filter((trace) => text.includes(trace.toLowerCase()));
  };

  return {
    db,
    lines,
    forgotten,
    deps: depsNow,
    call,
    tracesIn,
    /** The person, for a path. */
    at: () => ({ account: 'acme', person }),
    get outside() {
      return outside;
    },
    set outside(now: Outside) {
      outside = now;
    },
  };
}
