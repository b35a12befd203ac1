// `sluice campaign list`, `status` and `audit`: the state of campaigns, their results, and who did what.
import type { Command } from 'commander';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { EXIT, exitCodeOfBlock } from '../../../cli/lib/exit.ts';
import { listCommand } from '../../../cli/lib/route/list-command.ts';
import { formatMany, formatTime } from '../../../cli/lib/terminal/format.ts';
import { type Column, tableOf } from '../../../cli/lib/terminal/table.ts';
import { inZone } from '../../../cli/lib/zone.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import { CAMPAIGNS, type CampaignAuditEntry } from '../contract/campaigns.ts';
import type { CampaignReport } from '../contract/report.ts';
import { describeRun, describeRuns } from './describe-campaign-run.ts';
import { campaignOrRun } from './target.ts';

/** Entries of an audit that are shown: the newest. */
const MAX_ENTRIES = 2000;
const ENTRIES_PAGE = 1000;

interface Options extends SessionOptions {
  readonly json: boolean;
}

export function registerCampaignShow(campaign: Command, env: NodeJS.ProcessEnv): void {
  const command = (verb: string, argument: string, what: string) =>
    withSessionOptions(campaign.command(verb)).argument(argument, 'name of the campaign').description(what);
  const run = (verb: string, options: Options, work: (client: OperatorClient) => Promise<number>) =>
    withOperator(options, env, { command: `sluice campaign ${verb}` }, work);

  listCommand(campaign, env, {
    name: 'list',
    about: 'list runs of campaigns, newest first',
    contract: CAMPAIGNS,
    route: 'GET /campaign-runs',
    arguments: [['campaign', '[name]', 'name of the campaign']],
    fields: { account: '--account <name>' },
    items: 'runs',
    shown: (runs, _, options) =>
      runs.length === 0 ? [] : describeRuns(runs.map((each) => inZone(options, each))),
    limit: { usual: 20, most: 200 },
    one: 'run',
  });

  command('status', '<name>', 'show the state of a run, what it waits for, and its results by wave')
    .option('--run <id>', 'id of a run (default: the newest run)')
    .option('--json', 'print JSON', false)
    .action((name: string, options: Options & { run?: string }) =>
      run('status', options, async (client) => {
        const target = campaignOrRun(name, options.run);
        const report = await client.call('GET /campaigns/{campaign}/report', { campaign: target });
        const now = await client.call('GET /campaigns/{campaign}/progress', { campaign: report.run });
        const approval = waitsForApproval(report)
          ? await client.call('GET /campaigns/{campaign}/approval', { campaign: report.run })
          : null;
        const text = options.json
          ? JSON.stringify({ ...report, progress: now.progress, approval })
          : describeRun(inZone(options, report), now, approval).join('\n');
        process.stdout.write(`${text}\n`);
        return exitCodeOf(report);
      }),
    );

  command('audit', '<name>', 'show who did what to a run, when and why')
    .option('--run <id>', 'id of a run (default: the newest run)')
    .option('--json', 'print one JSON object per line', false)
    .action((name: string, options: Options & { run?: string }) =>
      run('audit', options, async (client) => {
        const { run: found, timeZone, entries } = await readAudit(client, campaignOrRun(name, options.run));
        const lines = options.json
          ? entries.map((entry) => JSON.stringify(entry))
          : describeAudit(entries, inZone(options, { timeZone }).timeZone);
        for (const line of lines) process.stdout.write(`${line}\n`);
        say(`${formatMany(entries.length, 'entry', 'entries')} of the run ${found}`);
        return EXIT.ok;
      }),
    );
}

const waitsForApproval = ({ state, approval, approvedBy }: CampaignReport) =>
  state === 'planned' && approval === 'second-person' && approvedBy === null;

/** The newest entries, in the order in which they happened. */
async function readAudit(client: OperatorClient, campaign: string) {
  const entries: CampaignAuditEntry[] = [];
  for (let before: number | undefined; ; ) {
    const page = await client.call('GET /campaigns/{campaign}/audit', {
      campaign,
      limit: ENTRIES_PAGE,
      before,
    });
    entries.push(...page.entries);
    const { run, timeZone, next } = page;
    if (next === null || entries.length >= MAX_ENTRIES)
      return { run, timeZone, entries: entries.toReversed() };
    before = next;
  }
}

/** A blocked run is not fine. A run that a person has paused is. */
function exitCodeOf({ state, paused, blocked }: CampaignReport): number {
  if (state !== 'running') return EXIT.ok;
  const code = blocked?.code ?? paused?.code;
  return code === undefined ? EXIT.ok : exitCodeOfBlock(code);
}

/**
 * The audit of a run as text: who did what, when and why. Zero counts are left out. The only personal values are the
 * names of operators.
 */
export function describeAudit(entries: readonly CampaignAuditEntry[], timeZone: string): string[] {
  if (entries.length === 0) return [];
  const columns: readonly Column<CampaignAuditEntry>[] = [
    ['at', 'left', ({ at }) => formatTime(at, timeZone), 'keep'],
    ['by', 'left', ({ by }) => by],
    ['action', 'left', ({ action }) => action],
    ['what', 'left', ({ details }) => describeDetails(details)],
    ['reason', 'left', ({ reason }) => reason, 'cut'],
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
