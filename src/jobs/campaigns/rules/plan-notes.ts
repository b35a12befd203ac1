// Problems and warnings of a plan. Each reason names the number and what to do.

import type { NoteParams } from '../../../core/endpoint.ts';
import type { CampaignConfig, OptOutConfig } from '../config.ts';
import type { PlanNote } from '../contract/plan.ts';
import { plainNumber as n, spanText, timeIn } from './figures.ts';
import type { Forecast } from './forecast.ts';
import { blindness, blindWhich, type PollerState, seeing, unreadReplies } from './reliance.ts';

export interface Connection {
  readonly id: number;
  readonly name: string;
  readonly channel: string;
  readonly status: string;
}

export interface PlanFacts {
  readonly account: string;
  readonly config: CampaignConfig;
  /** Time zone of the account, used in messages. */
  readonly timeZone: string;
  readonly optOut: OptOutConfig;
  readonly nowMs: number;
  /** Null if the list was not read. */
  readonly connections: readonly Connection[] | null;
  /** Number of people found, excluded, and in the control group. */
  readonly audience: number;
  readonly excluded: number;
  readonly holdout: number;
  readonly eligible: number;
  readonly forecast: Forecast;
  /** End of the forecast. */
  readonly horizonMs: number;
  /** Start of the campaign, and its last trigger if all members were one wave; null if that can't be forecast. */
  readonly startMs: number;
  readonly oneWaveMs: number | null;
  /** Triggers per minute needed to end in time; null if no pace is enough, or none is needed. */
  readonly paceNeeded: number | null;
  readonly pacePerMinute: number;
  readonly callsPerMinute: number;
  /** Calls per member, including those after its trigger. */
  readonly callsPerMember: number;
  readonly pollers: readonly PollerState[];
  readonly beside: { readonly syncs: readonly string[]; readonly campaigns: readonly string[] };
  /** Why no token may trigger flows, as the service has recently said; null if nothing is known against it. */
  readonly tokenRefused: string | null;
  /** Names in `after` that the account lacks. */
  readonly missing: readonly PlanNote[];
}

/** Problems that prevent the start of the campaign. */
export function problemsOf(facts: PlanFacts): PlanNote[] {
  return [
    ...connectionProblems(facts),
    ...facts.missing,
    ...audienceProblems(facts),
    ...timeProblems(facts),
    ...blindProblems(facts),
  ];
}

type ConnectionFacts = Pick<PlanFacts, 'account' | 'config' | 'connections'>;

/** Explains why the connection can't run flows. */
export function connectionProblems({ account, config, connections }: ConnectionFacts): PlanNote[] {
  if (connections === null) return [];
  const id = config.connection;
  const found = connections.find((each) => each.id === id);
  const usable = connections.filter(({ channel }) => isUsable(channel)).map(describeConnection);
  const has =
    usable.length === 0 ? 'the account has no whatsapp or waba connection' : `use ${usable.join(' or ')}`;
  if (found === undefined)
    return note('CONNECTION_NOT_FOUND', `the account "${account}" has no connection ${id}; ${has}`, {
      which: usable.length === 0 ? ['none'] : ['some'],
      account,
      connection: String(id),
      usable,
    });
  if (isUsable(found.channel)) return [];
  const reason = `connection ${describeConnection(found)} can't run flows, because only whatsapp and waba connections can; ${has}`;
  return note('CONNECTION_UNSUPPORTED', reason, {
    which: usable.length === 0 ? ['none'] : ['some'],
    connection: describeConnection(found),
    usable,
  });
}

function audienceProblems({ audience, excluded, holdout, eligible }: PlanFacts): PlanNote[] {
  if (eligible > 0) return [];
  if (audience === 0)
    return note('EMPTY_AUDIENCE', 'nobody was found; check the filters in `audience`', {
      which: ['nobody'],
    });
  const why = `of ${n(audience)} people, ${n(excluded)} are excluded and ${n(holdout)} are in the control group`;
  return note('EMPTY_AUDIENCE', `there is nobody to trigger: ${why}`, {
    which: ['left'],
    audience,
    excluded,
    holdout,
  });
}

