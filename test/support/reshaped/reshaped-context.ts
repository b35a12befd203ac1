// A sandbox behind a proxy that reshapes its answers, and Sluice's own activities in front of it: a poller and a campaign,
// taken step by step as their workflows take them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import {
  createCampaignApiActivities,
  createCampaignLedgerActivities,
} from '../../../activities/campaigns/index.ts';
import {
  createPollControlActivities,
  createPollingActivities,
} from '../../../activities/conversations/index.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { LANES } from '../../../src/core/lanes.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import type { CampaignPlan, PlanNote } from '../../../src/jobs/campaigns/contract/plan.ts';
import type { CampaignReport } from '../../../src/jobs/campaigns/contract/report.ts';
import { reportOf } from '../../../src/jobs/campaigns/store/report.ts';
import { ConversationEvent } from '../../../src/jobs/conversations/contract/events.ts';
import type { PollBlock, PollFailures } from '../../../src/jobs/conversations/contract/poll.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { createDeps } from '../../../workers/compose.ts';
import { numberOf } from '../campaigns/campaign-context.ts';
import { ALL_DAY } from '../campaigns/windows.ts';
import { account } from '../environment.ts';
import { panelOf } from '../panel.ts';
import { testLedger } from '../postgres/ledger.ts';
import { type Rule, reshape } from './reshaped-service.ts';

const WORD = 'sair';
/** Contacts of the campaign; one has opted out by a word, one is served by a person. */
export const MEMBERS = 6;
export const OPTED_OUT = 2;
export const SERVED = 3;
export const REACHED = [1, 4, 5, 6];

const SCOPES = [
  'contacts:write',
  'cards:write',
  'connections:read',
  'flows:trigger',
  'conversations:read',
  'messages:read',
];
const NAME = { account: 'acme', campaign: 'winback' };
const POLLER = { account: 'acme', poller: 'main' };
const logger = new DefaultLogger('ERROR');
const silent = { info() {}, warn() {}, error: console.error };

export interface ContextOptions {
  /** Over the campaign. */
  readonly campaign?: Record<string, unknown>;
  /** Over the account of the sandbox. */
  readonly account?: Record<string, unknown>;
  /** @default [WORD] */
  readonly words?: readonly string[];
}

/** How a run stands when nothing more can be done with it for now. */
export type Stand =
  | { readonly do: 'finished' }
  | { readonly do: 'paused'; readonly reason: string }
  | { readonly do: 'blocked'; readonly blocked: PlanNote }
  | { readonly do: 'waits' };

