// `sluice message`: operators send messages by hand. Sluice accepts them as events, with the same order, budget and
// handling of lost answers as every other message.
import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { collect, integer } from '../../../../cli/lib/arguments.ts';
import { connectOperator, withOperator } from '../../../../cli/lib/connect/connect.ts';
import type { Connected } from '../../../../cli/lib/connect/connected.ts';
import { runCommand, say } from '../../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { readText } from '../../../../cli/lib/read-file.ts';
import { printLines } from '../../../../cli/lib/terminal/print.ts';
import type { Shutdown } from '../../../../core/shutdown.ts';
import { OperatorError } from '../../../../operator/error.ts';
import type { DeliveryEntry } from '../../contract/events.ts';
import { readFiles } from './message-files.ts';
import {
  describeMessage,
  describeState,
  exitCodeOf,
  probe,
  untilDelivered,
  untilEnded,
} from './message-follow.ts';
import { type MessageOptions, requestOf } from './message-request.ts';

type SendOptions = MessageOptions &
  SessionOptions & {
    readonly account: string;
    readonly key?: string;
    readonly toOptedOut: boolean;
    readonly wait: boolean;
    readonly follow: boolean;
    readonly json: boolean;
  };

export function registerMessage(program: Command, env: NodeJS.ProcessEnv): void {
  const message = program
    .command('message')
    .description('send a message, reply in a conversation, or show the status of a message');
  const action = async (options: SendOptions) => {
    process.exitCode = await runCommand((shutdown) => send(options, env, shutdown));
  };

  withContent(
    message
      .command('send')
      .description('send a message to a number; creates the contact and the conversation if needed')
      .requiredOption('--account <name>', 'account to send from')
      .requiredOption('--to <number>', 'phone number, with + and country code unless --country is set')
      .option(
        '--country <code>',
        'ISO 3166 code of the country for a number without country code, for example BR',
      )
      .option('--connection <id|name>', 'outgoing connection (default: the service chooses)')
      .option('--name <name>', 'name of the contact, if it is created'),
  ).action(action);

  withContent(
    message
      .command('reply')
      .description('reply in an open conversation')
      .requiredOption('--account <name>', 'account of the conversation')
      .requiredOption('--conversation <id>', 'id of the conversation', integer({ min: 1 })),
  ).action(action);

  withSessionOptions(message.command('status').argument('<event>', 'id of the event, as sending printed it'))
    .description('show the status of a message')
    .option('--json', 'print JSON', false)
    .action((event: string, options: SessionOptions & { json: boolean }) =>
      withOperator(options, env, { command: 'sluice message status' }, async (client) => {
        const state = await probe(client, event);
        if (state === null)
          throw new CliError(
            EXIT.notFound,
            `there is no event "${event}"; \`sluice message send\` prints its id`,
          );
        printLines(options.json ? [JSON.stringify(state)] : describeState(state));
        return EXIT.ok;
      }),
    );
}

function withContent(command: Command): Command {
  return withSessionOptions(command)
    .option('--text <text>', 'text; visible in the process list, so prefer --text-file')
    .option('--text-file <file>', 'file with the text in UTF-8, or - for stdin')
    .option(
      '--template <name>',
      'approved template, the only content delivered outside the 24-hour window of waba',
    )
    .option('--language <code>', 'language of the template, for example pt_BR')
    .option('--param <text>', 'parameter of the template; repeatable, in order', collect, [])
    .option('--file <path>', 'local file to attach; repeatable', collect, [])
    .option(
      '--media <url>',
      'URL of a file to attach, on a host in operator.media.hosts; repeatable',
      collect,
      [],
    )
    .addOption(
      new Option('--outside-window <what>', 'what to do if the 24-hour window is closed')
        .choices(['refuse', 'template', 'send'])
        .default('refuse'),
    )
    .option(
      '--to-opted-out',
      'send to a person who opted out, too: for transactional messages, and answers to what the person wrote',
      false,
    )
    .option('--key <key>', 'idempotency key; a message is sent once per key (default: random)')
    .option('--no-wait', 'return as soon as the message is accepted')
    .option('--follow', 'wait until the message is read or failed', false)
    .option('--json', 'print JSON; the last line is the result', false);
}