function timeProblems(facts: PlanFacts): PlanNote[] {
  const { config, nowMs, eligible, forecast, timeZone, horizonMs } = facts;
  const end = config.end === undefined ? null : Date.parse(config.end);
  const at = (ms: number) => timeIn(timeZone, ms);
  if (end !== null && end <= nowMs)
    return note('END_PASSED', `the campaign ended at ${at(end)}; set a later \`end\``, {
      endAt: new Date(end).toISOString(),
    });
  if (eligible === 0) return [];
  if (forecast.never.length > 0) {
    const zones = forecast.never.map((each) => each.join(' and ')).join('; ');
    return note('NO_WINDOW', `the windows never open in ${zones}: check \`windows\``, {
      zones: forecast.never.flat(),
    });
  }
  const { finishMs } = forecast;
  const until = end ?? horizonMs;
  if (finishMs !== null && (end === null || finishMs < end)) return [];
  const last = finishMs === null ? null : `the last trigger would be at ${at(finishMs)}`;
  const late =
    end === null
      ? `the campaign would not finish within ${spanText(horizonMs - nowMs)}`
      : last === null
        ? `the campaign would run for years after its end at ${at(end)}`
        : `${last}, ${spanText((finishMs as number) - end)} after the end at ${at(end)}`;
  const done = `by ${end === null ? at(until) : 'then'}, ${n(forecast.byThen)} of ${n(eligible)} members are triggered`;
  const reason = `${late}; ${done}. To fix it, use ${remedies(facts, end !== null).join('; or ')}`;
  const { paceNeeded, pacePerMinute } = facts;
  return note('TOO_SLOW', reason, {
    which: [
      end === null ? 'horizon' : finishMs === null ? 'years' : 'late',
      'done',
      paceNeeded === null ? 'waves' : 'pace',
    ],
    untilAt: new Date(until).toISOString(),
    spanMs: horizonMs - nowMs,
    lateMs: finishMs === null || end === null ? 0 : finishMs - end,
    byThen: forecast.byThen,
    eligible,
    pacePerMinute,
    paceNeeded: paceNeeded ?? 0,
  });
}

function remedies(facts: PlanFacts, hasEnd: boolean): string[] {
  const { config, eligible, forecast, paceNeeded, pacePerMinute, callsPerMember, callsPerMinute } = facts;
  const fewer = `${n(eligible - forecast.byThen)} fewer members`;
  const later = hasEnd ? ['a later `end`'] : [];
  if (paceNeeded === null) {
    const why = 'at any pace `waves.every`, `waves.settle` and the windows make the waves take longer';
    return [`larger waves or less time between them (${why})`, fewer, ...later];
  }
  const now = `the plan has ${n(pacePerMinute)}`;
  const calls = Math.ceil(paceNeeded * callsPerMember);
  const limit = config.waves.callsPerMinute;
  const raise = limit !== undefined && limit < paceNeeded ? ' and a higher `waves.callsPerMinute`' : '';
  const budget =
    calls > callsPerMinute
      ? `, which need ${n(calls)} calls a minute, but the account's tokens allow ${n(callsPerMinute)}`
      : '';
  return [`${n(paceNeeded)} triggers a minute (${now})${raise}${budget}`, fewer, ...later];
}

/** Problem for rules that depend on messages which no poller can read. */
function blindProblems({ config, optOut, pollers }: PlanFacts): PlanNote[] {
  const unread = unreadReplies({ config, optOut }, pollers);
  return unread === null ? [] : [unread];
}

/** Warnings about the current state of the connection. */
export function connectionWarnings({ config, connections }: ConnectionFacts): PlanNote[] {
  if (connections === null) return note('CONNECTION_UNREAD', "the account's connections were not read");
  const found = connections.find(({ id }) => id === config.connection);
  if (found === undefined || !isUsable(found.channel) || found.status === 'CONNECTED') return [];
  return note(
    'CONNECTION_DOWN',
    `connection ${describeConnection(found)} is ${found.status}, not CONNECTED`,
    {
      connection: describeConnection(found),
      status: found.status,
    },
  );
}

