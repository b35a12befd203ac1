// `sluice campaign …`: pause, resume and cancel a run, change its rate, skip a wave, retry members, resolve unknown
// ones.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { integer } from '../../../cli/lib/arguments.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { callCommand } from '../../../cli/lib/route/call-command.ts';
import { formatCount } from '../../../cli/lib/terminal/format.ts';
import { parseCampaignRunId } from '../../../core/ids.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Input, Output } from '../../../operator/contract/index.ts';
import { CAMPAIGNS } from '../contract/campaigns.ts';

type Commanded = Output<'POST /campaigns/{campaign}/pause'>;
type Resolved = Input<'POST /campaigns/{campaign}/resolve'>;
interface ResolveOptions {
  readonly member: readonly number[];
  readonly all: boolean;
  readonly as: 'triggered' | 'not-triggered';
  readonly again: boolean;
}

const NAME = ['campaign', '<name>', 'name of the campaign, or id of a run'] as const;
const REASON = { reason: ['--reason <text>', 'reason, recorded in the audit log of the run'] } as const;
/** What the commands share. */
const STEER = {
  contract: CAMPAIGNS,
  arguments: [NAME],
  fields: REASON,
  json: 'print the result as JSON',
} as const;

const as =
  (action: string) =>
  ({ account, campaign, run, members }: Commanded) => ({ account, campaign, run, action, members });
const people = (members: number) => (members === 1 ? '1 member' : `${formatCount(members)} members`);

export function registerCampaignCommands(campaign: Command, env: NodeJS.ProcessEnv): void {
  callCommand(campaign, env, {
    ...STEER,
    name: 'pause',
    about: 'pause a run; returns when no trigger is in flight',
    route: 'POST /campaigns/{campaign}/pause',
    asJson: as('pause'),
    text: ({ campaign: of }) => `${of} is paused; continue with \`sluice campaign resume ${of}\``,
  });

  callCommand(campaign, env, {
    ...STEER,
    name: 'resume',
    about: 'resume a paused run',
    route: 'POST /campaigns/{campaign}/resume',
    asJson: as('resume'),
    text: ({ campaign: of }) => `${of} continues`,
  });

  callCommand(campaign, env, {
    ...STEER,
    name: 'cancel',
    about: 'cancel a run or a plan; completed triggers are kept',
    route: 'POST /campaigns/{campaign}/cancel',
    confirms: (client, input) =>
      describeFar(client, input.campaign, 'nobody else of this run will be triggered'),
    asJson: as('cancel'),
    text: ({ members, campaign: of }) => `${of} is cancelled; ${people(members)} will not be triggered`,
  });

  callCommand(campaign, env, {
    ...STEER,
    name: 'rate',
    about: 'set the maximum number of triggers per minute',
    route: 'POST /campaigns/{campaign}/rate',
    arguments: [
      NAME,
      [
        'callsPerMinute',
        '<per-minute>',
        'maximum number of triggers per minute, or none for no limit but the budget',
        rateOf,
      ],
    ],
    asJson: as('rate'),
    text: ({ campaign: of }, { input: { callsPerMinute: rate } }) =>
      `${of} triggers ${rate === null ? 'as the budget allows' : `${formatCount(rate)} a minute`}`,
  });

  callCommand(campaign, env, {
    ...STEER,
    name: 'skip-wave',
    about: 'skip the rest of the current wave, or between two waves the next wave',
    route: 'POST /campaigns/{campaign}/skip-wave',
    confirms: (client, input) =>
      describeFar(client, input.campaign, 'the members of a wave will not be triggered'),
    asJson: as('skipWave'),
    text: ({ members, campaign: of }) =>
      `${people(members)} of ${of} ${members === 1 ? 'is' : 'are'} skipped`,
  });

  callCommand(campaign, env, {
    ...STEER,
    name: 'retry',
    about: 'retry failed members in a wave of their own, also after the run has finished',
    route: 'POST /campaigns/{campaign}/retry',
    fields: { ...REASON, codes: ['--code <code>', 'retry only members that failed with this code'] },
    asJson: as('retry'),
    text: ({ members, campaign: of }, { input: { codes } }) =>
      members === 0
        ? `nobody of ${of} failed${codes ? ` with ${codes.join(', ')}` : ''}`
        : `${people(members)} of ${of} will be tried again`,
  });

  callCommand(campaign, env, {
    ...STEER,
    name: 'resolve',
    about: 'record the outcome of members whose outcome is unknown, also after the run has finished',
    route: 'POST /campaigns/{campaign}/resolve',
    flags: withMembers,
    fields: {
      ...REASON,
      again: ['--again', 'trigger these members again; only with --as not-triggered'],
    },
    input: (given, options: ResolveOptions) => ({ ...given, ...resolveOf(options) }),
    asJson: as('resolve'),
    text: ({ members, campaign: of }, { input }) =>
      members === 0
        ? `nobody of ${of} is unknown`
        : `${people(members)} of ${of} ${outcomeOf(input, members)}`,
  });
}

function withMembers(command: Command): Command {
  return command
    .option(
      '--member <ids...>',
      'resolve these members, by the ids of `sluice campaign export`',
      memberIds,
      [],
    )
    .option('--all', 'resolve all members whose outcome is unknown', false)
    .addOption(
      new Option('--as <outcome>', 'what happened: the flow ran, or it did not')
        .choices(['triggered', 'not-triggered'])
        .makeOptionMandatory(),
    );
}

/** What the command does to the run. Without a run there is nothing to show, and the command says why. */
async function describeFar(client: OperatorClient, name: string, effect: string): Promise<string[]> {
  const named = parseCampaignRunId(name);
  const filter = named === null ? { campaign: name } : { account: named.account, campaign: named.campaign };
  const { runs } = await client.call('GET /campaign-runs', { ...filter, limit: 200 });
  const found =
    named === null
      ? (runs.find(({ state }) => state === 'running') ?? runs.find(({ state }) => state === 'planned'))
      : runs.find(({ run }) => run === name);
  if (found === undefined) return [];
  const { run, state, total } = found;
  const done = `${formatCount(total.triggered)} of ${people(total.eligible)} triggered`;
  return [`${effect}: ${run}, ${state}, ${done}`];
}

/** Triggers per minute; null: no own limit. */
function rateOf(text: string): number | null {
  if (text === 'none') return null;
  try {
    return integer({ min: 1, max: 100_000 })(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CliError(EXIT.usage, `"${text}" is not a rate: write a whole number from 1 to 100000, or none`);
  }
}

const parseId = integer({ min: 1 });
const memberIds = (text: string, previous: readonly number[]) => [...previous, parseId(text)];

/** @throws CliError (usage) */
function resolveOf({ member, all, as, again }: ResolveOptions) {
  if (all === member.length > 0)
    throw new CliError(EXIT.usage, 'name the members: their ids with --member, or --all');
  if (again && as === 'triggered')
    throw new CliError(EXIT.usage, '--again needs --as not-triggered, because it triggers members again');
  const outcome = as === 'triggered' ? ('triggered' as const) : ('notTriggered' as const);
  return { members: all ? null : member, as: outcome };
}

function outcomeOf({ as, again }: Pick<Resolved, 'as' | 'again'>, members: number): string {
  if (again === true) return 'will be triggered again';
  const outcome = as === 'triggered' ? 'as triggered' : 'as failed, with NOT_TRIGGERED';
  return `${members === 1 ? 'counts' : 'count'} ${outcome}`;
}
