// `sluice events`: the outcome of events, and retries of failed ones.
import type { Command } from 'commander';
import { collect, integer } from '../../../../cli/lib/arguments.ts';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import type { Connected } from '../../../../cli/lib/connect/connected.ts';
import { say } from '../../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import { printList } from '../../../../cli/lib/terminal/list.ts';
import type { Column } from '../../../../cli/lib/terminal/table.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type {
  EVENT_STATES,
  EventCall,
  EventDetail,
  EventFilter,
  EventSummary,
} from '../../contract/events.ts';
import { describeMessage } from './message-follow.ts';
import { registerReplay } from './replay.ts';
import { stateOf, untilEnded } from './until-ended.ts';

const WHAT = {
  failed: 'events that the service refused',
  unknown: 'events with an unknown outcome',
  blocked: 'events that are blocked until somebody corrects the cause',
  open: 'events that have not ended',
  done: 'events that had an effect',
  unchanged: 'events without a change',
  superseded: 'events that a newer event superseded',
  discarded: 'events that the person does not want, and events whose workflow was canceled',
  received: 'events that no workflow has accepted, so that their senders send them again',
} as const satisfies Record<(typeof EVENT_STATES)[number], string>;
type State = keyof typeof WHAT;
const STATES = Object.keys(WHAT) as State[];
const TROUBLE: readonly State[] = ['failed', 'unknown', 'blocked'];
const MAX_LIMIT = 5000;

type Options = Omit<SessionOptions, 'state'> & { readonly [state in State]?: boolean } & {
  readonly state: string;
  readonly account?: string;
  readonly route?: string;
  readonly code: readonly string[];
  readonly limit: number;
  readonly json: boolean;
  readonly yes: boolean;
  readonly unmasked?: boolean;
};

export function registerEvents(program: Command, env: NodeJS.ProcessEnv): void {
  const events = program
    .command('events')
    .description('list, show, correct, replay and retry incoming events');
  const run = (
    options: Options,
    verb: string,
    work: (client: OperatorClient, connected: Connected) => Promise<number>,
  ) => withOperator(options, env, { command: `sluice events ${verb}` }, work);

  withFilter(events.command('list'), STATES)
    .description('list events, newest first (default: failed, unknown and blocked events)')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      run(options, 'list', async (client) => {
        const filter = filterOf(options);
        const { count, more } = await printList({
          json: options.json,
          limit: options.limit,
          columns: COLUMNS,
          async read(limit, before: string | undefined) {
            const { events: items, next } = await client.call('GET /events', { ...filter, limit, before });
            return { items, next };
          },
        });
        say(`${formatMany(count, 'event')}${more ? ', and there are more: see --limit' : ''}`);
        return EXIT.ok;
      }),
    );

  withSessionOptions(events.command('show').argument('<id>', 'id of the event'))
    .description('show one event in full; personal data is hidden by default')
    .option('--json', 'print JSON', false)
    .option('--unmasked', 'show what it asks for unmasked', false)
    .action((id: string, options: Options) =>
      run(options, 'show', async (client) => {
        const { unmasked: unmask = false } = options;
        const event = await client.call('GET /events/{event}', { event: id, unmask });
        if (unmask) say('personal data is shown in clear (--unmasked)');
        process.stdout.write(options.json ? `${JSON.stringify(event)}\n` : full(event));
        return EXIT.ok;
      }),
    );

  withFilter(events.command('retry').argument('[ids...]', 'ids of events'), [...TROUBLE, 'open'])
    .description('retry events: the given ids, or with --yes all that match the filters')
    .option('--yes', 'confirm a command without ids', false)
    .option('--json', 'print the result as JSON', false)
    .action((ids: string[], options: Options) =>
      run(options, 'retry', (client, connected) => retry(client, connected, ids, options)),
    );

  registerReplay(events, env);
}

function withFilter(command: Command, states: readonly State[]): Command {
  for (const state of states) command.option(`--${state}`, WHAT[state]);
  return withSessionOptions(command)
    .option('--account <name>', 'only entries of this account')
    .option('--route <name>', 'only events of this route')
    .option('--code <code>', 'only entries with this code; repeatable', collect, [])
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: MAX_LIMIT }), 100);
}

