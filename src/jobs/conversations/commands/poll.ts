// `sluice poll …`: start, inspect, pause, resume, wake and stop pollers.
import type { Command } from 'commander';
import { integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import type { Connected } from '../../../cli/lib/connect/connected.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT, exitCodeOfBlock } from '../../../cli/lib/exit.ts';
import { formatCount, formatMany } from '../../../cli/lib/terminal/format.ts';
import { printList } from '../../../cli/lib/terminal/list.ts';
import { printEntries, printJson } from '../../../cli/lib/terminal/print.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import { OperatorError } from '../../../operator/error.ts';
import { describePollers, gapColumns } from './describe-poller.ts';

type Options = SessionOptions & { readonly json: boolean };
type ReasonOptions = Options & { readonly reason: string };

export function registerPoll(program: Command, env: NodeJS.ProcessEnv): void {
  const poll = program
    .command('poll')
    .description('start, steer and inspect pollers, which publish the conversations of accounts');

  const run = (
    options: SessionOptions,
    verb: string,
    work: (client: OperatorClient, connected: Connected) => Promise<number>,
  ) => withOperator(options, env, { command: `sluice poll ${verb}`, configured: verb === 'start' }, work);

  withSessionOptions(poll.command('start').argument('[names...]', 'names of pollers'))
    .description('start the given pollers, or all of the configuration; active pollers are left alone')
    .option('--json', 'print one JSON object per line', false)
    .action((given: string[], options: Options) =>
      run(options, 'start', async (client, { where }) => {
        const { pollers, workers } = await client.call('POST /pollers/start', { names: namesOf(given) });
        if (where === 'here') say('no service runs: they poll when you start `sluice dev`');
        else if (!workers) say('no worker runs yet: they wait until one is started (`sluice worker`)');
        if (options.json) printEntries(pollers);
        else
          for (const { poller, account, started } of pollers)
            line(`${poller} (account ${account}): ${started ? 'started' : 'runs already'}`);
        return EXIT.ok;
      }),
    );

  withSessionOptions(poll.command('status').argument('[names...]', 'names of pollers'))
    .description('show the state, the lag, the calls and the problems of pollers')
    .option('--json', 'print one JSON object per line', false)
    .action((given: string[], options: Options) =>
      run(options, 'status', async (client) => {
        const { pollers } = await client.call('GET /pollers', { names: namesOf(given) });
        if (options.json) printEntries(pollers);
        else if (pollers.length === 0) say('the configuration has no pollers, and none has ever run');
        else for (const each of describePollers(pollers)) line(each);
        const blocked = pollers.find(({ state }) => state === 'blocked')?.blocked ?? null;
        return blocked === null ? EXIT.ok : exitCodeOfBlock(blocked.code);
      }),
    );

  withSessionOptions(poll.command('gaps').argument('[names...]', 'names of pollers'))
    .description('list periods and conversations with possibly missing messages, newest first')
    .option('--json', 'print one JSON object per line', false)
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: 5000 }), 100)
    .action((given: string[], options: Options & { readonly limit: number }) =>
      run(options, 'gaps', async (client) => {
        const names = namesOf(given);
        const { count, more } = await printList({
          json: options.json,
          limit: options.limit,
          columns: gapColumns(),
          async read(limit, before: string | undefined) {
            const { gaps: items, next } = await client.call('GET /gaps', { names, limit, before });
            return { items, next };
          },
        });
        say(`${formatMany(count, 'gap')}${more ? ', and there are more: see --limit' : ''}`);
        return EXIT.ok;
      }),
    );

  const each = (
    verb: string,
    description: string,
    operatorCommand: (
      client: OperatorClient,
      input: { readonly poller: string; readonly reason: string },
    ) => Promise<Done>,
    withReason = true,
  ) => {
    const command = withSessionOptions(
      poll.command(verb).argument('<name>', 'name of the poller, or account/name'),
    )
      .description(description)
      .option('--json', 'print the result as JSON', false);
    if (withReason) command.option('--reason <text>', 'reason, recorded with the poller', '');
    command.action((poller: string, options: ReasonOptions) =>
      run(options, verb, async (client) => {
        const { reason } = options;
        const { text, result } = await operatorCommand(client, { poller, reason }).catch(blocked);
        if (options.json) printJson(result);
        else line(text);
        return EXIT.ok;
      }),
    );
  };

  each('stop', 'stop a poller; a later start continues where it stopped', async (client, input) => {
    const result = await client.call('POST /pollers/{poller}/stop', input);
    const { poller } = result;
    return { result, text: `${poller} has stopped; continue with \`sluice poll start ${poller}\`` };
  });

  each('pause', 'pause; returns when no call is in flight', async (client, input) => {
    const result = await client.call('POST /pollers/{poller}/pause', input);
    const { poller } = result;
    return { result, text: `${poller} is paused; continue with \`sluice poll resume ${poller}\`` };
  });

  each('resume', 'resume a poller and retry blocked work at once', async (client, input) => {
    const result = await client.call('POST /pollers/{poller}/resume', input);
    return { result, text: `${result.poller} continues` };
  });

  each(
    'now',
    'poll now; returns when all news is imported',
    async (client, { poller: name }) => {
      const result = await client.call('POST /pollers/{poller}/now', { poller: name });
      const { poller, messages } = result;
      const some = messages === 1 ? '1 new message' : `${formatCount(messages)} new messages`;
      return { result, text: `${poller} was polled: ${messages === 0 ? 'nothing new' : some}` };
    },
    false,
  );
}

/** The result of a command: `text` for people, `result` for `--json`. */
interface Done {
  readonly result: object;
  readonly text: string;
}

const namesOf = (given: readonly string[]) => (given.length === 0 ? undefined : given);

/** A refusal of the service ends with the exit code that its code has in every command. */
function blocked(error: unknown): never {
  if (error instanceof OperatorError && error.code?.startsWith('ERR_') === true)
    throw new CliError(exitCodeOfBlock(error.code), error.message, { cause: error });
  throw error;
}

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}
