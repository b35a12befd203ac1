// A campaign whose audience is frozen, ready to be planned: an account and a run of its own for each test.
import { beforeAll, beforeEach } from 'vitest';
import { createForecastActivities } from '../../../../activities/campaigns/forecast.ts';
import { toJson } from '../../../../src/core/json/stored-json.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { saveCatalog } from '../../../../src/core/store/catalog.ts';
import { CampaignSpec } from '../../../../src/jobs/campaigns/contract/batches.ts';
import { digestOfSpec } from '../../../../src/jobs/campaigns/store/campaigns.ts';
import { PollerConfig } from '../../../../src/jobs/conversations/config.ts';
import type { MessagingClient } from '../../../../src/service/api-client/client.ts';
import type { TokenState } from '../../../../src/service/budget/statements.ts';
import { partOf, testAccount, testDeps } from '../../../support/activities/deps.ts';
import { freeBudget } from '../../../support/activities/free-budget.ts';
import { ALL_DAY } from '../../../support/campaigns/windows.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { freshAccount } from '../../core/sql/support.ts';

/** Monday, 12:00 in São Paulo. */
export const NOW = Date.parse('2026-11-23T15:00:00Z');
export const WABA = { id: 7, name: 'main', channel: 'waba', status: 'CONNECTED' };

export interface Case {
  /** Over a campaign that is always open, with waves of 100 one after the other. */
  readonly config?: Record<string, unknown>;
  readonly optOut?: Record<string, unknown>;
  /** Members to be triggered, by zones. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly connections?: readonly (typeof WABA)[] | null;
  readonly callsPerMinute?: number;
  readonly identity?: 'id' | 'number';
  readonly marks?: Record<string, string>;
  readonly poller?: Record<string, unknown> | null;
}

export const codes = (notes: readonly { readonly code: string }[]) => notes.map(({ code }) => code);

/** Call it once, at the top of a test file. */
export function forecastContext() {
  let db: Database;
  let account: string;
  let run: string;
  beforeAll(async () => {
    db = await testLedger();
  });
  beforeEach(begin);

  /** An account of its own. */
  function begin(): void {
    account = freshAccount();
    run = `${account}/+back/1`;
  }

  /** Makes the run, as it is when its audience is frozen. */
  async function freeze({ config = {}, optOut = {}, waiting = { '': 10 }, connections = [WABA] }: Case) {
    const spec = CampaignSpec.parse({
      account,
      campaign: 'back',
      sources: {},
      timeZone: 'America/Sao_Paulo',
      optOut: { tags: [], words: [], ...optOut },
      config: {
        account,
        flow: 3,
        connection: 7,
        windows: { days: ALL_DAY },
        audience: [{ from: 'cards' }, { from: 'contacts' }],
        waves: { size: 100, settle: '0s' },
        ...config,
      },
    });
    await db.query(
      `insert into runs (id, account, sync, seq, spec, kind, calls) values ($1, $3, '+back', 1, $2, 'campaign', 12)`,
      [run, toJson(spec), account],
    );
    await db.query(
      `insert into campaigns (run_id, account, campaign, digest, as_of, planned_by, planned_at, parts)
       values ($1, $5, 'back', $2, $3, 'ana', $3, $4)`,
      [
        run,
        digestOfSpec(spec),
        new Date(NOW),
        toJson({ workflow: 'w', 0: { found: 30, done: true } }),
        account,
      ],
    );
    for (const [zones, members] of Object.entries(waiting)) {
      await db.query(
        `insert into campaign_members (run_id, key, number, contact_id, card_id, part, state, zones)
         select $1, $2 || n, $2 || n, n, n, 0, 'waiting', $2 from generate_series(1, $3::int) n`,
        [run, zones, members],
      );
    }
    if (connections !== null) await saveCatalog(db, account, 'connections', [...connections]);
  }

  function activities({ callsPerMinute = 120, identity = 'id', marks = {}, poller = {} }: Case = {}) {
    const flows = partOf<MessagingClient['flows']>('flows', { contactIdentity: identity });
    const client = partOf<MessagingClient>('client', { flows });
    const deps = testDeps({
      db,
      clock: { now: async () => NOW },
      account: () => testAccount(client),
      budget: {
        ...freeBudget(callsPerMinute),
        snapshot: async () => [partOf<TokenState>('state', { marks })],
      },
      announce: () => [],
      poller: () => {
        if (poller === null) throw new Error('there is none');
        return PollerConfig.parse({ account, ...poller });
      },
    });
    return createForecastActivities(deps);
  }

  async function planned(some: Case = {}) {
    await freeze(some);
    return await activities(some).planCampaign({ run: run });
  }

  /** A poller of the account; by default it polled a minute ago. */
  async function addPoller(columns: Record<string, unknown> = {}) {
    const row = {
      account,
      poller: 'chats',
      run_id: `${account}/~chats/1`,
      polled_at: new Date(NOW - 60_000),
      ...columns,
    };
    const names = Object.keys(row);
    await db.query(
      `insert into pollers (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(row),
    );
  }

  return {
    begin,
    freeze,
    activities,
    planned,
    addPoller,
    get db() {
      return db;
    },
    get account() {
      return account;
    },
    get run() {
      return run;
    },
  };
}