/** Warnings that do not prevent the start of the plan. */
export function warningsOf(facts: PlanFacts): PlanNote[] {
  const { config, pacePerMinute, callsPerMinute, callsPerMember, pollers, beside } = facts;
  const warnings = connectionWarnings(facts);
  if (facts.tokenRefused !== null) warnings.push(...note('TOKEN_REFUSED', facts.tokenRefused));
  const limit = config.waves.callsPerMinute;
  if (limit !== undefined && facts.eligible > 0 && limit * callsPerMember > callsPerMinute) {
    const need = `${n(limit)} triggers a minute need ${n(limit * callsPerMember)} calls`;
    const reason = `${need}, but the account's tokens allow ${n(callsPerMinute)}; the plan assumes ${n(pacePerMinute)} triggers a minute`;
    const calls = limit * callsPerMember;
    warnings.push(
      ...note('RATE_OVER_BUDGET', reason, { limit, calls, allowed: callsPerMinute, pacePerMinute }),
    );
  }
  warnings.push(...slowWaves(facts), ...heldUpWaves(facts));
  const polling = pollers.filter(({ idle }) => idle === null).map(({ poller }) => `the poller "${poller}"`);
  const others = [
    ...polling,
    ...beside.syncs.map((sync) => `the sync "${sync}"`),
    ...beside.campaigns.map((campaign) => `the campaign "${campaign}"`),
  ];
  if (others.length > 0) {
    const reason = `${others.join(', ')} also use${others.length === 1 ? 's' : ''} calls of the account, so the campaign may take longer than planned`;
    const names = pollers.filter(({ idle }) => idle === null).map(({ poller }) => poller);
    warnings.push(
      ...note('SHARED_BUDGET', reason, { others: [...names, ...beside.syncs, ...beside.campaigns] }),
    );
  }
  if (!seeing(pollers) && blindProblems(facts).length === 0) {
    const unseen = [
      'replies',
      ...(config.exclude.humanService ? ['human service'] : []),
      ...(config.exclude.openConversation ? ['open conversations'] : []),
      ...(config.exclude.contactedWithin === undefined ? [] : ['messages from people']),
    ];
    warnings.push(
      ...note('NO_POLLER', `${blindness(pollers)}, so Sluice does not see: ${unseen.join(', ')}`, {
        which: [blindWhich(pollers), 'unseen'],
      }),
    );
  }
  return warnings;
}

/**
 * Warns if waves are slow because their members have windows at different hours, so that each wave takes most of a day.
 */
function slowWaves({ forecast, startMs, oneWaveMs, timeZone, pacePerMinute }: PlanFacts): PlanNote[] {
  const { finishMs, waves } = forecast;
  if (finishMs === null || oneWaveMs === null || waves.length < 2) return [];
  const later = finishMs - oneWaveMs;
  if (later < 86_400_000 || finishMs - startMs < 2 * (oneWaveMs - startMs)) return [];
  const alone = `as one wave at ${n(pacePerMinute)} triggers a minute, the campaign would end by ${timeIn(timeZone, oneWaveMs)}`;
  const why = `each of ${n(waves.length)} waves waits for the windows of all its members, \`waves.every\` and \`waves.settle\``;
  return note('SLOW_WAVES', `the waves add ${spanText(later)}: ${alone}, but ${why}`, {
    laterMs: later,
    pacePerMinute,
    aloneAt: new Date(oneWaveMs).toISOString(),
    waves: waves.length,
  });
}

/** Warns if a few members with late windows hold up waves. */
function heldUpWaves({ forecast: { waves } }: PlanFacts): PlanNote[] {
  const held = waves.flatMap(({ wave, size, heldUp }, i) =>
    heldUp === null ? [] : [{ wave, size, heldUp, next: waves[i + 1]?.wave ?? null }],
  );
  const [first] = held;
  if (first === undefined) return [];
  const { wave, size, heldUp, next } = first;
  const what = next === null ? 'the end' : `wave ${n(next)}`;
  const who = `${n(heldUp.members)} of ${n(size)} members of wave ${n(wave)} wait for the window of ${heldUp.zones.join(', ')}`;
  const more = held.length === 1 ? '' : `; ${n(held.length - 1)} more waves are held up in the same way`;
  const way = 'exclude them, widen `windows`, or use `windows.zone: account`';
  return note(
    'WAVE_HELD_UP',
    `${who}, and delay ${what} by ${spanText(heldUp.delayMs)}${more}. To avoid it, ${way}`,
  );
}

function isUsable(channel: string): boolean {
  return channel === 'whatsapp' || channel === 'waba';
}

function describeConnection({ id, name, channel }: Connection): string {
  return `${id} ("${name}", ${channel})`;
}

function note(code: string, reason: string, params?: NoteParams): PlanNote[] {
  return [params === undefined ? { code, reason } : { code, reason, params }];
}
