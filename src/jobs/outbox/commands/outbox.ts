// `sluice outbox`: events that sinks have not received, with retry and discard.
import type { Command } from 'commander';
import { collect, integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { confirm, requireAnswer, withYes } from '../../../cli/lib/terminal/confirm.ts';
import { formatCount, formatDuration, formatMany, formatTime } from '../../../cli/lib/terminal/format.ts';
import { printList } from '../../../cli/lib/terminal/list.ts';
import { printEntries } from '../../../cli/lib/terminal/print.ts';
import type { Column } from '../../../cli/lib/terminal/table.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Input } from '../../../operator/contract/index.ts';
import { CONVERSATION_EVENT_TYPES } from '../../conversations/contract/events.ts';
import type { OutboxEntry, SinkStatus } from '../contract/operator.ts';

/** Maximum number of ids or entries in one request. */
const MAX_LIST = 1000;
const MAX_RETRY = 10_000;

interface Options extends SessionOptions {
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
  const run = (options: Options, verb: string, work: (client: OperatorClient) => Promise<number>) =>
    withOperator(options, env, { command: `sluice outbox ${verb}` }, work);

  withSessionOptions(outbox.command('status'))
    .description('show the state of each sink, with waiting and dead events')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      run(options, 'status', async (client) => {
        const { sinks } = await client.call('GET /sinks', {});
        if (options.json) printEntries(sinks);
        else if (sinks.length === 0) say('the configuration has no sinks');
        else for (const sink of sinks) for (const each of describeSink(sink, new Date())) line(each);
        return EXIT.ok;
      }),
    );

  withFilter(outbox.command('list'), { usual: 100, max: MAX_LIST })
    .description('list waiting and dead events, oldest first')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      run(options, 'list', async (client) => {
        const filter = filterOf(options, ['waiting', 'dead']);
        const { count, more } = await printList({
          json: options.json,
          limit: filter.limit,
          columns: COLUMNS,
          async read() {
            const { events: items, next } = await client.call('GET /outbox', filter);
            return { items, next };
          },
        });
        say(`${events(count)}${more ? ', and perhaps more: see --limit' : ''}`);
        return EXIT.ok;
      }),
    );

  withSessionOptions(outbox.command('show').argument('<id>', 'id of the event'))
    .description('show one event in full, without personal data')
    .option('--json', 'print JSON', false)
    .action((id: string, options: Options) =>
      run(options, 'show', async (client) => {
        const { events: found } = await client.call('GET /outbox', { ids: [id] });
        const [entry] = found;
        if (entry === undefined) throw missing([id]);
        if (options.json) line(JSON.stringify(entry));
        else for (const each of entryInFull(entry)) line(each);
        return EXIT.ok;
      }),
    );

  withFilter(outbox.command('retry').argument('[ids...]', 'ids of events'), { usual: 1000, max: MAX_RETRY })
    .description('retry events at once: the given ids, or with --yes all dead events that match the filters')
    .option('--yes', 'confirm a command without ids', false)
    .option('--json', 'print the number of events as JSON', false)
    .action((ids: string[], options: Options) =>
      run(options, 'retry', async (client) => {
        if (ids.length === 0 && !options.yes)
          throw new CliError(
            EXIT.usage,
            'name the events, or add --yes for all dead ones that the filter lets through',
          );
        const filter = ids.length > 0 ? { ids: checked(ids) } : filterOf(options, ['dead']);
        const { count } = await client.call('POST /outbox/retry', filter);
        if (options.json) process.stdout.write(`${JSON.stringify({ retried: count })}\n`);
        say(`${events(count)} tried again${more(count, ids, options)}`);
        return EXIT.ok;
      }),
    );

  withYes(withSessionOptions(outbox.command('discard').argument('<ids...>', 'ids of events')))
    .description('discard events: their sinks never receive them; this cannot be undone')
    .option('--json', 'print the number of events as JSON', false)
    .action(async (ids: string[], options: Options) => {
      requireAnswer(options.yes);
      await run(options, 'discard', async (client) => {
        await confirm({
          what: [
            `${events(ids.length)} will be discarded for good: ${ids.slice(0, SHOWN).join(', ')}${ids.length > SHOWN ? ', …' : ''}`,
          ],
          yes: options.yes,
        });
        const { count } = await client.call('POST /outbox/discard', { ids: checked(ids) });
        if (options.json) process.stdout.write(`${JSON.stringify({ discarded: count })}\n`);
        say(`${events(count)} discarded`);
        return EXIT.ok;
      });
    });
}

/** Number of events to show before a question. */
const SHOWN = 10;

function withFilter(command: Command, limit: { readonly usual: number; readonly max: number }): Command {
  return withSessionOptions(command)
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

type Filter = Input<'POST /outbox/retry'>;

function filterOf(options: Options, otherwise: NonNullable<Filter['states']>): Filter {
  const { dead = false, waiting = false, sink, account, type, code, limit } = options;
  const states = [...(waiting ? (['waiting'] as const) : []), ...(dead ? (['dead'] as const) : [])];
  return {
    states: states.length === 0 ? otherwise : states,
    limit,
    sinks: sink.length === 0 ? undefined : sink,
    account,
    types: type.length === 0 ? undefined : type,
    codes: code.length === 0 ? undefined : code,
  };
}

function checked(ids: readonly string[]): readonly string[] {
  if (ids.length <= MAX_LIST) return ids;
  throw new CliError(EXIT.usage, `${ids.length} ids are too many at once; give at most ${MAX_LIST}`);
}

function missing(ids: readonly string[]): CliError {
  return new CliError(
    EXIT.notFound,
    `The outbox has no event ${ids.join(', ')}. It was sent or discarded, or the id is wrong; \`sluice outbox list\` shows the ids.`,
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
    `${formatCount(sent)} sent${sentAt === null ? '' : `, the last ${formatTime(sentAt)}`}`,
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

const COLUMNS: readonly Column<OutboxEntry>[] = [
  ['id', 'left', ({ id }) => String(id), 'keep'],
  ['since', 'left', ({ createdAt }) => formatTime(createdAt), 'keep'],
  ['state', 'left', ({ state }) => state],
  ['type', 'left', ({ type }) => type],
  ['stream', 'left', ({ stream }) => stream],
  ['attempts', 'left', ({ attempts }) => formatMany(attempts, 'attempt')],
  ['code', 'left', ({ code }) => code ?? ''],
  ['reason', 'left', ({ reason }) => reason ?? '', 'cut'],
];

function entryInFull(entry: OutboxEntry): string[] {
  const time = (at: string | null) => (at === null ? '–' : formatTime(at));
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
