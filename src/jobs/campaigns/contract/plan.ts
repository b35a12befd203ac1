// The plan of a campaign: who it reaches, what it costs, and when each wave is due. It contains no personal data.
import { z } from 'zod';
import { Note } from '../../../core/endpoint.ts';
import { CampaignConfig } from '../config.ts';

/** ISO 8601 in UTC. */
const time = z.string();

/** Members by the code of a rule. */
export const CodeCounts = z.record(z.string(), z.number()).readonly();
export type CodeCounts = z.infer<typeof CodeCounts>;

export const PlannedWave = z.object({
  wave: z.number(),
  kind: z.enum(['canary', 'wave']),
  size: z.number(),
  /** First and last trigger. */
  startsAt: time,
  endsAt: time,
  /** The few members whose windows open late, and by how many milliseconds they delay the next wave, or the end. */
  heldUp: z
    .object({ members: z.number(), zones: z.array(z.string()).readonly(), delayMs: z.number() })
    .readonly()
    .nullish(),
});
export type PlannedWave = Readonly<z.infer<typeof PlannedWave>>;

/** The triggers of a plan on one day, in the account's time zone. */
export const PlannedDay = z.object({
  /** 2026-11-23 */
  day: z.string(),
  members: z.number(),
  /** First and last trigger of the day. */
  startsAt: time,
  endsAt: time,
});
export type PlannedDay = Readonly<z.infer<typeof PlannedDay>>;

/** A problem that prevents a plan, or a warning about it. */
export const PlanNote = Note;
export type PlanNote = Readonly<z.infer<typeof PlanNote>>;

export const CampaignPlan = z.object({
  account: z.string(),
  campaign: z.string(),
  run: z.string(),
  plannedAt: time,
  plannedBy: z.string(),
  /** Rows found, the people among them, and the rows that added no person. */
  found: z.number(),
  audience: z.number(),
  merged: z.number(),
  parts: z.array(z.object({ from: z.string(), found: z.number() }).readonly()).readonly(),
  excluded: CodeCounts,
  holdout: z.number(),
  /** Members that will be triggered unless a rule skips them. */
  eligible: z.number(),
  /** Members by the time zones of their windows. With several zones, the windows must be open in all of them. */
  zones: z
    .array(z.object({ zones: z.array(z.string()).readonly(), members: z.number() }).readonly())
    .readonly(),
  calls: z
    .object({
      /** Spent on the plan. */
      planning: z.number(),
      triggers: z.number(),
      rechecks: z.number(),
      /** Lookups of contacts whose id is not known. */
      lookups: z.number(),
      /** Moves of cards and updates of tags; the maximum. */
      after: z.number(),
    })
    .readonly(),
  /** Triggers per minute that the forecast assumes. */
  pacePerMinute: z.number(),
  /** Calls per minute that the account's tokens allow now. */
  callsPerMinute: z.number(),
  waves: z.array(PlannedWave.readonly()).readonly(),
  /** Number of waves that are not listed. */
  moreWaves: z.number(),
  timeZone: z.string(),
  /** Days with at least one trigger. */
  days: z.array(PlannedDay.readonly()).readonly(),
  moreDays: z.number(),
  /** Forecast time of the last trigger; null if there is none (see `problems`). */
  finishAt: time.nullable(),
  /** Reasons why the plan can't be started; empty if it can. */
  problems: z.array(PlanNote.readonly()).readonly(),
  warnings: z.array(PlanNote.readonly()).readonly(),
  approval: CampaignConfig.shape.approval,
});
export type CampaignPlan = Readonly<z.infer<typeof CampaignPlan>>;