function filterOf({ account, route, code, ...options }: Options): EventFilter {
  const states = STATES.filter((state) => options[state] === true);
  return {
    states: states.length === 0 ? TROUBLE : states,
    account,
    route,
    codes: code.length === 0 ? undefined : code,
  };
}

async function retry(
  client: OperatorClient,
  { where }: Connected,
  ids: readonly string[],
  options: Options,
): Promise<number> {
  if (ids.length === 0 && !options.yes)
    throw new CliError(EXIT.usage, 'name the events, or add --yes for all that match the filter');
  const filter = ids.length === 0 ? { ...filterOf(options), limit: options.limit } : { ids };
  const result = await client.call('POST /events/retry', filter);
  const { retried, continued, workflows, left } = result;
  const waited = formatMany(workflows, 'waiting workflow continues', 'waiting workflows continue');
  const again = formatMany(retried.length, 'event is', 'events are');
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  say(`${again} tried again${workflows === 0 ? '' : `, and ${waited}`}`);
  if (left.length > 0) say(`${left.length} have succeeded or are active; they are not retried`);
  if (where === 'here') await untilEnded(client, [...retried, ...continued]);
  return EXIT.ok;
}

const COLUMNS: readonly Column<EventSummary>[] = [
  ['event', 'left', ({ id }) => id, 'keep'],
  ['time', 'left', ({ endedAt, receivedAt }) => formatTime(endedAt ?? receivedAt), 'keep'],
  ['route', 'left', ({ account, route }) => `${account}/${route}`],
  ['action', 'left', ({ action }) => action],
  ['outcome', 'left', stateOf],
  ['code', 'left', (event) => (event.blocked ?? event).code ?? ''],
  ['reason', 'left', (event) => (event.blocked ?? event).reason ?? '', 'cut'],
];

function full(event: EventDetail): string {
  const time = (at: string | null) => (at === null ? '–' : formatTime(at));
  const why = event.blocked ?? event;
  const rows = [
    ['event', event.id],
    ['route', `${event.route} (${event.action}) for ${event.account}`],
    ['state', stateOf(event)],
    ...(why.code === null ? [] : [['why', `${why.reason ?? ''} [${why.code}]`]]),
    ...(event.step === null ? [] : [['step', event.step]]),
    ...event.warnings.map(({ field, column, code, reason }) => [
      'warning',
      `${field}${column === undefined ? '' : ` (${column})`}: ${reason} [${code}]`,
    ]),
    ['received', time(event.receivedAt)],
    ['accepted', time(event.acceptedAt)],
    ['ended', time(event.endedAt)],
    ...(event.replacedBy === null ? [] : [['replaced', `by ${event.replacedBy}`]]),
    ['workflow', event.workflow ?? '–'],
    ...(event.trace === null ? [] : [['trace', event.trace]]),
    ...event.calls.map((call) => ['call', describeCall(call)]),
    ...event.messages.map((message) => ['message', describeMessage(message)]),
  ];
  const lines = rows.map(([name = '', value]) => `${name.padEnd(9)} ${value}`);
  const asked =
    event.request === null ? [] : ['request', ...JSON.stringify(event.request, null, 2).split('\n')];
  const next = event.canCorrect
    ? [
        `next: \`sluice events retry ${event.id}\` tries it again. Or correct what it asks for:`,
        `  sluice events show ${event.id} --json --unmasked | jq .request > FILE`,
        `  sluice events replay ${event.id} --request FILE --dry-run`,
      ]
    : [];
  return `${[...lines, ...asked, ...next].map(neutralLine).join('\n')}\n`;
}

function describeCall({ at, method, route, status, code, requestId }: EventCall): string {
  const answer = status === null ? 'no answer' : String(status);
  const request = requestId === null ? '' : `, request ${requestId}`;
  return `${formatTime(at)}  ${method} ${route}: ${answer}${code === null ? '' : ` [${code}]`}${request}`;
}
