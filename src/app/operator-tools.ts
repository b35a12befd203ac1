// Parts of the operator API that come from workers, the doctor and Kafka. Only a composition root may combine them.
import { createCommandActivities } from '../../activities/campaigns/commands.ts';
import type { CommandDeps } from '../../activities/campaigns/member-commands.ts';
import type { LiveConfig } from '../config/live-config.ts';
import type { AssumptionState } from '../operator/contract/settings.ts';
import type {
  Corrections,
  DryRuns,
  FirstSync,
  OperatorDeps,
  OperatorTools,
} from '../operator/service/deps.ts';
import type { ExpensiveRequests } from '../operator/service/expensive.ts';
import { wakeSinks } from '../operator/service/wake.ts';
import { ASSUMPTIONS, type AssumptionKey } from '../service/api-client/assumptions.ts';
import { createCampaignDraft } from './campaign-draft.ts';
import { createCampaignFile } from './config-edit/campaign-file.ts';
import { createSyncFile } from './config-edit/sync-file.ts';
import { createSetSyncLane } from './config-edit/sync-lane.ts';

export interface ToolsOptions {
  readonly dryRuns: DryRuns;
  readonly firstSync: FirstSync;
  readonly corrections: Corrections;
  readonly expensive: ExpensiveRequests;
  readonly live: LiveConfig | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** State folder of the embedded Temporal server and ledger. */
  readonly stateDir: string;
}

export function createTools(
  deps: Omit<OperatorDeps, 'tools'>,
  { env, stateDir, live, dryRuns, firstSync, corrections, expensive }: ToolsOptions,
): OperatorTools {
  const { db, config, now, log } = deps;
  const commands: CommandDeps = {
    db,
    log,
    clock: { now },
    campaign: (account, name) => {
      const spec = config().campaign(name);
      if (spec.account === account) return spec;
      throw new Error(`the account "${account}" has no campaign "${name}" in ${config().file}`);
    },
    announce: (account) => config().config.accounts[account]?.announce ?? [],
  };
  const { campaignCommand } = createCommandActivities(commands, (sinks) => wakeSinks(deps, sinks));
  return {
    campaignCommand,
    campaignFile: createCampaignFile({ config, live, hasWorkers: db.kind === 'pglite' }),
    syncFile: createSyncFile({ config, live, hasWorkers: db.kind === 'pglite' }),
    setSyncLane: createSetSyncLane({ config, live, hasWorkers: db.kind === 'pglite' }),
    expensive,
    campaignDraft: createCampaignDraft(deps, expensive),
    dryRuns,
    firstSync,
    corrections,
    // Imported at use: the SDK of workers takes 0.3 s to load, and most commands need none of them.
    async readAccount(account) {
      const { readAccount } = await import('./operator-account.ts');
      return await readAccount(deps, account);
    },
    async readMessages(account, conversation, limit) {
      const { readMessages } = await import('./operator-account.ts');
      return await readMessages(deps, account, { conversation, limit });
    },
    async examine(accounts) {
      const { examine, summarize, verdict } = await import('./doctor/index.ts');
      const groups = await examine({ config: config(), accounts, env, state: stateDir });
      return { verdict: verdict(groups), summary: summarize(groups), groups };
    },
    async routes() {
      const { openRoutes } = await import('./ingress.ts');
      return openRoutes(config());
    },
    async openAcceptance() {
      const { openAcceptance } = await import('./ingress.ts');
      return openAcceptance({ client: await deps.temporal(), db, taskQueue: deps.workQueue, config });
    },
    async eraseFromSinkFiles(account, events) {
      const { eraseFromSinkFiles } = await import('./erase-sink-files.ts');
      return await eraseFromSinkFiles(config(), account, events);
    },
    async testNotices(channel) {
      const { testChannels } = await import('./notices.ts');
      return await testChannels({ db, loaded: config(), env }, channel);
    },
    async forgetExports() {
      await Promise.all([dryRuns.forgetAll(), firstSync.forgetAll()]);
    },
    async backUpLedger() {
      const { backUpLedger } = await import('./ledger/ledger-backup.ts');
      return await backUpLedger(db, stateDir);
    },
    assumptions: () =>
      Object.entries(config().config.accounts).flatMap(([account, { assumptions }]) =>
        assumptionsOf(account, assumptions),
      ),
  };
}

function assumptionsOf(account: string, overrides: Readonly<Record<string, unknown>>): AssumptionState[] {
  return Object.entries(ASSUMPTIONS).map(([key, { unknown, section, default: fallback }]) => {
    const override = overrides[key as AssumptionKey];
    return {
      account,
      key,
      unknown,
      section,
      default: JSON.stringify(fallback),
      value: JSON.stringify(override ?? fallback),
      overridden: override !== undefined,
    };
  });
}
