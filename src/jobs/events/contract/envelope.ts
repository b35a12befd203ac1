// The events that Sluice publishes: CloudEvents 1.0 in structured JSON, one schema for every sink.
import { z } from 'zod';
import { described } from '../../../core/config/base.ts';
import { CampaignMemberEvent, CampaignRunEvent } from '../../campaigns/contract/campaign-events.ts';
import { ConversationEvent } from '../../conversations/contract/events.ts';
import { OptOutEvent } from '../../outbox/contract/opt-out-events.ts';
import { type RunReport, RunSummary } from '../../sync/contract/run.ts';
import { DeadLetterEvent } from './dead-letter-events.ts';

export const RUN_END_STATUSES = ['finished', 'cancelled', 'failed'] as const;
export type RunEndStatus = (typeof RUN_END_STATUSES)[number];

/**
 * A run has ended. Sluice delivers the event at least once; a repeated event has the same `id`. It contains counts and
 * warnings. The only values of rows in it are names of tags that the account lacks (warning UNKNOWN_TAG).
 */
export const RunEndedEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: described(z.string().min(1), '`{run}/{status}`. A repeated event has the same id.'),
    source: described(
      z.string().regex(/^\/sluice\/accounts\/[^/]+\/syncs\/[^/]+$/),
      '`/sluice/accounts/{account}/syncs/{sync}`.',
    ),
    type: z.enum(RUN_END_STATUSES.map((status) => `sluice.sync.${status}` as const)),
    time: described(z.iso.datetime(), 'Time at which the run ended, in UTC.'),
    datacontenttype: z.literal('application/json'),
    partitionkey: described(
      z.string().min(1),
      '`{account}/{sync}`. Events with the same key arrive in order (CloudEvents extension "partitioning").',
    ),
    data: RunSummary,
  })
  .readonly();
export type RunEndedEvent = z.infer<typeof RunEndedEvent>;

export interface EndedRun {
  readonly account: string;
  readonly sync: string;
  readonly status: RunEndStatus;
  readonly endedAt: Date;
  readonly report: RunReport;
}

/**
 * Builds the event of a run that has ended. The result is the same each time. It leaves out the rows with problems,
 * because their reasons may quote a value.
 */
export function runEndedEvent({ account, sync, status, endedAt, report }: EndedRun): RunEndedEvent {
  return RunEndedEvent.parse({
    specversion: '1.0',
    id: `${report.run}/${status}`,
    source: `/sluice/accounts/${account}/syncs/${sync}`,
    type: `sluice.sync.${status}`,
    time: endedAt.toISOString(),
    datacontenttype: 'application/json',
    partitionkey: `${account}/${sync}`,
    // Drops unknown keys, such as `problems`.
    data: RunSummary.parse(report),
  });
}

/** Every event that rules of an account select. */
export const AnnouncedEvent = z.union([
  ConversationEvent,
  CampaignRunEvent,
  CampaignMemberEvent,
  OptOutEvent,
  DeadLetterEvent,
]);
export type AnnouncedEvent = z.infer<typeof AnnouncedEvent>;

/** Every event that a sink can receive. */
export const SinkEvent = z.union([RunEndedEvent, AnnouncedEvent]);
export type SinkEvent = z.infer<typeof SinkEvent>;