async function send(options: SendOptions, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<number> {
  const { account, json, wait, follow, toOptedOut } = options;
  if (follow && !wait) throw new CliError(EXIT.usage, '--follow and --no-wait exclude each other');
  const key = keyOf(options.key);
  const request = await requestOf(options, (file) => readText('--text-file', file));
  const files = await readFiles(options.file);
  const connected = await connectOperator(options, env, shutdown, {
    command: 'sluice message',
    creates: wait,
  });
  if (connected.where === 'here' && !wait)
    throw new CliError(
      EXIT.unavailable,
      `no Sluice runs on ${options.state} that would send it: leave --no-wait out, or start \`sluice dev\``,
    );
  const { client } = connected;
  const { event, duplicate } = await repeatable(key, shutdown, async () => {
    const uploads: string[] = [];
    for (const file of files)
      uploads.push((await client.call('POST /messages/files', { account, ...file })).upload);
    const whole = uploads.length === 0 ? request : { ...request, uploads };
    return await client.call('POST /messages', {
      account,
      key,
      request: whole,
      // An older Sluice refuses the field, so it is sent only where it matters.
      ...(toOptedOut && { toOptedOut }),
    });
  });
  say(`accepted as event ${event}, key ${key}`);
  if (duplicate) say('it was accepted before under this key; the first message counts');
  if (!wait) {
    printLines([json ? JSON.stringify({ id: event, account, key, duplicate }) : event]);
    return EXIT.ok;
  }
  return await watch(connected, event, { follow, json, more: { key, duplicate } }, shutdown);
}

function keyOf(given: string | undefined): string {
  if (given === undefined) return randomUUID();
  const key = given.trim();
  if (key === '' || key.length > 255) throw new CliError(EXIT.usage, '--key has 1 to 255 characters');
  return key;
}

/** Every failure can be retried without sending twice. If the outcome is unclear, the error says how. */
async function repeatable<T>(key: string, shutdown: Shutdown, work: () => Promise<T>): Promise<T> {
  const again = `repeat with --key ${key}: it is sent once only`;
  const stopped = () => say(`stopped; the message may have been accepted; ${again}`);
  shutdown.signal.addEventListener('abort', stopped, { once: true });
  try {
    return await work();
  } catch (error) {
    throw explain(error, again);
  } finally {
    shutdown.signal.removeEventListener('abort', stopped);
  }
}

function explain(error: unknown, again: string): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { kind, code, retryAfterMs, message } = error;
  if (kind !== 'unavailable' && kind !== 'failed' && kind !== 'tooMany') return error;
  return new OperatorError(kind, `${message}; ${again}`, {
    code,
    retryAfterMs,
    cause: error,
  });
}

interface WatchOptions {
  readonly follow: boolean;
  readonly json: boolean;
  /** Further fields of `--json`. */
  readonly more: object;
}

async function watch(
  { client, where, failed }: Connected,
  event: string,
  { follow, json, more }: WatchOptions,
  shutdown: Shutdown,
): Promise<number> {
  const later = `event ${event} continues${where === 'here' ? ' when Sluice runs again' : ''}; see \`sluice message status ${event}\``;
  const left = () => say(later);
  shutdown.signal.addEventListener('abort', left, { once: true });
  try {
    const watching = { client, event, signal: shutdown.signal, say };
    let state = await Promise.race([untilEnded(watching), failed]);
    if (follow) {
      if (!json) printLines(describeState({ ...state, messages: [] }));
      if (state.messages.length === 0) say('there is no message to follow');
      const reported = (message: DeliveryEntry) =>
        printLines([json ? JSON.stringify(message) : describeMessage(message)]);
      state = await Promise.race([untilDelivered(watching, state, reported), failed]);
    }
    if (json) printLines([JSON.stringify({ ...state, ...more })]);
    else if (!follow) printLines(describeState(state));
    return exitCodeOf(state);
  } catch (error) {
    if (!(error instanceof OperatorError) || error.kind !== 'unavailable') throw error;
    throw new CliError(EXIT.unavailable, `${error.message}; ${later}`, { cause: error });
  } finally {
    shutdown.signal.removeEventListener('abort', left);
  }
}
