// `sluice outbox`: events that sinks have not received, with retry and discard. A worker answers from the ledger, so
// these work while another process has the ledger open.
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type {
  describeSinks,
  discardOutbox,
  listOutbox,
  retryOutbox,
} from '../../../workflows/outbox-queries.ts';
import { CONVERSATION_EVENT_TYPES } from '../../contracts/wire/conversation-events.ts';
import type { OutboxEntry, OutboxFilter, SinkStatus } from '../../contracts/wire/outbox.ts';
import { collect, integer } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount, formatDuration, formatTime } from '../lib/format.ts';
import { say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { queryOperator } from '../lib/operator-query.ts';
import { withClient, withState } from '../lib/session.ts';
import { tabbed } from '../lib/table.ts';

const KIND = 'outbox';
/** Maximum size of an answer: Temporal accepts 2 MB. */
const MAX_LIST = 1000;
const MAX_RETRY = 10_000;

interface Options {
  readonly state: string;
  readonly json: boolean;
  readonly yes: boolean;
  readonly dead?: boolean;
  readonly waiting?: boolean;
  readonly sink: readonly string[];
  readonly account?: string;
  readonly type: readonly string[];
  readonly code: readonly string[];
  readonly limit: number;
}

export function registerOutbox(program: Command, env: NodeJS.ProcessEnv): void {
  const outbox = program.command('outbox').description('show, retry and discard events that wait for a sink');

  withState(outbox.command('status'))
    .description('show the state of each sink, with waiting and dead events')
    .option('--json', 'print the sinks as JSON', false)
    .action((options: Options) =>
      withClient(options, env, async (client) => {
        const sinks = await queryOperator<typeof describeSinks>(client, KIND, 'describeSinks', []);
        if (options.json) line(JSON.stringify({ sinks }));
        else if (sinks.length === 0) say('the configuration has no sinks');
        else for (const sink of sinks) for (const each of describeSink(sink, new Date())) line(each);
        return EXIT.ok;
      }),
    );

  withFilter(outbox.command('list'), { usual: 100, max: MAX_LIST })
    .description('list waiting and dead events, oldest first')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      withClient(options, env, async (client) => {
        const found = await list(client, filterOf(options, ['waiting', 'dead']));
        for (const entry of found) line(options.json ? JSON.stringify(entry) : entryLine(entry));
        say(
          `${events(found.length)}${found.length === options.limit ? ', and perhaps more: see --limit' : ''}`,
        );
        return EXIT.ok;
      }),
    );

  withState(outbox.command('show').argument('<id>', 'id of the event'))
    .description('show one event in full, without personal data')
    .option('--json', 'print JSON', false)
    .action((id: string, options: Options) =>
      withClient(options, env, async (client) => {
        const [entry] = await named(client, [id]);
        if (options.json) line(JSON.stringify(entry));
        else for (const each of entryInFull(entry as OutboxEntry)) line(each);
        return EXIT.ok;
      }),
    );

  withFilter(outbox.command('retry').argument('[ids...]', 'ids of events'), { usual: 1000, max: MAX_RETRY })
    .description('retry events at once: the given ids, or with --yes all dead events that match the filters')
    .option('--yes', 'confirm a command without ids', false)
    .action((ids: string[], options: Options) =>
      withClient(options, env, async (client) => {
        if (ids.length === 0 && !options.yes)
          throw new CliError(
            EXIT.usage,
            'name the events, or add --yes for all dead ones that the filter lets through',
          );
        if (ids.length > 0) await named(client, ids);
        const filter = ids.length > 0 ? byId(ids) : filterOf(options, ['dead']);
        const operatorCommand = { filter, by: operatorName() };
        const count = await queryOperator<typeof retryOutbox>(client, KIND, 'retryOutbox', [operatorCommand]);
        say(`${events(count)} tried again${more(count, ids, options)}`);
        return EXIT.ok;
      }),
    );

  withState(outbox.command('discard').argument('<ids...>', 'ids of events'))
    .description('discard events: their sinks never receive them')
    .option('--yes', 'confirm; this cannot be undone', false)
    .action((ids: string[], options: Options) =>
      withClient(options, env, async (client) => {
        if (!options.yes) throw new CliError(EXIT.usage, 'discarding is permanent; add --yes');
        await named(client, ids);
        const operatorCommand = { filter: byId(ids), by: operatorName() };
        const count = await queryOperator<typeof discardOutbox>(client, KIND, 'discardOutbox', [
          operatorCommand,
        ]);
        say(`${events(count)} discarded`);
        return EXIT.ok;
      }),
    );
}

