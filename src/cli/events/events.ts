// `sluice events`: the outcome of events, and retries of failed ones. A worker answers from the ledger, so these work
// while another process has the ledger open.
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { listEvents, retryEvents } from '../../../workflows/event-queries.ts';
import { retrySignal } from '../../../workflows/messages.ts';
import type { EventFilter, EventSummary } from '../../contracts/wire/intake.ts';
import { collect, integer } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany, formatTime } from '../lib/format.ts';
import { say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { isRunning, queryOperator } from '../lib/operator-query.ts';
import { withClient, withState } from '../lib/session.ts';
import { tabbed } from '../lib/table.ts';

const WHAT = {
  failed: 'events that the service refused',
  unknown: 'events with an unknown outcome',
  blocked: 'events that are blocked until somebody corrects the cause',
  open: 'events that have not ended',
  done: 'events that had an effect',
  unchanged: 'events without a change',
  superseded: 'events that a newer event superseded',
  discarded: 'events whose workflow was canceled',
} as const satisfies Record<EventFilter['states'][number], string>;
type State = keyof typeof WHAT;
const STATES = Object.keys(WHAT) as State[];
const TROUBLE: readonly State[] = ['failed', 'unknown', 'blocked'];
const MAX_LIMIT = 5000;

type Options = { readonly [state in State]?: boolean } & {
  readonly state: string;
  readonly account?: string;
  readonly route?: string;
  readonly code: readonly string[];
  readonly limit: number;
  readonly json: boolean;
  readonly yes: boolean;
};

export function registerEvents(program: Command, env: NodeJS.ProcessEnv): void {
  const events = program.command('events').description('list, show and retry incoming events');

  withFilter(events.command('list'), STATES)
    .description('list events, newest first (default: failed, unknown and blocked events)')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      withClient(options, env, async (client) => {
        const found = await list(client, filterOf(options));
        for (const each of found)
          process.stdout.write(options.json ? `${JSON.stringify(each)}\n` : line(each));
        say(
          `${formatMany(found.length, 'event')}${found.length === options.limit ? `, and perhaps more: see --limit` : ''}`,
        );
        return EXIT.ok;
      }),
    );

  withState(events.command('show'))
    .argument('<id>', 'id of the event')
    .description('show one event in full, without personal data')
    .option('--json', 'print JSON', false)
    .action((id: string, options: Options) =>
      withClient(options, env, async (client) => {
        const [event] = await list(client, { ids: [id], states: [], limit: 1 });
        if (event === undefined)
          throw new CliError(
            EXIT.notFound,
            `there is no event "${id}"; the 202 gave its id, and so does \`sluice events list\``,
          );
        process.stdout.write(options.json ? `${JSON.stringify(event)}\n` : full(event));
        return EXIT.ok;
      }),
    );

  withFilter(events.command('retry').argument('[ids...]', 'ids of events'), [...TROUBLE, 'open'])
    .description('retry events: the given ids, or with --yes all that match the filters')
    .option('--yes', 'confirm a command without ids', false)
    .action((ids: string[], options: Options) =>
      withClient(options, env, (client) => retry(client, ids, options)),
    );
}

function withFilter(command: Command, states: readonly State[]): Command {
  for (const state of states) command.option(`--${state}`, WHAT[state]);
  return withState(command)
    .option('--account <name>', 'only entries of this account')
    .option('--route <name>', 'only events of this route')
    .option('--code <code>', 'only entries with this code; repeatable', collect, [])
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: MAX_LIMIT }), 100);
}

function filterOf({ account, route, code, limit, ...options }: Options): EventFilter {
  const states = STATES.filter((state) => options[state] === true);
  return {
    states: states.length === 0 ? TROUBLE : states,
    limit,
    ...(account === undefined ? {} : { account }),
    ...(route === undefined ? {} : { route }),
    ...(code.length === 0 ? {} : { codes: code }),
  };
}

async function list(client: Client, filter: EventFilter): Promise<EventSummary[]> {
  return await queryOperator<typeof listEvents>(client, 'event', 'listEvents', [filter]);
}

async function retry(client: Client, ids: readonly string[], options: Options): Promise<number> {
  if (ids.length === 0 && !options.yes)
    throw new CliError(EXIT.usage, 'name the events, or add --yes for all that match the filter');
  const base = filterOf(options);
  const filter: EventFilter = ids.length === 0 ? base : { ids, states: [], limit: MAX_LIMIT };
  const found = await list(client, filter);
  const missing = ids.filter((id) => found.every((event) => event.id !== id));
  if (missing.length > 0) throw new CliError(EXIT.notFound, `there is no event ${missing.join(', ')}`);
  const workflows = new Map<string, { waits: boolean; events: number }>();
  for (const { state, blocked, workflow } of found) {
    if (state !== 'accepted' || workflow === null) continue;
    const { waits, events } = workflows.get(workflow) ?? { waits: false, events: 0 };
    workflows.set(workflow, { waits: waits || blocked !== null, events: events + 1 });
  }
  const gone: string[] = [];
  let [reported, waiting] = [0, 0];
  for (const [workflow, { waits, events }] of workflows) {
    const handle = client.workflow.getHandle(workflow);
    // A terminated workflow has left its events open.
    if (!(await isRunning(handle))) {
      gone.push(workflow);
    } else if (waits) {
      // It still has its events: they only wait for a signal.
      await handle.signal(retrySignal);
      reported += 1;
      waiting += events;
    }
  }
  const again = await queryOperator<typeof retryEvents>(client, 'event', 'retryEvents', [
    { filter, by: operatorName(), gone },
  ]);
  const waited = formatMany(reported, 'waiting workflow continues', 'waiting workflows continue');
  say(`${formatMany(again, 'event is', 'events are')} tried again${reported === 0 ? '' : `, and ${waited}`}`);
  const left = ids.length - again - waiting;
  if (left > 0) say(`${left} have succeeded or are active; they are not retried`);
  return EXIT.ok;
}

function stateOf({ state, outcome, blocked }: EventSummary): string {
  return outcome ?? (blocked === null ? state : 'blocked');
}

function line(event: EventSummary): string {
  const { id, account, route, action, blocked } = event;
  const why = blocked ?? event;
  const at = formatTime(new Date(event.endedAt ?? event.receivedAt));
  return `${tabbed([id, at, `${account}/${route}`, action, stateOf(event), why.code ?? '', why.reason ?? ''])}\n`;
}

function full(event: EventSummary): string {
  const time = (at: string | null) => (at === null ? '–' : formatTime(new Date(at)));
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
    ['workflow', event.workflow ?? '–'],
  ];
  return rows.map(([name = '', value]) => `${name.padEnd(9)} ${value}\n`).join('');
}
