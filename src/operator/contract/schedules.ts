// Endpoints of schedules: those of the configuration and those of the Temporal server.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, PageLimit, Reason, Time } from '../../core/endpoint.ts';

export const JOB_KINDS = ['sync', 'campaign'] as const;
export type Job = (typeof JOB_KINDS)[number];
const JobKind = z.enum(JOB_KINDS);

/** A sync or a campaign. */
const JobName = z.object({ job: JobKind, account: z.string(), name: z.string() });

export const ScheduleEntry = JobName.extend({
  scheduleId: z.string(),
  /** Whether the server matches the configuration; `not-configured`: only the server has it. */
  state: z.enum(['in-step', 'differs', 'not-applied', 'not-configured']),
  cron: z.array(z.string()),
  timeZone: z.string(),
  paused: z.boolean(),
  note: z.string().nullable(),
  /** Times in the schedule's own zone, as 2026-11-23T06:00:00-03:00. */
  next: z.array(Time),
  last: z.object({ at: Time, workflowId: z.string() }).nullable(),
  taken: Count,
  /**
   * Scheduled times that were skipped: a run was active, or the server was down for longer than the catch-up window.
   */
  skippedForOverlap: Count,
  missedCatchUp: Count,
});
export type ScheduleEntry = z.infer<typeof ScheduleEntry>;

export const ScheduleChange = JobName.extend({ change: z.enum(['create', 'update', 'delete', 'none']) });
export type ScheduleChange = z.infer<typeof ScheduleChange>;

/** A backfill's times are all due at once: what to do with the second and later ones. */
const BACKFILL_OVERLAPS = ['skip', 'buffer-one', 'buffer-all'] as const;

const named = { job: JobKind, name: Name };
const Id = z.string();

export const SCHEDULES = {
  'GET /schedules': endpoint({
    role: 'viewer',
    summary: 'List the schedules of the configuration and the Temporal server, with their next times.',
    input: z.strictObject({ job: JobKind, limit: PageLimit, after: Cursor }),
    output: z.object({ schedules: z.array(ScheduleEntry), next: z.string().nullable() }),
  }),
  'POST /schedules/apply': endpoint({
    role: 'operator',
    summary: 'Create, update and delete schedules on the Temporal server to match the configuration.',
    input: z.strictObject({ jobs: z.array(JobKind).min(1).readonly().default(JOB_KINDS), reason: Reason }),
    audit: ['jobs'],
    output: z.object({ changes: z.array(ScheduleChange) }),
  }),
  'POST /schedules/{job}/{name}/pause': endpoint({
    role: 'operator',
    summary: 'Pause a schedule. Times during the pause are skipped.',
    input: z.strictObject({ ...named, reason: Reason }),
    output: z.object({ scheduleId: Id, paused: z.literal(true) }),
  }),
  'POST /schedules/{job}/{name}/resume': endpoint({
    role: 'operator',
    summary: 'Resume a paused schedule.',
    input: z.strictObject({ ...named, reason: Reason }),
    output: z.object({
      scheduleId: Id,
      paused: z.literal(false),
      next: Time.nullable(),
      timeZone: z.string(),
    }),
  }),
  'POST /schedules/{job}/{name}/trigger': endpoint({
    role: 'operator',
    summary: 'Start a scheduled run now.',
    input: z.strictObject({ ...named, reason: Reason }),
    output: z.object({
      scheduleId: Id,
      /** A run was active already. */
      busy: z.boolean(),
      outcome: z.enum(['started', 'skipped', 'waiting']),
      overlap: z.enum(['skip', 'buffer-one', 'cancel-other']),
    }),
  }),
  'POST /schedules/{job}/{name}/backfill': endpoint({
    role: 'operator',
    summary: 'Start the runs of a past period now, for example after a long outage.',
    input: z.strictObject({
      ...named,
      from: Time,
      to: Time,
      overlap: z.enum(BACKFILL_OVERLAPS).default('skip'),
      reason: Reason,
    }),
    audit: ['from', 'to', 'overlap'],
    output: z.object({ scheduleId: Id, scheduledTimes: Count, timeZone: z.string() }),
  }),
} as const;
