// Endpoints of incoming events and of the messages that they sent.
import { z } from 'zod';
import {
  Count,
  Cursor,
  endpoint,
  Name,
  Note,
  PageLimit,
  Reason,
  Time,
  Unmask,
} from '../../../core/endpoint.ts';
import { EVENT_ACTIONS, EVENT_OUTCOMES, EVENT_PROGRESS, EventWarning } from './intake.ts';

export const EventId = z.string().min(1).max(300);

/** An event as operators see it, without personal data. */
export const EventSummary = z.object({
  id: z.string(),
  account: z.string(),
  route: z.string(),
  action: z.enum(EVENT_ACTIONS),
  /** `received`: its sender was asked to send it again. `accepted`: a workflow owns it. */
  state: z.enum(EVENT_PROGRESS),
  outcome: z.enum(EVENT_OUTCOMES).nullable(),
  step: z.string().nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  /** Why it waits for a person. */
  blocked: Note.nullable(),
  warnings: z.array(EventWarning),
  workflow: z.string().nullable(),
  receivedAt: Time,
  acceptedAt: Time.nullable(),
  endedAt: Time.nullable(),
});
export type EventSummary = z.infer<typeof EventSummary>;

/** `open`: accepted and not ended. `blocked`: open, and waits for a person. */
export const EVENT_STATES = ['received', 'open', 'blocked', ...EVENT_OUTCOMES] as const;

/** Selects events: exactly these ids, or all that match the other fields. */
export const EventFilter = z.strictObject({
  ids: z.array(EventId).min(1).max(1000).readonly().optional(),
  account: Name.optional().describe('Only entries of this account.'),
  route: Name.optional().describe('Only events of this route.'),
  /** Events in one of these states. Without it, all. */
  states: z.array(z.enum(EVENT_STATES)).min(1).max(20).readonly().optional(),
  codes: z.array(Name).min(1).max(100).readonly().optional(),
  /** Received at this time or later, and before that time. */
  since: Time.optional(),
  until: Time.optional(),
});
export type EventFilter = z.infer<typeof EventFilter>;

/** A message that Sluice sent. */
export const DeliveryEntry = z.object({
  event: z.string(),
  account: z.string(),
  /** Short hash of the message's id, because the id may contain a phone number. */
  message: z.string(),
  conversation: z.int().nullable(),
  /** API text, Message status. */
  status: z.string(),
  ack: z.int().nullable(),
  sentAt: Time,
  /** When its status was last read. */
  checkedAt: Time.nullable(),
  /** When it is checked next. Null: it is no longer followed. */
  nextAt: Time.nullable(),
  deadline: Time,
  /** Why checks ended, unless its status shows it: `DEADLINE`, `NOT_FOUND`, or a code of the API. */
  endCode: z.string().nullable(),
});
export type DeliveryEntry = z.infer<typeof DeliveryEntry>;

/** One API call that an event led to. */
export const EventCall = z.object({
  at: Time,
  method: z.string(),
  /** Path template. */
  route: z.string(),
  /** Null: the answer was lost. */
  status: z.int().nullable(),
  code: z.string().nullable(),
  requestId: z.string().nullable(),
  /** Until the call went out, mostly the wait for a slot; then until the answer. */
  waitMs: Count,
  tookMs: Count,
});
export type EventCall = z.infer<typeof EventCall>;

export const EventDetail = EventSummary.extend({
  /** Internal errors of the service in a row. */
  attempts: Count,
  /** What it asks for, masked unless asked otherwise. Null: it has ended, and nobody needs it any more. */
  request: z.unknown(),
  /** Id of the corrected event that somebody replayed in its place. */
  replacedBy: z.string().nullable(),
  /** It failed, and a corrected event can take its place. Events of Sluice's own routes are sent again instead. */
  canCorrect: z.boolean(),
  /** Id of the OpenTelemetry trace that it continues. Null: it has none. */
  trace: z.string().nullable(),
  /** Oldest first, at most 100. Calls are kept for `retention.calls`. */
  calls: z.array(EventCall),
  messages: z.array(DeliveryEntry),
});
export type EventDetail = z.infer<typeof EventDetail>;

export const EVENTS = {
  'GET /events': endpoint({
    role: 'viewer',
    summary: 'List events, newest first.',
    // Ids are in the URL, whose length is limited.
    input: EventFilter.extend({
      ids: z.array(EventId).min(1).max(100).readonly().optional(),
      limit: PageLimit,
      before: Cursor,
    }),
    output: z.object({ events: z.array(EventSummary), next: z.string().nullable() }),
  }),
  'GET /event-values': endpoint({
    role: 'viewer',
    summary: 'List the routes and the error codes that events have, to filter by.',
    input: z.strictObject({}),
    output: z.object({
      /** At most 1,000 of each, in order. */
      routes: z.array(z.string()),
      /** Of ended and of blocked events. */
      codes: z.array(z.string()),
    }),
  }),
  'GET /events/{event}': endpoint({
    role: 'viewer',
    summary:
      'Show one event with its history: its request, the calls that it led to, and the messages that it sent.',
    input: z.strictObject({ event: EventId, unmask: Unmask }),
    output: EventDetail,
  }),
  'POST /events/retry': endpoint({
    role: 'operator',
    summary: 'Retry events that failed, whose outcome is unknown, or that wait for a person.',
    input: EventFilter.extend({ limit: z.int().min(1).max(5000).default(1000), reason: Reason }),
    audit: ['ids', 'account', 'route', 'states', 'codes', 'since', 'until'],
    output: z.object({
      /** Ids of events that begin again. */
      retried: z.array(z.string()),
      /** Ids of blocked events whose workflow continues, and the number of these workflows. */
      continued: z.array(z.string()),
      workflows: Count,
      /** Ids of events that have succeeded or are in progress. Empty for a filter without ids. */
      left: z.array(z.string()),
    }),
  }),
  'POST /events/resolve': endpoint({
    role: 'operator',
    summary: 'Record that events whose outcome is unknown took effect.',
    input: z.strictObject({
      ids: z
        .array(EventId)
        .min(1)
        .max(1000)
        .readonly()
        .describe('Events that are not unknown do not change.'),
      reason: Reason,
    }),
    audit: ['ids'],
    output: z.object({
      /** Ids of the events that count as done now. */
      resolved: z.array(z.string()),
    }),
    auditOutput: ['resolved'],
  }),
  'GET /deliveries': endpoint({
    role: 'viewer',
    summary: 'List messages that Sluice sent, with their status, newest first.',
    input: z.strictObject({
      event: EventId.optional(),
      account: Name.optional(),
      /** True: only messages that are still followed. False: only others. */
      open: z.boolean().optional(),
      limit: PageLimit,
      before: Cursor,
    }),
    output: z.object({ messages: z.array(DeliveryEntry), next: z.string().nullable() }),
  }),
} as const;
