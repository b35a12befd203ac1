// `sluice message`: operators send messages by hand. Sluice accepts them as events, with the same order, budget and
// handling of lost answers as every other message.
import { randomUUID } from 'node:crypto';
import { isGrpcServiceError } from '@temporalio/client';
import { type Command, Option } from 'commander';
import type { DeliveryEntry } from '../../contracts/wire/delivery.ts';
import { NotAcceptedError } from '../../ingress/intake.ts';
import { BadMessageError } from '../../runtime/operator/operator-intake.ts';
import { SocketError } from '../../runtime/operator/operator-socket-client.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { collect, integer } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { connectClient, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { readFiles, readText } from './message-files.ts';
import {
  describeMessage,
  describeState,
  exitCodeOf,
  probe,
  untilDelivered,
  untilEnded,
} from './message-follow.ts';
import { type MessageOptions, requestOf } from './message-request.ts';
import { openWay, type Way } from './message-way.ts';

type SendOptions = MessageOptions &
  SessionOptions & {
    readonly account: string;
    readonly key?: string;
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
    .action(async (event: string, options: SessionOptions & { json: boolean }) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const state = await probe(await connectClient(options.state, env, shutdown), event);
        if (state === null)
          throw new CliError(
            EXIT.notFound,
            `there is no event "${event}"; \`sluice message send\` prints its id`,
          );
        print(options.json ? [JSON.stringify(state)] : describeState(state));
        return EXIT.ok;
      });
    });
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
    .option('--media <url>', 'URL of a file to attach; repeatable', collect, [])
    .option('--allow-host <host>', 'additional host that --media may redirect to; repeatable', collect, [])
    .addOption(
      new Option('--outside-window <what>', 'what to do if the 24-hour window is closed')
        .choices(['refuse', 'template', 'send'])
        .default('refuse'),
    )
    .option('--key <key>', 'idempotency key; a message is sent once per key (default: random)')
    .option('--no-wait', 'return as soon as the message is accepted')
    .option('--follow', 'wait until the message is read or failed', false)
    .option('--json', 'print JSON; the last line is the result', false);
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

async function send(options: SendOptions, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<number> {
  const { account, json, wait, follow } = options;
  if (follow && !wait) throw new CliError(EXIT.usage, '--follow and --no-wait exclude each other');
  const key = keyOf(options.key);
  const request = await requestOf(options, readText);
  const files = await readFiles(options.file);
  const way = await openWay(options, env, shutdown);
  const { id: event, duplicate } = await repeatable(key, shutdown, async () => {
    const uploads: string[] = [];
    for (const file of files) uploads.push(await way.intake.upload({ account, ...file }));
    const whole = uploads.length === 0 ? request : { ...request, uploads };
    return await way.intake.send({ account, key, request: whole });
  });
  say(`accepted as event ${event}, key ${key}`);
  if (duplicate) say('it was accepted before under this key; the first message counts');
  if (!wait) {
    print([json ? JSON.stringify({ id: event, account, key, duplicate }) : event]);
    return EXIT.ok;
  }
  return await watch(way, event, { follow, json, more: { key, duplicate } }, shutdown);
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
  if (error instanceof BadMessageError) return new CliError(EXIT.usage, error.message, { cause: error });
  if (error instanceof NotAcceptedError)
    return new CliError(EXIT.unavailable, `not accepted: ${error.message}; ${again}`, { cause: error });
  if (!(error instanceof SocketError)) return error;
  const { why, message } = error;
  if (why === 'unknown') return new CliError(EXIT.notFound, message, { cause: error });
  const code = why === 'failed' ? EXIT.error : EXIT.unavailable;
  return new CliError(code, `${message}; ${again}`, { cause: error });
}

interface WatchOptions {
  readonly follow: boolean;
  readonly json: boolean;
  /** Further fields of `--json`. */
  readonly more: object;
}

async function watch(
  way: Way,
  event: string,
  { follow, json, more }: WatchOptions,
  shutdown: Shutdown,
): Promise<number> {
  const later = `event ${event} continues${way.here ? ' when Sluice runs again' : ''}; see \`sluice message status ${event}\``;
  const left = () => say(later);
  shutdown.signal.addEventListener('abort', left, { once: true });
  try {
    const client = await way.client();
    const watching = { client, event, signal: shutdown.signal, say };
    let state = await Promise.race([untilEnded(watching), way.failed]);
    if (follow) {
      if (!json) print(describeState({ ...state, messages: [] }));
      if (state.messages.length === 0) say('there is no message to follow');
      const reported = (message: DeliveryEntry) =>
        print([json ? JSON.stringify(message) : describeMessage(message)]);
      state = await Promise.race([untilDelivered(watching, state, reported), way.failed]);
    }
    if (json) print([JSON.stringify({ ...state, ...more })]);
    else if (!follow) print(describeState(state));
    return exitCodeOf(state);
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    throw new CliError(EXIT.unavailable, `the Temporal server does not answer: ${error.message}; ${later}`, {
      cause: error,
    });
  } finally {
    shutdown.signal.removeEventListener('abort', left);
  }
}
