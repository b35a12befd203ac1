// Report of a dry run: what the next run of a sync would change, field by field, and how many calls it costs.
import { z } from 'zod';
import { ProblemTotal, RunProblem, RunWarning } from './run.ts';

const count = z.int().nonnegative();

/** What would happen to a person. An `update` that only moves a card counts as `move`. */
const PLAN_ACTIONS = ['create', 'update', 'move', 'leave'] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/** Calls of one kind. What the ledger does not know without a call makes the range. */
export const PlanCalls = z
  .object({
    /** The API call, or the purpose of several calls. */
    what: z.string(),
    /** Calls if the service already has everything, as far as the run checks before it writes. */
    min: count,
    /** Calls if the service knows nobody beyond the ledger, as on a first sync. */
    ifNew: count,
    /** Calls if the service has everyone, with other values, and snapshots of a hundred don't pay off. */
    max: count,
    /** How the numbers were calculated. */
    why: z.string(),
  })
  .readonly();
export type PlanCalls = z.infer<typeof PlanCalls>;

export const PlanChange = z
  .object({
    /** `name`, `email`, `document`, `disableBot`, `contact` (any of these), `extraInfo`, `tags`, `card` or `stage`. */
    field: z.string(),
    /** Hash of the value last sent, or the stage's name; null if nothing was sent. */
    was: z.string().nullable(),
    /** The value that would be sent. Personal data. */
    now: z.unknown(),
  })
  .readonly();
export type PlanChange = z.infer<typeof PlanChange>;

export const PlanSample = z
  .object({
    /** Row number; 0 if the person has left the source. */
    row: count,
    /** The person's number. Personal data. */
    key: z.string(),
    action: z.enum(PLAN_ACTIONS),
    steps: z.array(z.string()).readonly(),
    changes: z.array(PlanChange).readonly(),
  })
  .readonly();
export type PlanSample = z.infer<typeof PlanSample>;

/** A problem of one row. Its values are personal data. */
export const PlanProblem = z
  .object({
    row: count,
    /** `warning`: a value was left out, but the row was kept. */
    outcome: z.enum(['rejected', 'warning']),
    /** Field of the mapping. */
    where: z.string(),
    /** Column or path of the source that contained the value. */
    column: z.string().optional(),
    code: z.string(),
    reason: z.string(),
    value: z.string().optional(),
    /** The row that contradicts this one, and its value. */
    otherRow: count.optional(),
    otherValue: z.string().optional(),
  })
  .readonly();
export type PlanProblem = z.infer<typeof PlanProblem>;

/**
 * Tags that the run would set. Sluice creates no tags: a person is written without a missing tag, and a later run adds
 * it after somebody has created it in the service.
 */
export const PlanTags = z
  .object({
    /** People with a tag to set. */
    wanted: count,
    /** When Sluice last read the account's tags; null if never. */
    readAt: z.iso.datetime().nullable(),
    /** Tags that the account did not have then; null if its tags were never read, so nothing is known. */
    missing: z
      .object({
        /** Number of missing tags. Sluice stops counting names at 10,000. */
        tags: count,
        /** People with at least one missing tag. */
        people: count,
        /** The 100 tags that most people want. */
        list: z
          .array(
            z
              .object({
                tag: z.string(),
                people: count,
                /** The first rows of the source that ask for it, at most 5. */
                rows: z.array(z.int()).readonly(),
              })
              .readonly(),
          )
          .readonly(),
      })
      .readonly()
      .nullable(),
  })
  .readonly();
export type PlanTags = z.infer<typeof PlanTags>;

/** read = create + update + move + unchanged + merged + rejected; people who left the source are counted apart. */
export const PlanReport = z
  .object({
    account: z.string(),
    sync: z.string(),
    read: count,
    /** People that the ledger does not know; the service may. With mode `update`, Sluice only looks them up. */
    create: count,
    update: count,
    move: count,
    unchanged: count,
    /** Rows whose person is already represented by another row. */
    merged: count,
    rejected: count,
    /** Records that the last run did not finish; included in `read`. */
    carried: count,
    /** People who left the source and would be changed. */
    vanished: count,
    /** Per field, the number of people for which Sluice would write it, by whether the ledger knows them. */
    fields: z.object({ update: z.record(z.string(), count), create: z.record(z.string(), count) }).readonly(),
    tags: PlanTags,
    calls: z
      .object({ min: count, ifNew: count, max: count, steps: z.array(PlanCalls).readonly() })
      .readonly(),
    /** Combined pace of the account's tokens now; `seconds` from the start to the last call. */
    pace: z.object({ callsPerMinute: z.number(), minSeconds: count, maxSeconds: count }).readonly(),
    /** When a run that starts now would end if nothing else uses the tokens. */
    done: z.object({ earliest: z.iso.datetime(), latest: z.iso.datetime() }).readonly(),
    warnings: z.array(RunWarning).readonly(),
    /** Problems of rows, counted by reason. */
    totals: z.array(ProblemTotal).readonly(),
    /** The first few rejected rows. `sluice sync plan --json` replaces them with all problems. */
    problems: z.array(RunProblem).readonly(),
    samples: z.array(PlanSample).readonly(),
  })
  .readonly();
export type PlanReport = z.infer<typeof PlanReport>;
