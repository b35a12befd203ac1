// Endpoints of syncs.
import { z } from 'zod';
import { OUTCOMES } from '../wire/run.ts';
import { Count, Cursor, endpoint, Name, PageLimit, Time } from './endpoint.ts';

export const SyncRunSummary = z.object({
  run: z.string(),
  account: z.string(),
  sync: z.string(),
  kind: z.enum(['sync', 'retry']),
  status: z.string(),
  startedAt: Time,
  /** Null while it runs. */
  finishedAt: Time.nullable(),
  calls: Count,
  read: Count,
  outcomes: z.partialRecord(z.enum(OUTCOMES), Count),
  cards: Count,
  pending: Count,
  error: z.string().nullable(),
});
export type SyncRunSummary = z.infer<typeof SyncRunSummary>;

export const SYNCS = {
  'GET /syncs/{sync}/runs': endpoint({
    role: 'viewer',
    summary: 'List the runs of a sync and its retries, newest first.',
    input: z.strictObject({ sync: Name, limit: PageLimit, before: Cursor }),
    output: z.object({ runs: z.array(SyncRunSummary), next: z.string().nullable() }),
  }),
} as const;
