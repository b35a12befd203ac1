// The part `retention` of sluice.yaml: how long the ledger keeps what only operators read.
import { z } from 'zod';
import { described, durationWithin } from './config-base.ts';

export const RetentionConfig = z.strictObject({
  calls: described(
    durationWithin('1h', '365d').default('14d'),
    'How long the call log keeps each API call with its status and request id, 1h to 365d. A million calls take about 0.4 GB. Default: 14d.',
  ),
  minutes: described(
    durationWithin('1d', '3650d').default('90d'),
    'How long the number of calls of each minute, token and run is kept, 1d to 3650d. Default: 90d.',
  ),
});
export type RetentionConfig = z.infer<typeof RetentionConfig>;
