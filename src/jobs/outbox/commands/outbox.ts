// `sluice outbox`: events that sinks have not received, with retry and discard.
import type { Command } from 'commander';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { callCommand } from '../../../cli/lib/route/call-command.ts';
import { listCommand } from '../../../cli/lib/route/list-command.ts';
import { formatCount, formatDuration, formatMany, formatTime } from '../../../cli/lib/terminal/format.ts';
import type { Column } from '../../../cli/lib/terminal/table.ts';
import { CONVERSATION_EVENT_TYPES } from '../../conversations/contract/events.ts';
import { OUTBOX, type OutboxEntry, type OutboxFilter, type SinkStatus } from '../contract/operator.ts';

/** Maximum number of ids or entries in one request. */
const MAX_LIST = 1000;

interface StateOptions {
  readonly dead?: boolean;
  readonly waiting?: boolean;
}
type RetryOptions = StateOptions & { readonly yes: boolean };

/** Filters that listing and retrying share. */
const FILTER = {
  sinks: ['--sink <name>', 'only events for this sink'],
  account: '--account <name>',
  types: ['--type <type>', `only events of this type, for example ${CONVERSATION_EVENT_TYPES[0]}`],
  codes: ['--code <code>', 'only entries with this code'],
} as const;
const contract = OUTBOX;

export function registerOutbox(program: Command, env: NodeJS.ProcessEnv): void {
  const outbox = program.command('outbox').description('show, retry and discard events that wait for a sink');

  listCommand(outbox, env, {
    name: 'status',
    about: 'show the state of each sink, with waiting and dead events',
    contract,
    route: 'GET /sinks',
    items: 'sinks',
    shown: (sinks) => sinks.flatMap((sink) => describeSink(sink, new Date())),
    limit: null,
    none: 'the configuration has no sinks',
  });

  listCommand(outbox, env, {
    name: 'list',
    about: 'list waiting and dead events, oldest first',
    contract,
    route: 'GET /outbox',
    flags: withStates,
    fields: FILTER,
    input: (given, options: StateOptions) => ({ ...given, states: statesOf(options, ['waiting', 'dead']) }),
    items: 'events',
    shown: COLUMNS,
    limit: { usual: 100, most: MAX_LIST },
    one: 'event',
  });

  callCommand(outbox, env, {
    name: 'show',
    about: 'show one event in full, without personal data',
    contract,
    route: 'GET /outbox',
    arguments: [['ids', '<id>', 'id of the event', (id) => [id]]],
    json: 'print JSON',
    asJson: entryOf,
    text: (answer, called) => entryInFull(entryOf(answer, called)),
  });

  callCommand(outbox, env, {
    name: 'retry',
    about: 'retry events at once: the given ids, or with --yes all dead events that match the filters',
    contract,
    route: 'POST /outbox/retry',
    arguments: [['ids', '[ids...]', 'ids of events']],
    flags: (command) => withStates(command).option('--yes', 'confirm a command without ids', false),
    fields: { ...FILTER, limit: ['--limit <count>', 'maximum number of entries'] },
    input({ ids, ...filter }, options: RetryOptions) {
      if (ids !== undefined) return { ids: checked(ids) };
      if (options.yes) return { ...filter, states: statesOf(options, ['dead']) };
      throw new CliError(
        EXIT.usage,
        'name the events, or add --yes for all dead ones that the filter lets through',
      );
    },
    json: 'print the number of events as JSON',
    asJson: ({ count }) => ({ retried: count }),
    says: ({ count }, { input }) =>
      `${formatMany(count, 'event')} tried again${count === input.limit ? ', and perhaps there are more: see --limit' : ''}`,
  });

  callCommand(outbox, env, {
    name: 'discard',
    about: 'discard events: their sinks never receive them; this cannot be undone',
    contract,
    route: 'POST /outbox/discard',
    arguments: [['ids', '<ids...>', 'ids of events']],
    input: ({ ids = [] }) => ({ ids: checked(ids) }),
    confirms: (_, { ids }) => [
      `${formatMany(ids.length, 'event')} will be discarded for good: ${ids.slice(0, SHOWN).join(', ')}${ids.length > SHOWN ? ', …' : ''}`,
    ],
    json: 'print the number of events as JSON',
    asJson: ({ count }) => ({ discarded: count }),
    says: ({ count }) => `${formatMany(count, 'event')} discarded`,
  });
}

/** Number of events to show before a question. */
const SHOWN = 10;

function withStates(command: Command): Command {
  return command.option('--dead', 'only dead events').option('--waiting', 'only waiting events');
}

function statesOf(
  { dead, waiting }: StateOptions,
  otherwise: OutboxFilter['states'],
): OutboxFilter['states'] {
  const states = [...(waiting ? (['waiting'] as const) : []), ...(dead ? (['dead'] as const) : [])];
  return states.length === 0 ? otherwise : states;
}

function checked(ids: readonly string[]): readonly string[] {
  if (ids.length <= MAX_LIST) return ids;
  throw new CliError(EXIT.usage, `${ids.length} ids are too many at once; give at most ${MAX_LIST}`);
}

function entryOf(
  { events: [entry] }: { readonly events: readonly OutboxEntry[] },
  { input }: { readonly input: { readonly ids?: readonly string[] } },
): OutboxEntry {
  if (entry !== undefined) return entry;
  throw new CliError(
    EXIT.notFound,
    `The outbox has no event ${input.ids?.join(', ')}. It was sent or discarded, or the id is wrong; \`sluice outbox list\` shows the ids.`,
  );
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
