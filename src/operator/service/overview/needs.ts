// What waits for a person, with how urgent it is and the commands that help.

import type { Approval } from '../../../jobs/campaigns/contract/approval.ts';
import type { OpenDeadLetters } from '../../../jobs/events/operator/letters.ts';
import type { Input, Route } from '../../contract/index.ts';
import { type Need, REVIEWABLE, type Reviewable, type TokenGauge } from '../../contract/overview.ts';
import type { NeedRow } from '../../store/overview/needs.ts';
import { failingNeed, type Successes } from './failing-need.ts';
import type { FailingWork } from './failing-work.ts';
import { jobOf } from './jobs.ts';
import type { outagesOf } from './outages.ts';
import type { PausedSync } from './paused-syncs.ts';
import { withBlockedWork } from './refused-tokens.ts';
import { byUrgency, SEVERITY } from './urgency.ts';

/** A route of the contract, with an input that it accepts. */
type Command = { [R in Route]: { readonly route: R; readonly input: Input<R> } }[Route];
type Place = { readonly account: string | null; readonly name: string; readonly run: string | null };

const COMMANDS: Readonly<Record<NeedRow['kind'], (place: Place) => readonly Command[]>> = {
  'unknown-records': ({ name }) => [
    { route: 'POST /syncs/{sync}/retries', input: { sync: name, statuses: ['unknown'] } },
  ],
  'failed-campaign': ({ name }) => [{ route: 'POST /campaigns/{campaign}/plan', input: { campaign: name } }],
  'failed-run': ({ name }) => [{ route: 'POST /syncs/{sync}/runs', input: { sync: name } }],
  'unknown-events': (place) => [retryEvents(place, 'unknown')],
  'blocked-events': (place) => [retryEvents(place, 'blocked')],
  // Whether they were triggered is for a person to say, on the page of the campaign.
  'unknown-members': () => [],
  'failed-members': ({ name }) => [{ route: 'POST /campaigns/{campaign}/retry', input: { campaign: name } }],
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
  approval: ({ name, run }) =>
    run === null ? [] : [{ route: 'POST /campaigns/{campaign}/approve', input: { campaign: name, run } }],
  'failed-records': ({ name }) => [
    { route: 'POST /syncs/{sync}/retries', input: { sync: name, statuses: ['failed'] } },
  ],
  // Correcting them is not a command: the source has to change.
  'rejected-rows': () => [],
  'failed-events': () => [],
  'refused-events': () => [],
  // An assumption about the service's answers has to change.
  'unread-conversations': () => [],
  // Where notices go is a matter of the configuration; Sluice tries again by itself.
  'failing-notices': () => [],
  'dead-outbox': ({ name }) => [{ route: 'POST /outbox/retry', input: { sinks: [name], states: ['dead'] } }],
};

function retryEvents({ account, name }: Place, state: 'unknown' | 'blocked'): Command {
  const input = { route: name, states: [state] };
  return { route: 'POST /events/retry', input: account === null ? input : { account, ...input } };
}

interface Found {
  readonly rows: readonly NeedRow[];
  /** Of plans that wait for approval, by run: what the reader may. */
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly tokens: readonly TokenGauge[];
  readonly pauses: readonly PausedSync[];
  readonly work: readonly FailingWork[];
  readonly successes: Successes;
  /** Account null: the route is not configured any more. */
  readonly letters: readonly (OpenDeadLetters & { readonly account: string | null })[];
  readonly outages: ReturnType<typeof outagesOf>;
  /** When all of this was read. */
  readonly at: string;
  /** Account of a route. Null: the route is not configured any more. */
  accountOf(route: string): string | null;
  /** Fills the times that nothing stores. */
  withTimes(needs: readonly Need[]): Need[];
}

function isReviewable(kind: Need['kind']): kind is Reviewable {
  return (REVIEWABLE as readonly string[]).includes(kind);
}

function reviewOf(kind: Reviewable, subject: string, until: string): Command {
  return { route: 'POST /needs/review', input: { kind, subject, until } };
}

/** The most severe first, then those that wait longest. */
export function needsOf({
  rows,
  approvals,
  tokens,
  pauses,
  letters,
  work,
  successes,
  outages,
  at,
  accountOf,
  withTimes,
}: Found): Need[] {
  const refused = tokens.flatMap(({ account, position, marks }) =>
    marks.map(({ scope, code, at: since }): Need => {
      const reason = scope === null ? 'the service refuses the token' : `the token lacks the scope ${scope}`;
      return need({
        kind: 'refused-token',
        account,
        name: String(position),
        run: null,
        since,
        code,
        reason,
      });
    }),
  );
  const others = rows.map((row) => {
    // Routes, pollers and sinks have their own names; the others are named among the syncs.
    const name = row.run === null ? row.name : jobOf(row.name).name;
    const place = { account: row.account, name, run: row.run };
    const approval = row.run === null || row.kind !== 'approval' ? null : (approvals.get(row.run) ?? null);
    const isForOthers = row.kind === 'approval' && approval?.refusal !== null;
    const commands = isForOthers ? [] : COMMANDS[row.kind](place);
    const account = row.kind === 'refused-events' ? accountOf(name) : row.account;
    const review = isReviewable(row.kind) ? [reviewOf(row.kind, row.run ?? name, at)] : [];
    return {
      ...row,
      account,
      name,
      severity: SEVERITY[row.kind],
      approval,
      commands: [...commands, ...review],
    };
  });
  const broken = outages.map((outage) => need({ ...outage, run: null }));
  const found = [
    ...refused,
    ...broken,
    ...others,
    ...pauses.map(pausedNeed),
    ...letters.map(deadLetterNeed),
    ...work.map((each) => failingNeed(each, successes)),
  ];
  const all = withBlockedWork(found, tokens);
  all.sort(byUrgency);
  return withTimes(all);
}

/** A pause with a code was made by Sluice: the sync stands still until somebody removes its cause. */
function pausedNeed({ account, sync, run, by, reason, code }: PausedSync): Need {
  const kind = code === null ? 'paused-sync' : 'blocked-sync';
  const who = code === null && by !== null ? [`paused by ${by}`] : [];
  const why = [...who, ...(reason === null || reason === '' ? [] : [reason])].join(': ');
  const given = {
    kind,
    account,
    name: sync,
    run,
    since: null,
    code,
    reason: why === '' ? null : why,
  } as const;
  return { ...need(given), commands: [{ route: 'POST /syncs/{sync}/resume', input: { sync } }] };
}

function deadLetterNeed({
  account,
  cluster,
  route,
  count,
  since,
  code,
  reason,
}: Found['letters'][number]): Need {
  const given = { kind: 'dead-letters', account, name: route, run: null, since, code, reason } as const;
  return {
    ...need(given),
    count,
    commands: [{ route: 'POST /dead-letters/replay', input: { cluster, route } }],
  };
}

function need(fields: Omit<Need, 'severity' | 'count' | 'approval' | 'commands'>): Need {
  return { ...fields, severity: SEVERITY[fields.kind], count: 1, approval: null, commands: [] };
}
