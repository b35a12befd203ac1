// What waits for a person, with how urgent it is and the commands that help.
import { ENDPOINTS } from '../../../contracts/operator/index.ts';
import type { Need, TokenGauge } from '../../../contracts/operator/overview.ts';
import type { NeedRow } from '../../../ledger/operator/overview/needs.ts';
import { jobOf } from './jobs.ts';

const SEVERITY: Readonly<Record<Need['kind'], Need['severity']>> = {
  'refused-token': 'critical',
  'blocked-poller': 'critical',
  'blocked-events': 'critical',
  'blocked-campaign': 'critical',
  'failed-run': 'critical',
  'unknown-records': 'warning',
  'unknown-events': 'warning',
  'unknown-members': 'warning',
  'dead-outbox': 'warning',
  'paused-campaign': 'info',
  'paused-poller': 'info',
  approval: 'info',
};

type Command = Need['commands'][number];
type Place = { readonly account: string | null; readonly name: string; readonly run: string | null };

const COMMANDS: Readonly<Record<NeedRow['kind'], (place: Place) => readonly Command[]>> = {
  'unknown-records': ({ name }) => [{ route: 'POST /syncs/{sync}/retry', input: { sync: name } }],
  'failed-run': ({ name }) => [{ route: 'POST /syncs/{sync}/run', input: { sync: name } }],
  'unknown-events': ({ account, name }) => [
    { route: 'POST /events/retry', input: { account, route: name, states: ['unknown'] } },
  ],
  'blocked-events': ({ account, name }) => [
    { route: 'POST /events/retry', input: { account, route: name, states: ['blocked'] } },
  ],
  'unknown-members': ({ name }) => [
    { route: 'POST /campaigns/{campaign}/resolve', input: { campaign: name } },
  ],
  'blocked-poller': ({ name }) => [{ route: 'POST /pollers/{poller}/resume', input: { poller: name } }],
  'paused-poller': ({ name }) => [{ route: 'POST /pollers/{poller}/resume', input: { poller: name } }],
  'blocked-campaign': ({ name }) => [
    { route: 'POST /campaigns/{campaign}/resume', input: { campaign: name } },
    { route: 'POST /campaigns/{campaign}/cancel', input: { campaign: name } },
  ],
  'paused-campaign': ({ name }) => [
    { route: 'POST /campaigns/{campaign}/resume', input: { campaign: name } },
    { route: 'POST /campaigns/{campaign}/cancel', input: { campaign: name } },
  ],
  approval: ({ name }) => [{ route: 'POST /campaigns/{campaign}/approve', input: { campaign: name } }],
  'dead-outbox': ({ name }) => [{ route: 'POST /outbox/retry', input: { sinks: [name], states: ['dead'] } }],
};

/** The most severe first, then those that wait longest. */
export function needsOf(rows: readonly NeedRow[], tokens: readonly TokenGauge[]): Need[] {
  const refused = tokens.flatMap(({ account, position, marks }) =>
    marks.map(({ scope, code, at }): Need => {
      const reason = scope === null ? 'the service refuses the token' : `the token lacks the scope ${scope}`;
      return need({
        kind: 'refused-token',
        account,
        name: String(position),
        run: null,
        since: at,
        code,
        reason,
      });
    }),
  );
  const others = rows.map((row) => {
    // Routes, pollers and sinks have their own names; the others are named among the syncs.
    const name = row.run === null ? row.name : jobOf(row.name).name;
    const place = { account: row.account, name, run: row.run };
    const commands =
      row.kind === 'failed-run' && jobOf(row.name).kind !== 'sync' ? [] : COMMANDS[row.kind](place);
    return { ...row, name, severity: SEVERITY[row.kind], commands: commands.filter(isServed) };
  });
  return [...refused, ...others].sort(
    (a, b) =>
      RANKS.indexOf(a.severity) - RANKS.indexOf(b.severity) || (a.since ?? '~').localeCompare(b.since ?? '~'),
  );
}

function need(fields: Omit<Need, 'severity' | 'count' | 'commands'>): Need {
  return { ...fields, severity: SEVERITY[fields.kind], count: 1, commands: [] };
}

const RANKS: readonly Need['severity'][] = ['critical', 'warning', 'info'];

const isServed = ({ route }: Command) => Object.hasOwn(ENDPOINTS, route);
