// The part `retention` of sluice.yaml: how long the ledger keeps each kind of data. One job deletes what is older.
import { z } from 'zod';
import { described, durationWithin } from '../../core/config/base.ts';

export const RetentionConfig = z.strictObject({
  calls: described(
    durationWithin('1h', '365d').default('14d'),
    'How long the call log keeps each API call with its status and request id, 1h to 365d. A million calls take about 0.4 GB. Default: 14d.',
  ),
  minutes: described(
    durationWithin('1d', '3650d').default('90d'),
    'How long the number of calls of each minute, token and run is kept, 1d to 3650d. Default: 90d.',
  ),
  refusals: described(
    durationWithin('1d', '3650d').default('90d'),
    'How long the number of refused deliveries of each hour, route and code is kept, 1d to 3650d. The newest 1,000 refusals are always kept. Default: 90d.',
  ),
  refused: described(
    durationWithin('1d', '3650d').default('14d'),
    'How long refused requests of authenticated senders are kept with their content, so that they can be corrected and replayed, 1d to 3650d. A route keeps the newest 2,000. Default: 14d.',
  ),
  rows: described(
    durationWithin('1d', '3650d').default('90d'),
    'How long records, problems of rows and warnings of a sync run are kept after its end, 1d to 3650d. The last run of a sync keeps its own. Of earlier runs, only records that changed something or failed are kept. Default: 90d.',
  ),
  runs: described(
    durationWithin('1d', '3650d').default('365d'),
    'How long sync runs with their counts are kept after their end, 1d to 3650d. The last run of a sync stays. Default: 365d.',
  ),
  members: described(
    durationWithin('1d', '3650d').default('90d'),
    "How long members of a campaign run are kept after its end, 1d to 3650d. The run's results stay, and so do the members of a campaign's last run. Default: 90d.",
  ),
  messages: described(
    durationWithin('7d', '3650d').default('180d'),
    'How long the ledger remembers messages of a conversation after its last change, 7d to 3650d. It keeps the text of a message only until the message is published, and the text of the last message of each conversation. A deleted message is not published again. Default: 180d.',
  ),
  uploads: described(
    durationWithin('1h', '365d').default('7d'),
    'How long an uploaded file is kept after its last upload, 1h to 365d. A change applies to files that are uploaded later. Default: 7d.',
  ),
  dead: described(
    durationWithin('1d', '3650d').default('365d'),
    'How long an outgoing event that a sink refused for good is kept after its last attempt, 1d to 3650d. Default: 365d.',
  ),
  audit: described(
    durationWithin('30d', '3650d').default('1095d'),
    'How long the audit log keeps what operators did, 30d to 3650d. Default: 1095d.',
  ),
});
export type RetentionConfig = z.infer<typeof RetentionConfig>;