function withFilter(command: Command, limit: { readonly usual: number; readonly max: number }): Command {
  return withState(command)
    .option('--dead', 'only dead events')
    .option('--waiting', 'only waiting events')
    .option('--sink <name>', 'only events for this sink; repeatable', collect, [])
    .option('--account <name>', 'only entries of this account')
    .option(
      '--type <type>',
      `only events of this type, for example ${CONVERSATION_EVENT_TYPES[0]}; repeatable`,
      collect,
      [],
    )
    .option('--code <code>', 'only entries with this code; repeatable', collect, [])
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: limit.max }), limit.usual);
}

function filterOf(options: Options, otherwise: OutboxFilter['states']): OutboxFilter {
  const { dead = false, waiting = false, sink, account, type, code, limit } = options;
  const states = [...(waiting ? (['waiting'] as const) : []), ...(dead ? (['dead'] as const) : [])];
  return {
    states: states.length === 0 ? otherwise : states,
    limit,
    ...(sink.length === 0 ? {} : { sinks: sink }),
    ...(account === undefined ? {} : { account }),
    ...(type.length === 0 ? {} : { types: type }),
    ...(code.length === 0 ? {} : { codes: code }),
  };
}

function byId(ids: readonly string[]): OutboxFilter {
  return { ids, states: [], limit: ids.length };
}

async function list(client: Client, filter: OutboxFilter): Promise<OutboxEntry[]> {
  return await queryOperator<typeof listOutbox>(client, KIND, 'listOutbox', [filter]);
}

/** @throws CliError when one of them does not exist */
async function named(client: Client, ids: readonly string[]): Promise<OutboxEntry[]> {
  if (ids.length > MAX_LIST)
    throw new CliError(EXIT.usage, `${ids.length} ids are too many at once; give at most ${MAX_LIST}`);
  const found = await list(client, byId(ids));
  const missing = ids.filter((id) => found.every((entry) => entry.id !== id));
  if (missing.length === 0) return found;
  throw new CliError(
    EXIT.notFound,
    `The outbox has no event ${missing.join(', ')}. It was sent or discarded, or the id is wrong; \`sluice outbox list\` shows the ids.`,
  );
}

function more(count: number, ids: readonly string[], { limit }: Options): string {
  return ids.length === 0 && count === limit ? ', and perhaps there are more: see --limit' : '';
}

function events(count: number): string {
  return count === 1 ? '1 event' : `${formatCount(count)} events`;
}

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One line per sink, and a second one for a problem. */
function describeSink(sink: SinkStatus, now: Date): string[] {
  const { waiting, dead, sent, sentAt, lagSeconds } = sink;
  const lag = lagSeconds === null ? '' : `, the oldest for ${formatDuration(lagSeconds * 1000)}`;
  const parts = [
    circuitOf(sink, now),
    `${formatCount(waiting)} waiting${lag}`,
    ...(dead === 0 ? [] : [`${formatCount(dead)} dead (sluice outbox list --dead --sink ${sink.sink})`]),
    `${formatCount(sent)} sent${sentAt === null ? '' : `, the last ${formatTime(new Date(sentAt))}`}`,
  ];
  const why = sink.code === null ? [] : [`  ${sink.reason ?? ''} [${sink.code}]`];
  return [`${sink.sink}: ${parts.join('; ')}`, ...why];
}

function circuitOf({ circuit, code, openUntil }: SinkStatus, now: Date): string {
  if (code === 'NO_SINK') return 'not in the configuration of a worker';
  if (circuit === 'closed' || openUntil === null) return 'takes events';
  const ms = new Date(openUntil).getTime() - now.getTime();
  return ms <= 0 ? 'left alone, probed with the next event' : `left alone, probed in ${formatDuration(ms)}`;
}

/** One event in one line, tabs between its parts. */
function entryLine(entry: OutboxEntry): string {
  const { id, state, type, stream, attempts, code, reason } = entry;
  const at = formatTime(new Date(entry.createdAt));
  const tries = attempts === 1 ? '1 attempt' : `${formatCount(attempts)} attempts`;
  return tabbed([String(id), at, state, type, stream, tries, code ?? '', reason ?? '']);
}

function entryInFull(entry: OutboxEntry): string[] {
  const time = (at: string | null) => (at === null ? '–' : formatTime(new Date(at)));
  const rows: [string, string][] = [
    ['id', entry.id],
    ['event', `${entry.eventId} (${entry.type})`],
    ['stream', entry.stream],
    ['state', entry.state],
    ...(entry.code === null ? [] : [['why', `${entry.reason ?? ''} [${entry.code}]`] as [string, string]]),
    ['attempts', formatCount(entry.attempts)],
    ['since', time(entry.createdAt)],
    ['tried', time(entry.triedAt)],
    ['next', entry.state === 'dead' ? 'never, unless `sluice outbox retry`' : time(entry.nextAt)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(8)} ${value}`);
}
