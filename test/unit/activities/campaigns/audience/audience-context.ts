// A ledger, a service and the planning of one campaign; a driver that takes it from step to step as the workflow does.
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createAudienceActivities } from '../../../../../activities/campaigns/audience/pages.ts';
import { createCampaignPlanActivities } from '../../../../../activities/campaigns/plan.ts';
import { LANES } from '../../../../../src/core/lanes.ts';
import type { Source, SourceRow } from '../../../../../src/core/source.ts';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { CampaignConfig } from '../../../../../src/jobs/campaigns/config.ts';
import type { CampaignPlanning, CampaignSpec } from '../../../../../src/jobs/campaigns/contract/batches.ts';
import { type CampaignRow, getCampaign } from '../../../../../src/jobs/campaigns/store/campaigns.ts';
import { MessagingClient } from '../../../../../src/service/api-client/client.ts';
import { testCallCounter } from '../../../../support/activities/call-counter.ts';
import { testAccount, testDeps, testLog } from '../../../../support/activities/deps.ts';
import { freeBudget } from '../../../../support/activities/free-budget.ts';
import { ALL_DAY } from '../../../../support/campaigns/windows.ts';

/** Friday, 20 November 2026, ten in the morning in São Paulo. */
export const NOW = Date.parse('2026-11-20T13:00:00.000Z');

export const daysAgo = (days: number): Date => new Date(NOW - days * 86_400_000);

const logger = new DefaultLogger('ERROR');

export interface Member {
  readonly id: number;
  readonly key: string | null;
  readonly number: string | null;
  readonly contact_id: number | null;
  readonly card_id: number | null;
  readonly part: number;
  readonly row_no: number | null;
  readonly tag_ids: number[] | null;
  readonly zones: string;
  readonly variables: Record<string, unknown> | null;
  readonly state: string;
  readonly code: string | null;
  readonly reason: string | null;
  readonly place: number | null;
}

export interface ContextOptions {
  readonly db: Database;
  readonly baseUrl?: string;
  readonly token?: string;
  /** Over a campaign `back` to flow 1 by connection 1, at all hours. */
  readonly campaign?: Record<string, unknown>;
  readonly name?: string;
  readonly optOut?: { readonly tags?: readonly string[] };
  readonly timeZone?: string;
  /** Rows of the sources. */
  readonly sources?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  /** Rows that a source can't read, by their number. */
  readonly broken?: readonly number[];
  /** The source of this name can't be read to its end. */
  readonly cutOff?: string;
}

/** Plans of one campaign, by one worker. */
export function openAudienceContext(options: ContextOptions) {
  const { db, baseUrl = 'http://127.0.0.1:1/wapi', name = 'back', sources = {} } = options;
  const client = new MessagingClient({ baseUrl, token: options.token ?? 'svc_test_a', deadlineMs: 5000 });
  const config = {
    account: 'acme',
    flow: 1,
    connection: 1,
    defaultCountry: 'BR',
    windows: { days: ALL_DAY },
    audience: [{ from: 'contacts' }],
    ...options.campaign,
  };
  const context = {
    client,
    /** What the next plan goes by. */
    spec: {
      account: 'acme',
      campaign: name,
      config: CampaignConfig.parse(config),
      sources: Object.fromEntries(
        Object.keys(sources).map((each) => [each, { type: 'jsonl', path: each, encoding: 'auto' }]),
      ),
      timeZone: options.timeZone ?? 'America/Sao_Paulo',
      optOut: { tags: [...(options.optOut?.tags ?? [])], words: [] },
    } as CampaignSpec,
    now: NOW,
  };
  const calls = testCallCounter(db);
  const deps = testDeps({
    db,
    budget: freeBudget(120),
    announce: () => [],
    calls,
    log: testLog(),
    clock: { now: async () => context.now },
    campaign: () => context.spec,
    openSource: (source) => {
      const path = 'path' in source ? source.path : '';
      return memorySource(sources[path] ?? [], options.broken, path === options.cutOff);
    },
    account: () => testAccount(client, { optOut: context.spec.optOut }),
  });
  const api = createAudienceActivities(deps);
  const ledger = createCampaignPlanActivities(deps, { readMs: 0 });
  const command = async <T>(work: () => Promise<T>, runId = 'workflow-1'): Promise<T> => {
    const info = { priority: { priorityKey: LANES.campaign }, workflowExecution: { workflowId: 'w', runId } };
    return await new MockActivityEnvironment(info, { logger }).run(work);
  };

  const steps = {
    open: (workflow?: string): Promise<CampaignPlanning> =>
      command(() => ledger.openCampaignPlan({ account: 'acme', campaign: name, by: 'ana' }), workflow),
    list: (run: string, list: 'tags' | 'pipelines' | 'lostReasons' | 'connections') =>
      command(() => api.readCampaignList({ run, list })),
    page: (run: string, part: number) => command(() => api.readAudiencePage({ run, part })),
    rows: (run: string, part: number) => command(() => ledger.readAudienceRows({ run, part })),
    freeze: (run: string) => command(() => ledger.freezeAudience({ run })),
    fail: (run: string, reason: string) => command(() => ledger.failCampaignPlan({ run, reason })),
  };

  async function readPart(planning: CampaignPlanning, part: number): Promise<number> {
    const { run, parts } = planning;
    for (let calls = 1; ; calls++) {
      if (calls > 500) throw new Error('the reading does not come to an end');
      const { done, found } = await (parts[part] === 'api' ? steps.page(run, part) : steps.rows(run, part));
      if (done) return found;
    }
  }

  return {
    context,
    deps,
    steps,
    readPart,

    /** Reads everything, and freezes it unless disabled. @returns id of the run, and what each part found */
    async plan({ freeze = true, workflow = randomUUID() } = {}): Promise<{ run: string; found: number[] }> {
      const planning = await steps.open(workflow);
      const { run } = planning;
      for (const list of planning.lists) await steps.list(run, list);
      const found: number[] = [];
      for (let part = 0; part < planning.parts.length; part++) found.push(await readPart(planning, part));
      await deps.calls.flush();
      if (freeze) await steps.freeze(run);
      return { run, found };
    },

    async members(run: string): Promise<Member[]> {
      return await db.query<Member>('select * from campaign_members where run_id = $1 order by id', [run]);
    },

    campaign: (run: string): Promise<CampaignRow> => getCampaign(db, run),

    warnings: (run: string): Promise<{ code: string; reason: string }[]> =>
      db.query('select code, reason from run_warnings where run_id = $1 order by code', [run]),

    /** Counts of a plan that failed are written too: they would reach the next test's run of the same name. */
    async close() {
      await client.close();
      await calls.close();
    },
  };
}

export type AudienceContext = ReturnType<typeof openAudienceContext>;

function memorySource(
  rows: readonly Record<string, unknown>[],
  broken: readonly number[] = [],
  cutOff = false,
): Source {
  const reason = 'nothing is read from row 2 to the end of the file, 3 lines';
  const notes = cutOff ? [{ code: 'NOT_READ', reason }] : [];
  return {
    async read(cursor, { limit }) {
      const from = Number(cursor?.['from'] ?? 0);
      const page = rows.slice(from, from + limit).map((values, n): SourceRow => {
        const row = from + n + 1;
        if (!broken.includes(row)) return { row, values };
        const problem = { field: 'row', code: 'malformed_row', reason: 'the row has too many fields' };
        return { row, values: null, problem };
      });
      const next = from + limit < rows.length ? { from: from + limit } : null;
      return { rows: page, next, progress: null, notes };
    },
  };
}
