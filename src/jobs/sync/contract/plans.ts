// Endpoints of dry runs: what the next run of a sync would do, without a call and without a change.
import { z } from 'zod';
import {
  Count,
  Cursor,
  ErrorBody,
  endpoint,
  Name,
  NoteParams,
  PageLimit,
  Time,
  Unmask,
} from '../../../core/endpoint.ts';
import { Lines } from './lines.ts';
import { PlanProblem, PlanReport } from './plan.ts';

export const DryRun = z.object({
  plan: z.string(),
  account: z.string(),
  sync: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  startedAt: Time,
  /** Rows read so far, and their share of the source (0 to 1; null if unknown). */
  read: Count,
  share: z.number().nullable(),
  report: PlanReport.nullable(),
  /** Of the rows that the report names. */
  lines: Lines,
  /** Problems of rows that `GET /plans/{plan}/problems` lists. */
  listed: Count,
  error: ErrorBody.shape.error.nullable(),
});
export type DryRun = z.infer<typeof DryRun>;

/** With the case of its reason. */
const ListedProblem = PlanProblem.unwrap().extend({ params: NoteParams.optional() });

const Plan = z.string().max(100);

export const PLANS = {
  'POST /syncs/{sync}/plans': endpoint({
    role: 'editor',
    summary: 'Start a dry run of a sync. Follow it with `GET /plans/{plan}`.',
    input: z.strictObject({
      sync: Name,
      samples: z.int().min(0).max(1000).default(3).describe('People of each kind of change to show in full.'),
      problems: z.boolean().default(true).describe('Keeps all problems of rows.'),
    }),
    reads: true,
    audited: true,
    audit: ['samples'],
    output: z.object({ plan: z.string() }),
  }),
  'GET /plans/{plan}': endpoint({
    role: 'editor',
    summary: 'Show the progress and the result of a dry run.',
    input: z.strictObject({
      plan: Plan,
      waitMs: z.int().min(0).max(10_000).default(0).describe('Answers earlier if the dry run ends.'),
      unmask: Unmask,
    }),
    output: DryRun,
    auditOutput: ['sync', 'report.samples.row'],
  }),
  'GET /plans/{plan}/problems': endpoint({
    role: 'editor',
    summary: 'List the problems of rows that a dry run found, in the order of the source.',
    input: z.strictObject({ plan: Plan, limit: PageLimit, after: Cursor, unmask: Unmask }),
    output: z.object({ problems: z.array(ListedProblem), lines: Lines, next: z.string().nullable() }),
    auditOutput: ['problems.row'],
  }),
  'POST /plans/{plan}/cancel': endpoint({
    role: 'editor',
    summary: 'Stop a dry run and discard what it found.',
    input: z.strictObject({ plan: Plan }),
    reads: true,
    output: z.object({ plan: z.string() }),
  }),
} as const;
