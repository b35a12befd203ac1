// Endpoints to fix and retry: rejected rows of a run are handed out as CSV, corrected, and synced alone.
import { z } from 'zod';
import { Count, endpoint, Name, Reason } from '../../../core/endpoint.ts';

const Run = z.string().max(700);

export const CORRECTIONS = {
  'POST /syncs/{sync}/runs/{run}/rejected-rows': endpoint({
    role: 'operator',
    summary:
      'Read the rejected rows of a run from its file, as CSV with the delimiter of that file, line and reason. Only while the file is that of the run.',
    input: z.strictObject({ sync: Name, run: Run }),
    reads: true,
    audited: true,
    auditOutput: ['rows'],
    output: z.object({
      /** In plain text, safe in spreadsheets. */
      csv: z.string(),
      rows: Count,
      /** More rows were rejected than the file has. */
      more: z.boolean(),
    }),
  }),
  'POST /uploads/{upload}/corrections': endpoint({
    role: 'operator',
    summary:
      'Start a run of a sync over the rows of an uploaded file only. Nobody else counts as gone. Columns `sluice_…` are ignored.',
    input: z.strictObject({ upload: z.string().max(100), sync: Name, reason: Reason }),
    audit: ['sync'],
    output: z.object({
      /** Follow it with `GET /syncs/{sync}/progress`. */
      execution: z.string(),
      rows: Count,
      /** False: the run waits until a worker starts. */
      workers: z.boolean(),
    }),
  }),
} as const;