/** It ends with the test. */
export async function openReshapedContext(options: ContextOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-reshaped-'));
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const sandbox = await startSandbox({
    port: 0,
    dataDir: join(dir, 'sandbox'),
    rate: 0,
    fixture: {
      accounts: [
        account({
          tokens: [{ value: 'svc_test_token', scopes: SCOPES }],
          users: [{ id: 7, name: 'Ana' }],
          lostReasons: [{ id: 1, name: 'price' }],
          flows: [{ id: 1, name: 'reactivate', active: true, published: true, nodes: 3 }],
          contacts: Array.from({ length: MEMBERS }, (_, n) => ({
            id: n + 1,
            number: numberOf(n + 1),
            name: `Person ${n + 1}`,
            tagIds: [1],
          })),
          conversations: [
            {
              id: 1,
              contactId: OPTED_OUT,
              connectionId: 1,
              status: 'closed',
              chatbot: true,
              updatedAt: at(50),
              messages: [
                { id: 'a1', body: 'welcome', fromMe: true, at: at(60) },
                { id: 'a2', body: 'Sair!', fromMe: false, at: at(50) },
              ],
            },
            {
              id: 2,
              contactId: SERVED,
              connectionId: 1,
              status: 'open',
              chatbot: false,
              userId: 7,
              updatedAt: at(40),
              messages: [{ id: 'b1', body: 'help me', fromMe: false, at: at(40) }],
            },
            {
              id: 3,
              contactId: 4,
              connectionId: 1,
              status: 'closed',
              chatbot: true,
              updatedAt: at(30),
              messages: [{ id: 'c1', body: 'thanks', fromMe: false, at: at(30) }],
            },
          ],
          ...options.account,
        }),
      ],
    },
  });
  const panel = panelOf(sandbox.panelUrl);
  const service = await reshape(sandbox.baseUrl);
  const db: Database = await testLedger();
  const closers: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closers) await close();
    await service.close();
    await sandbox.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** A worker that has just started, with these assumptions. */
  async function worker(assumptions: Record<string, unknown> = {}) {
    const file = join(dir, 'sluice.yaml');
    await writeFile(
      file,
      stringify({
        version: 1,
        accounts: {
          acme: {
            baseUrl: service.baseUrl,
            tokens: ['env:TOKEN'],
            callsPerMinute: 60_000,
            timeZone: 'America/Sao_Paulo',
            announce: [{ sink: 'file' }],
            optOut: { words: options.words ?? [WORD] },
            assumptions: { 'readBack.settleSeconds': 0, ...assumptions },
          },
        },
        sinks: { file: { type: 'jsonl', path: join(dir, 'events.jsonl') } },
        pollers: { main: { account: 'acme', from: 'all', interval: { min: '1h', max: '1h' } } },
        campaigns: {
          winback: {
            account: 'acme',
            flow: 1,
            connection: 1,
            windows: { zone: 'account', days: ALL_DAY },
            audience: [{ from: 'contacts', tags: ['crm'] }],
            waves: { settle: '0s' },
            ...options.campaign,
          },
        },
      }),
    );
    const config = await loadConfig(file, { env: { TOKEN: 'svc_test_token' } });
    const { deps, close } = await createDeps({ config, db, log: silent });
    closers.push(close);
    const polls = {
      ...createPollingActivities(deps, { wake: async () => undefined }),
      ...createPollControlActivities(deps),
    };
    const campaigns = { ...createCampaignLedgerActivities(deps), ...createCampaignApiActivities(deps) };

    /** An attempt after the other, as Temporal makes them; pauses between them pass at once. */
    async function command<T>(work: () => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        const info = {
          attempt,
          priority: { priorityKey: LANES.campaign },
          workflowExecution: { workflowId: 'w', runId: 'w' },
        };
        try {
          return await new MockActivityEnvironment(info, { logger }).run(work);
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.nonRetryable === true || attempt === 15)
            throw error;
        }
      }
    }

    return {
      deps,

      /** Polls until nothing is left to read, or the poller is blocked. */
      async poll(): Promise<PollBlock | null> {
        const { run } = await command(() => polls.beginPoll(POLLER));
        const input = { ...POLLER, run, pollInMs: 0, intervalMs: 0, old: true, once: false };
        let block: PollBlock | null = null;
        let failures: PollFailures = { list: 0, read: 0, history: 0, readOld: 0 };
        for (let left = true; left && block === null; ) {
          const end = await command(() => polls.pollBatch({ ...input, failures }));
          block = end.news.block ?? end.old.block;
          left = end.polls === 0 || end.oldInMs !== null || (await todoOf()).length > 0;
          ({ failures } = end);
        }
        await command(() => polls.blockPoller({ ...POLLER, block }));
        return block;
      },

      async plan(): Promise<CampaignPlan> {
        const { run, lists, parts } = await command(() => campaigns.openCampaignPlan({ ...NAME, by: 'ana' }));
        for (const list of lists) await command(() => campaigns.readCampaignList({ run, list }));
        for (const [part, how] of parts.entries())
          for (let done = false; !done; )
            ({ done } = await command(() =>
              how === 'api'
                ? campaigns.readAudiencePage({ run, part })
                : campaigns.readAudienceRows({ run, part }),
            ));
        await command(() => campaigns.freezeAudience({ run }));
        return await command(() => campaigns.planCampaign({ run }));
      },

      start: (run: string) => command(() => campaigns.openCampaign({ ...NAME, run, by: 'ana' })),

      resume: (run: string) =>
        command(() =>
          campaigns.campaignCommand({
            run,
            id: `resume-${Math.random()}`,
            command: { action: 'resume', by: 'ana', reason: '' },
          }),
        ),

      /** Triggers one member after the other, until the run ends or somebody has to act. */
      async run(run: string): Promise<Stand> {
        // Pauses pass at once.
        await db.query('update campaign_members set due_at = null');
        for (let decisions = 0; decisions < 30; decisions++) {
          const next = await command(() => campaigns.decideNext({ run }));
          if (next.do === 'pause') return { do: 'paused', reason: next.reason };
          if (next.do === 'waitUntil' && next.blocked !== undefined)
            return { do: 'blocked', blocked: next.blocked };
          if (next.do === 'waitUntil' && next.untilMs > Date.now() + 2000) return { do: 'waits' };
          if (next.do === 'finish' && (await command(() => campaigns.closeCampaign({ run }))).closed)
            return { do: 'finished' };
          if (next.do !== 'triggerBatch') continue;
          const batch = { run, alone: true, pacePerMinute: null, resumes: 0 };
          const { refusal } = await command(() => campaigns.triggerBatch(batch));
          if (refusal === null) continue;
          await command(() =>
            campaigns.campaignCommand({
              run,
              id: `pause-${decisions}`,
              command: { ...refusal, action: 'pause', by: 'sluice' },
            }),
          );
        }
        return { do: 'waits' };
      },
    };
  }

  const todoOf = async (): Promise<number[]> =>
    (
      await db.query<{ id: number }>('select id from conversations where todo_at is not null order by id')
    ).map(({ id }) => id);

  return {
    db,
    service,
    worker,
    panel,

    /** The service answers like this from now on. */
    show(...rules: readonly Rule[]): void {
      service.rules = rules;
    },

    /** Ids of the contacts that the service has run a flow for, one per run. */
    async reached(): Promise<number[]> {
      const runs = await panel.flowRuns();
      return runs.map(({ contactId }) => contactId).sort((a, b) => a - b);
    },

    /** Messages that were published, as direction and text. */
    async published(): Promise<string[]> {
      const rows = await db.query<{ event: unknown }>('select event from outbox order by seq');
      return rows.flatMap(({ event }) => {
        const { type, data } = ConversationEvent.parse(event);
        return 'message' in data && type !== 'message.status'
          ? [`${type.slice(8)} ${String(data.message.body)}`]
          : [];
      });
    },

    async report(run: string): Promise<CampaignReport> {
      return (await reportOf(db, run)) as CampaignReport;
    },
  };
}
