// `sluice campaign …`: pause, resume and cancel a run, change its rate, skip a wave, retry members, resolve unknown
// ones.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { collect, integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { confirm, requireAnswer, withYes } from '../../../cli/lib/terminal/confirm.ts';
import { formatCount } from '../../../cli/lib/terminal/format.ts';
import { parseCampaignRunId } from '../../../core/ids.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Output } from '../../../operator/contract/index.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly reason: string;
}

interface FarOptions extends Options {
  readonly yes: boolean;
}

type Commanded = Output<'POST /campaigns/{campaign}/pause'>;

/** A command: its name in the result, the call, and its result in words. */
interface Steering {
  readonly action: string;
  call(client: OperatorClient, target: { campaign: string; reason: string }): Promise<Commanded>;
  report(members: number, campaign: string): string;
}

interface ResolveOptions extends Options {
  readonly member: readonly number[];
  readonly all: boolean;
  readonly as: 'triggered' | 'not-triggered';
  readonly again: boolean;
}

const people = (members: number) => (members === 1 ? '1 member' : `${formatCount(members)} members`);

export function registerCampaignCommands(campaign: Command, env: NodeJS.ProcessEnv): void {
  /** Defines a command with the options that all of them share. */
  const command = (verb: string, description: string) =>
    withSessionOptions(campaign.command(verb))
      .description(description)
      .argument('<name>', 'name of the campaign, or id of a run')
      .option('--reason <text>', 'reason, recorded in the audit log of the run', '')
      .option('--json', 'print the result as JSON', false);

  const steer = (name: string, options: Options, { action, call, report }: Steering) =>
    withOperator(options, env, { command: `sluice campaign ${action} ${name}` }, async (client) => {
      const target = { campaign: name, reason: options.reason };
      const { account, campaign, run, members } = await call(client, target);
      const result = { account, campaign, run, action, members };
      process.stdout.write(`${options.json ? JSON.stringify(result) : report(members, campaign)}\n`);
      return EXIT.ok;
    });

  command('pause', 'pause a run; returns when no trigger is in flight').action(
    (name: string, options: Options) =>
      steer(name, options, {
        action: 'pause',
        call: (client, target) => client.call('POST /campaigns/{campaign}/pause', target),
        report: (_, of) => `${of} is paused; continue with \`sluice campaign resume ${of}\``,
      }),
  );

  command('resume', 'resume a paused run').action((name: string, options: Options) =>
    steer(name, options, {
      action: 'resume',
      call: (client, target) => client.call('POST /campaigns/{campaign}/resume', target),
      report: (_, of) => `${of} continues`,
    }),
  );

  withYes(command('cancel', 'cancel a run or a plan; completed triggers are kept')).action(
    (name: string, options: FarOptions) => {
      requireAnswer(options.yes);
      return steer(name, options, {
        action: 'cancel',
        async call(client, target) {
          const what = await describeFar(client, name, 'nobody else of this run will be triggered');
          await confirm({ what, yes: options.yes });
          return await client.call('POST /campaigns/{campaign}/cancel', target);
        },
        report: (members, of) => `${of} is cancelled; ${people(members)} will not be triggered`,
      });
    },
  );

  command('rate', 'set the maximum number of triggers per minute')
    .argument('<per-minute>', 'maximum number of triggers per minute, or none for no limit but the budget')
    .action((name: string, text: string, options: Options) => {
      const callsPerMinute = rateOf(text);
      const rate =
        callsPerMinute === null ? 'as the budget allows' : `${formatCount(callsPerMinute)} a minute`;
      return steer(name, options, {
        action: 'rate',
        call: (client, { campaign: target, reason }) =>
          client.call('POST /campaigns/{campaign}/rate', { campaign: target, reason, callsPerMinute }),
        report: (_, of) => `${of} triggers ${rate}`,
      });
    });

  withYes(
    command('skip-wave', 'skip the rest of the current wave, or between two waves the next wave'),
  ).action((name: string, options: FarOptions) => {
    requireAnswer(options.yes);
    return steer(name, options, {
      action: 'skipWave',
      async call(client, target) {
        const what = await describeFar(client, name, 'the members of a wave will not be triggered');
        await confirm({ what, yes: options.yes });
        return await client.call('POST /campaigns/{campaign}/skip-wave', target);
      },
      report: (members, of) => `${people(members)} of ${of} ${members === 1 ? 'is' : 'are'} skipped`,
    });
  });

  command('retry', 'retry failed members in a wave of their own, also after the run has finished')
    .option('--code <code>', 'retry only members that failed with this code; repeatable', collect, [])
    .action((name: string, options: Options & { readonly code: readonly string[] }) => {
      const codes = options.code.length === 0 ? null : options.code;
      return steer(name, options, {
        action: 'retry',
        call: (client, { campaign: target, reason }) =>
          client.call('POST /campaigns/{campaign}/retry', { campaign: target, reason, codes }),
        report: (members, of) =>
          members === 0
            ? `nobody of ${of} failed${codes === null ? '' : ` with ${codes.join(', ')}`}`
            : `${people(members)} of ${of} will be tried again`,
      });
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
      const { members: ids, as, again } = resolveOf(options);
      return steer(name, options, {
        action: 'resolve',
        call: (client, { campaign: target, reason }) =>
          client.call('POST /campaigns/{campaign}/resolve', {
            campaign: target,
            reason,
            members: ids,
            as,
            again,
          }),
        report: (members, of) =>
          members === 0
            ? `nobody of ${of} is unknown`
            : `${people(members)} of ${of} ${outcomeOf(options, members)}`,
      });
    });
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

function resolveOf({ member, all, as, again }: ResolveOptions) {
  if (all === member.length > 0)
    throw new CliError(EXIT.usage, 'name the members: their ids with --member, or --all');
  if (again && as === 'triggered')
    throw new CliError(EXIT.usage, '--again needs --as not-triggered, because it triggers members again');
  const outcome = as === 'triggered' ? ('triggered' as const) : ('notTriggered' as const);
  return { members: all ? null : member, as: outcome, again };
}

function outcomeOf({ as, again }: ResolveOptions, members: number): string {
  if (again) return 'will be triggered again';
  const outcome = as === 'triggered' ? 'as triggered' : 'as failed, with NOT_TRIGGERED';
  return `${members === 1 ? 'counts' : 'count'} ${outcome}`;
}
