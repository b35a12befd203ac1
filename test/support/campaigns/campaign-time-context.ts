// The context of a file whose campaigns take weeks: one Temporal server whose time runs ahead, and what it needs to be judged by.
import { Temporal } from 'temporal-polyfill';
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../src/core/sql/database.ts';
import { SendingWindows } from '../../../src/jobs/campaigns/config.ts';
import { type Environment, openEnvironment } from '../environment.ts';
import type { PanelFlowRun } from '../panel.ts';
import { testLedger } from '../postgres/ledger.ts';
import {
  type SkippingTemporal,
  startSkippingTemporal,
  startSkippingWorker,
} from '../temporal/time-skipping.ts';
import { wallOracle } from '../temporal/wall-clock.ts';
import type { WorkflowWorker } from '../temporal/workflow-worker.ts';
import { type campaignEnvironment, flowRuns } from './campaign-context.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface TimeContext {
  /** Opens a test environment that lives in Temporal's time, works in it, and closes it whatever happened. */
  inEnvironment(
    options: ReturnType<typeof campaignEnvironment>,
    work: (environment: Environment) => Promise<void>,
  ): Promise<void>;
  readonly temporal: SkippingTemporal;
  /** Lets time pass until then. */
  passUntil(ms: number): Promise<void>;
}

/** Call it once, at the top of a test file. Its time only goes on: what a test needs of the calendar is its next occurrence. */
export function timeContext(): TimeContext {
  let temporal: SkippingTemporal;
  let db: Database;
  let workflows: WorkflowWorker;
  beforeAll(async () => {
    db = await testLedger();
    temporal = await startSkippingTemporal();
    workflows = await startSkippingWorker(temporal);
  });
  afterAll(async () => {
    try {
      await workflows?.stop();
    } finally {
      await temporal?.close();
    }
  });
  return {
    async inEnvironment(options, work) {
      const environment = await openEnvironment({ temporal, workflows, db, time: temporal, ...options });
      try {
        await work(environment);
      } finally {
        await environment.close();
      }
    },
    get temporal() {
      return temporal;
    },
    async passUntil(ms) {
      await temporal.pass(ms - (await temporal.clock.now()));
    },
  };
}

/** When the clocks of this zone are next set forward or back. */
export function nextChange(zone: string, direction: 'forward' | 'back', afterMs: number): number {
  let at = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null) throw new Error(`${zone} does not change its clocks any more`);
    const before = next.subtract({ milliseconds: 1 });
    if (next.offsetNanoseconds > before.offsetNanoseconds === (direction === 'forward'))
      return next.epochMilliseconds;
    at = next;
  }
}

/** The next midnight before this weekday (from 1 for Monday), as the clocks of a zone show it. */
export function nextWeekday(zone: string, dayOfWeek: number, afterMs: number): number {
  const date = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone).toPlainDate();
  const days = ((dayOfWeek - date.dayOfWeek + 6) % 7) + 1;
  return date.add({ days }).toZonedDateTime(zone).epochMilliseconds;
}

export const dateIn = (zone: string, ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString();

/** When flows ran, in order. */
export async function triggerTimes(environment: Environment): Promise<number[]> {
  return (await flowRuns(environment)).map(({ at }) => Date.parse(at)).sort((one, other) => one - other);
}

/** Flows that the service reports as run while any of the contact's zones was outside the windows. */
export async function outsideWindows(
  environment: Environment,
  windows: object,
  zonesOf: (contact: number) => readonly string[],
): Promise<PanelFlowRun[]> {
  const parsed = SendingWindows.parse(windows);
  const runs = await flowRuns(environment);
  return runs.filter(
    ({ at, contactId }) => !zonesOf(contactId).every((zone) => wallOracle(parsed, zone)(Date.parse(at))),
  );
}

/** Seconds, at most, between the service's log and the ledger's times: more would mean that time ran ahead during a call. */
export async function clocksApart(environment: Environment, run: string): Promise<number> {
  const at = new Map((await flowRuns(environment)).map((each) => [each.contactId, Date.parse(each.at)]));
  const members = await environment.db.query<{ contact: number; at: Date }>(
    'select contact_id::int as contact, triggered_at as at from campaign_members where run_id = $1 and triggered_at is not null',
    [run],
  );
  const apart = members.map((member) => Math.abs((at.get(member.contact) ?? 0) - member.at.getTime()));
  return Math.max(0, ...apart) / 1000;
}
