// `sluice events`: the outcome of events, retries of failed ones, and what a person knows of unknown ones.
import type { Command } from 'commander';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { callCommand, sayUnmasked } from '../../../../cli/lib/route/call-command.ts';
import { listCommand } from '../../../../cli/lib/route/list-command.ts';
import { formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import type { Column } from '../../../../cli/lib/terminal/table.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import {
  type EVENT_STATES,
  EVENTS,
  type EventCall,
  type EventDetail,
  type EventSummary,
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

type StateOptions = { readonly [state in State]?: boolean };
type RetryOptions = StateOptions & { readonly yes: boolean };

/** Filters that listing and retrying share. */
const FILTER = {
  account: '--account <name>',
  route: '--route <name>',
  codes: ['--code <code>', 'only entries with this code'],
} as const;

export function registerEvents(program: Command, env: NodeJS.ProcessEnv): void {
  const events = program
    .command('events')
    .description('list, show, correct, replay and retry incoming events');
  const contract = EVENTS;

  listCommand(events, env, {
    name: 'list',
    about: 'list events, newest first (default: failed, unknown and blocked events)',
    contract,
    route: 'GET /events',
    flags: (command) => withStates(command, STATES),
    fields: FILTER,
    input: (given, options: StateOptions) => ({ ...given, states: statesOf(options) }),
    items: 'events',
    shown: COLUMNS,
    limit: { usual: 100, most: 5000 },
    one: 'event',
  });

  callCommand(events, env, {
    name: 'show',
    about: 'show one event in full; personal data is hidden by default',
    contract,
    route: 'GET /events/{event}',
    arguments: [['event', '<id>', 'id of the event']],
    fields: { unmask: ['--unmasked', 'show what it asks for unmasked'] },
    json: 'print JSON',
    text: full,
    says: sayUnmasked,
  });

  callCommand(events, env, {
    name: 'retry',
    about: 'retry events: the given ids, or with --yes all that match the filters',
    contract,
    route: 'POST /events/retry',
    arguments: [['ids', '[ids...]', 'ids of events']],
    flags: (command) =>
      withStates(command, [...TROUBLE, 'open']).option('--yes', 'confirm a command without ids', false),
    fields: { ...FILTER, limit: ['--limit <count>', 'maximum number of entries', 100] },
    json: 'print the result as JSON',
    input({ ids, ...filter }, options: RetryOptions) {
      if (ids !== undefined) return { ids };
      if (options.yes) return { ...filter, states: statesOf(options) };
      throw new CliError(EXIT.usage, 'name the events, or add --yes for all that match the filter');
    },
    says({ retried, workflows, left }) {
      const waited = formatMany(workflows, 'waiting workflow continues', 'waiting workflows continue');
      const again = formatMany(retried.length, 'event is', 'events are');
      return [
        `${again} tried again${workflows === 0 ? '' : `, and ${waited}`}`,
        ...(left.length === 0 ? [] : [`${left.length} have succeeded or are active; they are not retried`]),
      ];
    },
    finishHere: (client, { retried, continued }) => untilEnded(client, [...retried, ...continued]),
  });

  callCommand(events, env, {
    name: 'resolve',
    about: 'record that events whose outcome is unknown took effect; Sluice sends nothing',
    contract,
    route: 'POST /events/resolve',
    arguments: [['ids', '<ids...>', 'ids of events']],
    fields: { reason: ['--reason <text>', 'why, for the audit log'] },
    json: 'print the ids of resolved events as JSON',
    says: ({ resolved }) =>
      resolved.length === 0
        ? 'none of these events is unknown'
        : `${formatMany(resolved.length, 'event counts', 'events count')} as done`,
  });

  registerReplay(events, env);
}

function withStates(command: Command, states: readonly State[]): Command {
  for (const state of states) command.option(`--${state}`, WHAT[state]);
  return command;
}

function statesOf(options: StateOptions): readonly State[] {
  const states = STATES.filter((state) => options[state] === true);
  return states.length === 0 ? TROUBLE : states;
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

function full(event: EventDetail): string[] {
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
  return [...lines, ...asked, ...next].map(neutralLine);
}

function describeCall({ at, method, route, status, code, requestId }: EventCall): string {
  const answer = status === null ? 'no answer' : String(status);
  const request = requestId === null ? '' : `, request ${requestId}`;
  return `${formatTime(at)}  ${method} ${route}: ${answer}${code === null ? '' : ` [${code}]`}${request}`;
}
