// `sluice campaign …`: pause, resume and cancel a run, change its rate, skip a wave, retry members, resolve unknown
// ones.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CampaignCommandResult } from '../../contracts/wire/campaign.ts';
import { collect, integer } from '../lib/arguments.ts';
import { confirm, requireAnswer, withYes } from '../lib/confirm.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount } from '../lib/format.ts';
import { runCommand } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { connectClient, openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { resolveCampaign, runsOf } from './campaign-find.ts';
import { commandCampaign, resolveRun, type SteeringCommand } from './command-campaign.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly reason: string;
  /** Of commands that ask. */
  readonly yes?: boolean;
}
type Said = SteeringCommand extends infer OperatorCommand
  ? OperatorCommand extends SteeringCommand
    ? Omit<OperatorCommand, 'by' | 'reason'>
    : never
  : never;
type Report = (members: number, name: string) => string;

interface ResolveOptions extends Options {
  readonly member: readonly number[];
  readonly all: boolean;
  readonly as: 'triggered' | 'not-triggered';
  readonly again: boolean;
}

/** Number of runs to search. */
const RUNS = 200;

const FAR = {
  cancel: 'nobody else of this run will be triggered',
  skipWave: 'the members of a wave will not be triggered',
} as const;

const people = (members: number) => (members === 1 ? '1 member' : `${formatCount(members)} members`);

export function registerCampaignCommands(campaign: Command, env: NodeJS.ProcessEnv): void {
  /** Defines a command with the options that all of them share. */
  const command = (verb: string, description: string) =>
    withSessionOptions(campaign.command(verb))
      .description(description)
      .argument('<name>', 'name of the campaign, or id of a run')
      .option('--reason <text>', 'reason, recorded in the audit log of the run', '')
      .option('--json', 'print the result as JSON', false);

  const operatorCommand = async (name: string, options: Options, said: Said, report: Report) => {
    const far = said.action === 'cancel' || said.action === 'skipWave' ? said.action : null;
    if (far !== null) requireAnswer(options.yes === true);
    process.exitCode = await runCommand(async (shutdown) => {
      const target = resolveCampaign(await openConfig(options.config, env), name);
      const client = await connectClient(options.state, env, shutdown);
      if (far !== null) {
        const found = await runsOf(client, target, RUNS);
        const { run } = resolveRun(target, far, found);
        const { state, total } = found.find((each) => each.run === run) ?? {};
        const done = `${formatCount(total?.triggered ?? 0)} of ${people(total?.eligible ?? 0)} triggered`;
        const what = [`${FAR[far]}: ${run}, ${state}, ${done}`];
        await confirm({ what, yes: options.yes === true, signal: shutdown.signal });
      }
      const doing = { ...said, by: operatorName(), reason: options.reason } as SteeringCommand;
      const { run, members }: CampaignCommandResult & { run: string } = await commandCampaign(
        client,
        target,
        doing,
      );
      const { account, campaign } = target;
      const result = { account, campaign, run, action: said.action, members };
      process.stdout.write(`${options.json ? JSON.stringify(result) : report(members, campaign)}\n`);
      return EXIT.ok;
    });
  };

  command('pause', 'pause a run; returns when no trigger is in flight').action(
    (name: string, options: Options) =>
      operatorCommand(
        name,
        options,
        { action: 'pause' },
        (_, of) => `${of} is paused; continue with \`sluice campaign resume ${of}\``,
      ),
  );

  command('resume', 'resume a paused run').action((name: string, options: Options) =>
    operatorCommand(name, options, { action: 'resume' }, (_, of) => `${of} continues`),
  );

  withYes(command('cancel', 'cancel a run or a plan; completed triggers are kept')).action(
    (name: string, options: Options) =>
      operatorCommand(
        name,
        options,
        { action: 'cancel' },
        (members, of) => `${of} is cancelled; ${people(members)} will not be triggered`,
      ),
  );

  command('rate', 'set the maximum number of triggers per minute')
    .argument('<per-minute>', 'maximum number of triggers per minute, or none for no limit but the budget')
    .action((name: string, text: string, options: Options) => {
      const callsPerMinute = rateOf(text);
      const rate =
        callsPerMinute === null ? 'as the budget allows' : `${formatCount(callsPerMinute)} a minute`;
      return operatorCommand(
        name,
        options,
        { action: 'rate', callsPerMinute },
        (_, of) => `${of} triggers ${rate}`,
      );
    });

  withYes(
    command('skip-wave', 'skip the rest of the current wave, or between two waves the next wave'),
  ).action((name: string, options: Options) =>
    operatorCommand(
      name,
      options,
      { action: 'skipWave' },
      (members, of) => `${people(members)} of ${of} ${members === 1 ? 'is' : 'are'} skipped`,
    ),
  );

  command('retry', 'retry failed members in a wave of their own, also after the run has finished')
    .option('--code <code>', 'retry only members that failed with this code; repeatable', collect, [])
    .action((name: string, options: Options & { readonly code: readonly string[] }) => {
      const codes = options.code.length === 0 ? null : options.code;
      return operatorCommand(name, options, { action: 'retry', codes }, (members, of) =>
        members === 0
          ? `nobody of ${of} failed${codes === null ? '' : ` with ${codes.join(', ')}`}`
          : `${people(members)} of ${of} will be tried again`,
      );
    });

  command(
    'resolve',
    'record the outcome of members whose outcome is unknown, also after the run has finished',
  )
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
    )
    .option('--again', 'trigger these members again; only with --as not-triggered', false)
    .action((name: string, options: ResolveOptions) => {
      const said = resolveOf(options);
      return operatorCommand(name, options, said, (members, of) =>
        members === 0
          ? `nobody of ${of} is unknown`
          : `${people(members)} of ${of} ${outcomeOf(options, members)}`,
      );
    });
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

function resolveOf({ member, all, as, again }: ResolveOptions): Extract<Said, { action: 'resolve' }> {
  if (all === member.length > 0)
    throw new CliError(EXIT.usage, 'name the members: their ids with --member, or --all');
  if (again && as === 'triggered')
    throw new CliError(EXIT.usage, '--again needs --as not-triggered, because it triggers members again');
  const outcome = as === 'triggered' ? 'triggered' : 'notTriggered';
  return { action: 'resolve', members: all ? null : member, as: outcome, again };
}

function outcomeOf({ as, again }: ResolveOptions, members: number): string {
  if (again) return 'will be triggered again';
  const outcome = as === 'triggered' ? 'as triggered' : 'as failed, with NOT_TRIGGERED';
  return `${members === 1 ? 'counts' : 'count'} ${outcome}`;
}
