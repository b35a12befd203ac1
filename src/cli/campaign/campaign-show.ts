// `sluice campaign list`, `status` and `audit`: the state of campaigns, their results, and who did what. A worker
// answers from the ledger, so these work while another process has the ledger open.

import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type {
  campaignRunAudit,
  campaignRunReport,
  listCampaignRuns,
} from '../../../workflows/campaign-queries.ts';
import { campaignProgressQuery } from '../../../workflows/messages.ts';
import { campaignIdentity } from '../../contracts/ids.ts';
import type { CampaignAuditEntry, CampaignListInput } from '../../contracts/wire/campaign.ts';
import type { CampaignReport } from '../../contracts/wire/campaign-report.ts';
import { integer } from '../lib/arguments.ts';
import { EXIT, exitCodeOfBlock } from '../lib/exit.ts';
import { formatMany, formatTime } from '../lib/format.ts';
import { say } from '../lib/lifetime.ts';
import { isRunning, queryOperator } from '../lib/operator-query.ts';
import { withClient, withState } from '../lib/session.ts';
import { type Column, tableOf } from '../lib/table.ts';
import { noSuchRun, resolveRunQuery } from './campaign-target.ts';
import { describeRun, describeRuns, type Live } from './describe-campaign-run.ts';
import { blockOf } from './run-campaign.ts';

const KIND = 'campaign';
/** The first read of a run of 100,000 members in days takes a while. */
const REPORT_MS = 60_000;
const MAX_RUNS = 200;

interface Options {
  readonly state: string;
  readonly json: boolean;
}

export function registerCampaignShow(campaign: Command, env: NodeJS.ProcessEnv): void {
  const command = (verb: string, argument: string, what: string) =>
    withState(campaign.command(verb)).argument(argument, 'name of the campaign').description(what);

  command('list', '[name]', 'list runs of campaigns, newest first')
    .option('--account <name>', 'only entries of this account')
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: MAX_RUNS }), 20)
    .option('--json', 'print one JSON object per line', false)
    .action((name: string | undefined, options: Options & { account?: string; limit: number }) =>
      withClient(options, env, async (client) => {
        const { account, limit } = options;
        const filter = { limit, ...(account === undefined ? {} : { account }) };
        const runs = await list(client, name === undefined ? filter : { ...filter, campaign: name });
        if (options.json) for (const run of runs) process.stdout.write(`${JSON.stringify(run)}\n`);
        else if (runs.length > 0) process.stdout.write(`${describeRuns(runs).join('\n')}\n`);
        say(
          `${formatMany(runs.length, 'run')}${runs.length === limit ? '; there may be more, see --limit' : ''}`,
        );
        return EXIT.ok;
      }),
    );

  command('status', '<name>', 'show the state of a run, what it waits for, and its results by wave')
    .option('--run <id>', 'id of a run (default: the newest run)')
    .option('--json', 'print JSON', false)
    .action((name: string, options: Options & { run?: string }) =>
      withClient(options, env, async (client) => {
        const query = resolveRunQuery(name, options.run);
        const { run } = 'run' in query ? query : await foundRun(client, name, undefined);
        const report = await reportOf(client, { run });
        const live = await liveOf(client, report);
        const text = options.json
          ? JSON.stringify({ ...report, progress: live === 'gone' ? null : live })
          : describeRun(report, live).join('\n');
        process.stdout.write(`${text}\n`);
        return exitCodeOf(report);
      }),
    );

  command('audit', '<name>', 'show who did what to a run, when and why')
    .option('--run <id>', 'id of a run (default: the newest run)')
    .option('--json', 'print one JSON object per line', false)
    .action((name: string, options: Options & { run?: string }) =>
      withClient(options, env, async (client) => {
        const { run, timeZone } = await foundRun(client, name, options.run);
        const entries = await queryOperator<typeof campaignRunAudit>(client, KIND, 'campaignRunAudit', [
          { run },
        ]);
        const lines = options.json
          ? entries.map((entry) => JSON.stringify(entry))
          : describeAudit(entries, timeZone);
        for (const line of lines) process.stdout.write(`${line}\n`);
        say(`${formatMany(entries.length, 'entry', 'entries')} of the run ${run}`);
        return EXIT.ok;
      }),
    );
}

/** A blocked run is not fine. A run that a person has paused is. */
function exitCodeOf({ state, paused, blocked }: CampaignReport): number {
  if (state !== 'running') return EXIT.ok;
  const block = blocked ?? blockOf({ paused, waiting: null });
  return block === null ? EXIT.ok : exitCodeOfBlock(block.code);
}

async function list(client: Client, filter: CampaignListInput): Promise<CampaignReport[]> {
  return await queryOperator<typeof listCampaignRuns>(client, KIND, 'listCampaignRuns', [filter]);
}

/** @throws CliError (not found) when there is no such run, or the campaign has no run */
async function foundRun(client: Client, name: string, run: string | undefined): Promise<CampaignReport> {
  const query = resolveRunQuery(name, run);
  if ('run' in query) return await reportOf(client, query);
  const [newest] = await list(client, { ...query, limit: 1 });
  if (newest === undefined) throw noSuchRun(query);
  return newest;
}

async function reportOf(client: Client, input: { readonly run: string }): Promise<CampaignReport> {
  const report = await queryOperator<typeof campaignRunReport>(
    client,
    KIND,
    'campaignRunReport',
    [input],
    REPORT_MS,
  );
  if (report === null) throw noSuchRun(input);
  return report;
}

/** The progress of an active run, from its workflow. */
async function liveOf(client: Client, report: CampaignReport): Promise<Live> {
  if (report.state !== 'running') return null;
  const handle = client.workflow.getHandle(campaignIdentity(report).workflowId);
  if (!(await isRunning(handle))) return 'gone';
  const progress = await handle.query(campaignProgressQuery);
  return progress.run === report.run ? progress : 'gone';
}

/**
 * The audit of a run as text: who did what, when and why. Zero counts are left out. The only personal values are the
 * names of operators.
 */
export function describeAudit(entries: readonly CampaignAuditEntry[], timeZone: string): string[] {
  if (entries.length === 0) return [];
  const columns: readonly Column<CampaignAuditEntry>[] = [
    ['AT', 'left', ({ at }) => formatTime(new Date(at), timeZone)],
    ['BY', 'left', ({ by }) => by],
    ['ACTION', 'left', ({ action }) => action],
    ['WHAT', 'left', ({ details }) => describeDetails(details)],
    ['REASON', 'left', ({ reason }) => reason],
  ];
  return tableOf(columns, entries);
}

function describeDetails(details: CampaignAuditEntry['details']): string {
  return Object.entries(details)
    .flatMap(([name, value]) => {
      if (value === 0 || value === false || (Array.isArray(value) && value.length === 0)) return [];
      if (value === null) return [`${name} –`];
      return [`${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`];
    })
    .join(', ');
}
