// `sluice poll …`: start, inspect, pause, resume, wake and stop pollers.
import type { Command } from 'commander';
import {
  type OperatorCommand,
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
} from '../../../workflows/messages.ts';
import type { PollerName } from '../../contracts/wire/poll.ts';
import { startPollers } from '../../runtime/pollers.ts';
import { integer } from '../lib/arguments.ts';
import { EXIT, exitCodeOfBlock } from '../lib/exit.ts';
import { formatCount, formatMany } from '../lib/format.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { connectClient, openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { warnWithoutWorker } from '../sync/run-sync.ts';
import { commandPoller, stopPoller } from './command-poller.ts';
import { describeGap, describePollers } from './describe-poller.ts';
import { findPollers, knownNames, listGaps, type Opened, resolvePoller } from './poll-find.ts';

type Options = SessionOptions & { readonly json: boolean };
type ReasonOptions = Options & { readonly reason: string };

export function registerPoll(program: Command, env: NodeJS.ProcessEnv): void {
  const poll = program
    .command('poll')
    .description('start, steer and inspect pollers, which publish the conversations of accounts');

  /** `choose` checks the configuration before anything connects, so that a mistyped name fails without a server. */
  const withChosen = async <T>(
    options: SessionOptions,
    choose: (loaded: Omit<Opened, 'client'>) => T,
    work: (opened: Opened, chosen: T) => Promise<number>,
  ) => {
    process.exitCode = await runCommand(async (shutdown) => {
      const loaded = await openConfig(options.config, env);
      const chosen = choose(loaded);
      const { config, file } = loaded;
      return await work({ config, file, client: await connectClient(options.state, env, shutdown) }, chosen);
    });
  };
  const withOpened = (options: SessionOptions, work: (opened: Opened) => Promise<number>) =>
    withChosen(options, () => undefined, work);

  withSessionOptions(poll.command('start').argument('[names...]', 'names of pollers'))
    .description('start the given pollers, or all of the configuration; active pollers are left alone')
    .option('--json', 'print the started pollers as JSON', false)
    .action((given: string[], options: Options) =>
      withChosen(
        options,
        (loaded) => knownNames(loaded, given),
        async ({ client, config }, names) => {
          const pollers = await startPollers({ client, config, names });
          if (pollers.some(({ started }) => started)) await warnWithoutWorker(client);
          if (options.json) print({ pollers });
          else
            for (const { poller, account, started } of pollers)
              line(`${poller} (account ${account}): ${started ? 'started' : 'runs already'}`);
          return EXIT.ok;
        },
      ),
    );

  withSessionOptions(poll.command('status').argument('[names...]', 'names of pollers'))
    .description('show the state, the lag, the calls and the problems of pollers')
    .option('--json', 'print the pollers as JSON', false)
    .action((names: string[], options: Options) =>
      withOpened(options, async (opened) => {
        const pollers = await findPollers(opened, names);
        if (options.json) print({ pollers });
        else if (pollers.length === 0) say(`${opened.file} has no pollers, and none has ever run`);
        else for (const each of describePollers(pollers)) line(each);
        const blocked = pollers.find(({ state }) => state === 'blocked')?.blocked ?? null;
        return blocked === null ? EXIT.ok : exitCodeOfBlock(blocked.code);
      }),
    );

  withSessionOptions(poll.command('gaps').argument('[names...]', 'names of pollers'))
    .description('list periods and conversations with possibly missing messages, newest first')
    .option('--json', 'print one JSON object per line', false)
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: 5000 }), 100)
    .action((names: string[], options: Options & { readonly limit: number }) =>
      withOpened(options, async (opened) => {
        const gaps = await listGaps(opened, names, options.limit);
        for (const gap of gaps) line(options.json ? JSON.stringify(gap) : describeGap(gap));
        say(
          `${formatMany(gaps.length, 'gap')}${gaps.length === options.limit ? ', and perhaps more: see --limit' : ''}`,
        );
        return EXIT.ok;
      }),
    );

  const each = (
    verb: string,
    description: string,
    operatorCommand: (opened: Opened, poller: PollerName, options: ReasonOptions) => Promise<Done>,
    withReason = true,
  ) => {
    const command = withSessionOptions(
      poll.command(verb).argument('<name>', 'name of the poller, or account/name'),
    )
      .description(description)
      .option('--json', 'print the result as JSON', false);
    if (withReason) command.option('--reason <text>', 'reason, recorded with the poller', '');
    command.action((name: string, options: ReasonOptions) =>
      withChosen(
        options,
        (loaded) => resolvePoller(loaded, name),
        async (opened, poller) => {
          const { text, ...result } = await operatorCommand(opened, poller, options);
          if (options.json) print({ ...poller, ...result });
          else line(text);
          return EXIT.ok;
        },
      ),
    );
  };
  const by = ({ reason }: ReasonOptions): OperatorCommand => ({ by: operatorName(), reason });
  const reported = (options: ReasonOptions): { args: [OperatorCommand]; waitForStage: 'ACCEPTED' } => ({
    args: [by(options)],
    waitForStage: 'ACCEPTED',
  });

  each(
    'stop',
    'stop a poller; a later start continues where it stopped',
    async ({ client }, poller, options) => {
      await stopPoller(client, poller, by(options));
      return {
        stopped: true,
        text: `${poller.poller} has stopped; continue with \`sluice poll start ${poller.poller}\``,
      };
    },
  );

  each('pause', 'pause; returns when no call is in flight', async (opened, poller, options) => {
    await commandPoller(opened.client, poller, (handle) =>
      handle.startUpdate(pausePollingUpdate, reported(options)),
    );
    return {
      paused: true,
      text: `${poller.poller} is paused; continue with \`sluice poll resume ${poller.poller}\``,
    };
  });

  each('resume', 'resume a poller and retry blocked work at once', async (opened, poller, options) => {
    await commandPoller(opened.client, poller, (handle) =>
      handle.startUpdate(resumePollingUpdate, reported(options)),
    );
    return { paused: false, text: `${poller.poller} continues` };
  });

  each(
    'now',
    'poll now; returns when all news is imported',
    async (opened, poller) => {
      const imported = async () => {
        const found = await findPollers(opened, [`${poller.account}/${poller.poller}`]);
        return found[0]?.messages ?? 0;
      };
      const before = await imported();
      await commandPoller(opened.client, poller, (handle) =>
        handle.startUpdate(pollNowUpdate, { waitForStage: 'ACCEPTED' }),
      );
      const messages = (await imported()) - before;
      const some = messages === 1 ? '1 new message' : `${formatCount(messages)} new messages`;
      return { messages, text: `${poller.poller} was polled: ${messages === 0 ? 'nothing new' : some}` };
    },
    false,
  );
}

/** The result of a command: `text` for people, the rest for `--json`. */
type Done = Readonly<Record<string, unknown>> & { readonly text: string };

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

function print(value: unknown): void {
  line(JSON.stringify(value));
}
