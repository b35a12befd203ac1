// Incoming events: what an event asks for after mapping, and its progress.

import { z } from 'zod';
import { FlowId } from '../../../core/config/base.ts';
import { isCampaignRoute } from '../../../core/ids.ts';
import { CrmRecord } from '../../../core/record.ts';
import type { TraceContext } from '../../../core/tracing.ts';
import { MappingConfig } from '../../../mapping/config.ts';
import { SyncConfig } from '../../sync/config.ts';

const id = z.int().positive();
/** E.164 without plus. */
const number = z.string().regex(/^\d{7,15}$/);
/** Identity of a person: the number with the Brazilian ninth digit. */
const key = number;

/** Upsert a contact with tags and a card. */
const LeadRequest = z.object({ type: z.literal('lead'), record: CrmRecord });

/** API text, POST /v1/messages/send and POST /v1/conversations/{ticketId}/messages. */
export const MessageRequest = z.object({
  type: z.literal('message'),
  to: z.union([z.object({ number, key }), z.object({ conversation: id })]),
  text: z.string().min(1).optional(),
  template: z
    .object({ name: z.string().min(1), language: z.string().min(1), parameters: z.array(z.string()) })
    .optional(),
  media: z
    .object({
      urls: z.array(z.url({ protocol: /^https?$/ })).min(1),
      hosts: z.array(z.string()),
      maxBytes: z.int().positive(),
      allowPrivate: z.boolean(),
      timeoutMs: z.int().positive(),
    })
    .optional(),
  /** Ids of files that were uploaded before, as the upload returned them. */
  uploads: z.array(z.string().min(1)).min(1).optional(),
  /**
   * What to do if the 24-hour window of a waba conversation is closed. `refuse`: the event fails with WINDOW_CLOSED
   * before it spends a call. `template`: the template replaces text and files, also if the window is not known.
   * `send`: everything is sent.
   */
  outsideWindow: z.enum(['refuse', 'template', 'send']).optional(),
  connection: z.union([id, z.string().min(1)]).optional(),
  contactName: z.string().min(1).optional(),
  saveOnTicket: z.boolean(),
});

/** API text, POST /v1/flows/trigger. */
const FlowRequest = z.object({
  type: z.literal('flow'),
  number,
  key,
  flow: FlowId,
  connection: id,
  variables: z.record(z.string(), z.unknown()),
});

const nameOrId = z.union([id, z.string().min(1)]);

/** API text, PATCH /v1/cards/{cardId}/stage. For a person, this moves the newest open card in the pipeline. */
const StageRequest = z.object({
  type: z.literal('stage'),
  of: z.union([z.object({ card: id }), z.object({ number, key })]),
  pipeline: nameOrId.optional(),
  stage: nameOrId,
});

/** API text, PUT /v1/contacts/{contactId}/tags. */
const TagsRequest = z.object({
  type: z.literal('tags'),
  number,
  key,
  add: z.array(z.string().min(1)),
  remove: z.array(z.string().min(1)),
});

/** Action that an event asks for. It is personal data, so it stays in the ledger. */
export const EventRequest = z.discriminatedUnion('type', [
  LeadRequest,
  MessageRequest,
  FlowRequest,
  StageRequest,
  TagsRequest,
]);
export type EventRequest = z.infer<typeof EventRequest>;
export const EVENT_ACTIONS = EventRequest.options.map(({ shape }) => shape.type.value);
export type RequestOf<T extends EventRequest['type']> = Extract<EventRequest, { type: T }>;

/** An event as a route has mapped it: what Sluice needs to accept it. */
export interface EventDraft {
  readonly account: string;
  readonly route: string;
  /** Hash of account, route and idempotency key, so that the same event has the same id however often it arrives. */
  readonly id: string;
  /** Person or card that the event is about. Events of one subject run one after another, in order of arrival. */
  readonly subject: string;
  /** A larger rank is newer; null keeps the order of arrival. */
  readonly rank: number | null;
  readonly request: EventRequest;
  /** Values that were left out of an accepted event, such as an invalid e-mail address. */
  readonly warnings?: readonly EventWarning[];
  /** The trace that the work on the event continues. */
  readonly trace?: TraceContext | null;
}

