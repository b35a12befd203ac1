// The part `pollers` of sluice.yaml: which conversations are followed, and how eagerly.
import { z } from 'zod';
import { described, durationWithin, name } from './config-base.ts';

export const PollerConfig = z.strictObject({
  account: described(name, 'Which of `accounts` is polled'),
  connection: z.int().positive().optional().meta({
    description: 'Only conversations of this connection, by id; without it all of the account',
  }),
  from: z
    .union([
      // First, so that its message is the one that a wrong value gets.
      z.iso.date('write now, all, 2026-11-20 or 2026-11-20T10:00:00-03:00'),
      z.enum(['now', 'all']),
      z.iso.datetime({ offset: true }),
    ])
    .default('now')
    .meta({
      description:
        'Where the first start begins: now; all of the history; or a time (a date alone begins at 00:00 UTC). Later starts go on where the poller was',
    }),
  interval: z
    .strictObject({
      min: durationWithin('500ms', '1h')
        .default('3s')
        .meta({ description: 'Between two polls while there is news' }),
      max: durationWithin('1s', '1d')
        .default('30s')
        .meta({ description: 'Between two polls while all is quiet' }),
    })
    .prefault({})
    .meta({ description: 'How often page 1 is asked for: often when busy, ever less when idle' }),
  share: z.number().gt(0).max(1).default(0.5).meta({
    description:
      "Part of the account's calls that polling may take before campaigns and syncs; beyond it, it takes what they leave",
  }),
  pageSize: z.int().min(1).max(100).default(100).meta({ description: 'Conversations a page' }),
});
export type PollerConfig = z.infer<typeof PollerConfig>;
