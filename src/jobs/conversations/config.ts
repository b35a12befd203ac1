// The part `pollers` of sluice.yaml: which conversations are followed, and how eagerly.
import { z } from 'zod';
import { described, durationWithin, name } from '../../core/config/base.ts';

export const PollerConfig = z.strictObject({
  account: described(name, 'Account to poll: a name from `accounts`.'),
  connection: z.int().positive().optional().meta({
    description:
      'Id of a connection. Only its conversations are polled. Default: all conversations of the account.',
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
        'Where the first start begins: now, all (the whole history) or a time. A date alone means 00:00 UTC. Later starts continue where the poller stopped. Default: now.',
    }),
  interval: z
    .strictObject({
      min: durationWithin('500ms', '1h')
        .default('3s')
        .meta({ description: 'Time between two polls while there is news, 500ms to 1h. Default: 3s.' }),
      max: durationWithin('1s', '1d')
        .default('30s')
        .meta({ description: 'Time between two polls while nothing happens, 1s to 1d. Default: 30s.' }),
    })
    .prefault({})
    .meta({
      description:
        'How often the poller reads page 1. The interval grows from min to max while nothing happens. Default: 3s to 30s.',
    }),
  share: z.number().gt(0).max(1).default(0.5).meta({
    description:
      "Share of the account's calls that polling gets before campaigns and syncs, above 0 and up to 1. Beyond it, polling gets what they leave. Default: 0.5.",
  }),
  pageSize: z
    .int()
    .min(1)
    .max(100)
    .default(100)
    .meta({ description: 'Conversations per page, 1 to 100. Default: 100.' }),
});
export type PollerConfig = z.infer<typeof PollerConfig>;