/** A warning without the value, because operators see it. */
export const EventWarning = z.object({
  field: z.string(),
  code: z.string(),
  reason: z.string(),
  /** Field of the event that contained the value. */
  column: z.string().exactOptional(),
});
export type EventWarning = z.infer<typeof EventWarning>;

/**
 * - `received`: stored, but no workflow has accepted it yet, so its sender was asked to send it again
 * - `accepted`: a workflow owns it
 * - `ended`: see its outcome
 */
export const EVENT_PROGRESS = ['received', 'accepted', 'ended'] as const;
export type EventState = (typeof EVENT_PROGRESS)[number];

/** `superseded`: a newer event of the same subject ran first. */
export const EVENT_OUTCOMES = ['done', 'unchanged', 'superseded', 'failed', 'unknown', 'discarded'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/**
 * Configuration that the steps of a record need, whether the record came from a source or as an event. It is frozen
 * when the run, or the route, is opened.
 */
export const StepSpec = z.object({
  account: z.string(),
  /** Name of the sync, or `@` followed by the name of the route. */
  sync: z.string(),
  options: SyncConfig.pick({
    mode: true,
    extraInfo: true,
    fields: true,
    conflict: true,
    validateNumber: true,
  }).extend({
    /** `add` keeps existing tags and does not record the new ones as Sluice's own. Syncs use the other two. */
    tags: z.enum(['merge', 'replace', 'add']),
    /** Leaves the person's card where it is. Without it, a sync moves the card when the source's stage changes. */
    keepCard: z.boolean().optional(),
  }),
  mapping: MappingConfig,
});
export type StepSpec = z.infer<typeof StepSpec>;

/** Input of the workflow `leadIntake`: ids of events of one route, in order of arrival. */
export interface LeadIntakeInput {
  readonly account: string;
  readonly route: string;
  readonly lane: EventLane;
  readonly events: readonly string[];
}

/** Steps of the actions other than `lead`; each is one API call. */
export const EFFECT_STEPS = [
  /** GET /v1/contacts?number=: the person's contact. */
  'findContact',
  /** PUT /v1/contacts/{contactId}/tags. */
  'putTags',
  /** GET /v1/cards?contactId=&pipelineId=: the newest open card. */
  'findOpenCard',
  /** PATCH /v1/cards/{cardId}/stage, and GET /v1/cards/{cardId} if the response was lost. */
  'moveCard',
  'readBackMove',
  /**
   * POST of a message. If the response was lost: GET /v1/conversations to find the conversation of a number, then the
   * newest page of that conversation.
   */
  'sendMessage',
  'findConversation',
  'readBackMessage',
  /** POST /v1/flows/trigger. Nothing can be read back. */
  'triggerFlow',
] as const;
export type EffectStep = (typeof EFFECT_STEPS)[number];

/** Result of an effect step: the next step, or null if the event has ended (its outcome is in the ledger). */
export interface EffectResult {
  readonly next: EffectStep | null;
  /** Delay before the next step, in milliseconds. */
  readonly waitMs?: number;
}

/** The next event of a subject, and the workflow that owns it. */
export interface NextInQueue {
  readonly id: string;
  readonly workflow: string;
}

/** Priority of an event and its calls. */
export type EventLane = 'reply' | 'lead' | 'campaign';

/** Messages are most urgent. Follow-up events of a campaign arrive over its route `+{campaign}` and share its lane. */
export function eventLane(action: EventRequest['type'], route: string): EventLane {
  if (isCampaignRoute(route)) return 'campaign';
  return action === 'message' ? 'reply' : 'lead';
}

/** Input of `workEvent`. */
export interface EventInput {
  readonly account: string;
  readonly event: string;
  /** The workflow that owns the event. */
  readonly workflow: string;
}

/** Result of `workEvent`. */
export type EventProgress =
  /** The event has ended, or another workflow owns it. `next` has been waiting for it. */
  | { readonly state: 'ended'; readonly next: NextInQueue | null }
  /** An earlier event of the same subject has not ended. `far`: several have not. */
  | { readonly state: 'queued'; readonly far: boolean }
  /** The event is due again after this delay. */
  | { readonly state: 'waiting'; readonly waitMs: number }
  /** The account or its plan refuses the event. */
  | { readonly state: 'blocked'; readonly reason: string };
