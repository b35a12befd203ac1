// What a dry run says: what the next run of a sync would do, field by field, and what that costs.
import { z } from 'zod';
import { ProblemTotal, RunProblem, RunWarning } from './run.ts';

const count = z.int().nonnegative();

/** What would happen with a person. `update` with a card move alone counts as `move`. */
export const PLAN_ACTIONS = ['create', 'update', 'move', 'leave'] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/** Calls of one kind. What the ledger can't tell without a call makes the range. */
export const PlanCalls = z
  .object({
    /** The call of the API, or what several of them are for. */
    what: z.string(),
    /** If the service has all of it already, as far as the run looks before it writes. */
    min: count,
    /** If the service knows nobody whom the ledger does not know: a first sync. */
    ifNew: count,
    /** If all of them are there already, with other values, and asking by the hundred is no use. */
    max: count,
    /** The arithmetic. */
    why: z.string(),
  })
  .readonly();
export type PlanCalls = z.infer<typeof PlanCalls>;

export const PlanChange = z
  .object({
    /** `name`, `email`, `document`, `disableBot`, `contact` (which of these is not known), `extraInfo`, `tags`, `card`, `stage`. */
    field: z.string(),
    /** Hash of what was sent last, or the stage's name; null when nothing was. */
    was: z.string().nullable(),
    /** What would be sent. Personal data. */
    now: z.unknown(),
  })
  .readonly();
export type PlanChange = z.infer<typeof PlanChange>;

export const PlanSample = z
  .object({
    /** 0: the person has left the source. */
    row: count,
    /** The person's number. Personal data. */
    key: z.string(),
    action: z.enum(PLAN_ACTIONS),
    steps: z.array(z.string()).readonly(),
    changes: z.array(PlanChange).readonly(),
  })
  .readonly();
export type PlanSample = z.infer<typeof PlanSample>;

/** What is wrong with one row. Its values are personal data. */
export const PlanProblem = z
  .object({
    row: count,
    /** `warning`: something was left out, and the row was kept. */
    outcome: z.enum(['rejected', 'warning']),
    /** Field of the mapping. */
    where: z.string(),
    /** Column or path of the source that the value came from. */
    column: z.string().optional(),
    code: z.string(),
    reason: z.string(),
    value: z.string().optional(),
    /** The row that this one differs from, and its value. */
    otherRow: count.optional(),
    otherValue: z.string().optional(),
  })
  .readonly();
export type PlanProblem = z.infer<typeof PlanProblem>;

/** read = create + update + move + unchanged + merged + rejected; people who left the source are counted apart. */
export const PlanReport = z
  .object({
    account: z.string(),
    sync: z.string(),
    read: count,
    /** People whom the ledger does not know: the service may know them all the same. With mode `update` they are looked up only. */
    create: count,
    update: count,
    move: count,
    unchanged: count,
    /** Rows whose person another row already represents. */
    merged: count,
    rejected: count,
    /** Records that the last run left undone; part of `read`. */
    carried: count,
    /** People who left the source and would be acted on. */
    vanished: count,
    /** How many people each field would be written for, of those known and of those new to the ledger. */
    fields: z.object({ update: z.record(z.string(), count), create: z.record(z.string(), count) }).readonly(),
    calls: z
      .object({ min: count, ifNew: count, max: count, steps: z.array(PlanCalls).readonly() })
      .readonly(),
    /** All tokens of the account, as they stand now; `seconds` from the start to the last call. */
    pace: z.object({ callsPerMinute: z.number(), minSeconds: count, maxSeconds: count }).readonly(),
    /** When a run that begins now would be done, if nothing else spends the calls. */
    done: z.object({ earliest: z.iso.datetime(), latest: z.iso.datetime() }).readonly(),
    warnings: z.array(RunWarning).readonly(),
    /** Problems of rows, counted by reason. */
    totals: z.array(ProblemTotal).readonly(),
    /** The first few rows that were rejected. `sluice sync plan --json` prints all problems in their place. */
    problems: z.array(RunProblem).readonly(),
    samples: z.array(PlanSample).readonly(),
  })
  .readonly();
export type PlanReport = z.infer<typeof PlanReport>;
