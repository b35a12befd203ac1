// Endpoints of failed events that somebody corrects and replays.
import { z } from 'zod';
import { endpoint, Unmask } from '../../../core/endpoint.ts';
import { EventId } from './events.ts';
import { DryRunNow } from './refusals.ts';
import { RefusedRequestResult } from './refused-requests.ts';

/** What the event asks for, as `GET /events/{event}` shows it, with corrections. Keys of people follow their numbers. */
const Corrected = z.record(z.string(), z.unknown());

export const EVENT_CORRECTIONS = {
  'POST /events/{event}/dry-run': endpoint({
    role: 'operator',
    reads: true,
    audited: true,
    summary: 'Show what a failed event with a corrected request would come to. Nothing is accepted.',
    input: z.strictObject({ event: EventId, request: Corrected, unmask: Unmask }),
    jsonBytes: 2_000_000,
    output: z.object({ now: DryRunNow }),
  }),
  'POST /events/{event}/replay': endpoint({
    role: 'operator',
    summary:
      'Replace a failed event by a new one with a corrected request. A repeated replay makes one event, and the old one never runs again.',
    input: z.strictObject({ event: EventId, request: Corrected }),
    jsonBytes: 2_000_000,
    audit: [],
    auditOutput: ['result.id', 'result.outcome'],
    output: z.object({ result: RefusedRequestResult }),
  }),
} as const;
