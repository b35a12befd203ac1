// `sluice campaign export`: the results of a run as CSV.
import type { Command } from 'commander';
import { collect } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { formatMany } from '../../../cli/lib/terminal/format.ts';
import { openOutput } from '../../../cli/lib/terminal/output.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Input } from '../../../operator/contract/index.ts';
import { MEMBER_STATES, type MemberState } from '../constants.ts';
import type { ListedMember } from '../contract/campaign-members.ts';
import { figureLines, memberLines } from './csv.ts';
import { campaignOrRun } from './target.ts';

/** Members of a page, about 1 MB. */
const PAGE = 2000;

interface Options extends SessionOptions {
  readonly run?: string;
  readonly members: boolean;
  readonly numbers: boolean;
  readonly variables: boolean;
  readonly only: readonly string[];
  readonly code: readonly string[];
  readonly output?: string;
  readonly json: boolean;
}

export function registerCampaignExport(campaign: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(campaign.command('export'))
    .argument('<name>', 'name of the campaign')
    .description('export the results of a run as CSV: one line per wave and a total, or one line per member')
    .option('--run <id>', 'id of a run (default: the newest run)')
    .option('--members', 'export one line per member, without personal data', false)
    .option(
      '--numbers',
      'with --members: include phone numbers, and the name and e-mail address of rows whose number is not valid',
      false,
    )
    .option('--variables', 'with --members: include the variables of the flow, as JSON', false)
    .option('--only <state>', 'with --members: only members in this state; repeatable', collect, [])
    .option('--code <code>', 'with --members: only members with this code; repeatable', collect, [])
    .option('--output <file>', 'write to this file instead of stdout; only your user can read it')
    .option('--json', 'export JSON instead of CSV; with --members one object per line', false)
    .action((name: string, options: Options) => {
      const campaign = campaignOrRun(name, options.run);
      const filter = filterOf(options);
      return withOperator(options, env, { command: 'sluice campaign export' }, async (client) => {
        const report = await client.call('GET /campaigns/{campaign}/report', { campaign });
        const { json } = options;
        const output = openOutput(options.output ?? null, json ? 'text' : 'csv');
        if (!options.members && json) await output.write(`${JSON.stringify(report)}\n`);
        else if (!options.members) {
          for (const line of figureLines(report)) await output.write(line);
          const earlier = (report.waves[0]?.wave ?? 1) - 1;
          if (earlier > 0) say(`not listed, but in the total: the first ${formatMany(earlier, 'wave')}`);
        } else {
          const { titles, line } = memberLines(options);
          let count = 0;
          let goesOn = json || (await output.write(titles));
          for await (const member of membersOf(client, { ...filter, campaign: report.run })) {
            if (!goesOn) break;
            goesOn = await output.write(json ? `${JSON.stringify(member)}\n` : line(member));
            count += 1;
          }
          say(`${formatMany(count, 'member')} of the run ${report.run}`);
          if (count === 0 && report.total.audience > 0 && options.only.length + options.code.length === 0)
            say(
              'its members were deleted after the retention time; the export without --members has its figures',
            );
        }
        await output.close();
        return EXIT.ok;
      });
    });
}

type Query = Omit<Input<'POST /campaigns/{campaign}/members'>, 'after' | 'limit'>;

async function* membersOf(client: OperatorClient, query: Query): AsyncIterable<ListedMember> {
  for (let after = 0; ; ) {
    const page = await client.call('POST /campaigns/{campaign}/members', { ...query, after, limit: PAGE });
    yield* page.members;
    if (page.next === null) return;
    after = page.next;
  }
}

/** @throws CliError (usage) when an option makes no sense without another */
function filterOf({ members, numbers, variables, only, code }: Options) {
  const asks = { numbers, variables, only: only.length > 0, code: code.length > 0 };
  const [alone] = Object.entries(asks).flatMap(([name, isAsked]) => (isAsked && !members ? [name] : []));
  if (alone !== undefined) throw new CliError(EXIT.usage, `--${alone} needs --members`);
  const odd = only.find((state) => !isState(state));
  if (odd !== undefined)
    throw new CliError(EXIT.usage, `"${odd}" is not a state of a member; use ${MEMBER_STATES.join(', ')}`);
  return {
    variables,
    // Personal data is a reveal, and the audit log keeps it.
    unmask: numbers || variables,
    ...(only.length === 0 ? {} : { states: only.filter(isState) }),
    ...(code.length === 0 ? {} : { codes: [...code] }),
  };
}

function isState(text: string): text is MemberState {
  return (MEMBER_STATES as readonly string[]).includes(text);
}
