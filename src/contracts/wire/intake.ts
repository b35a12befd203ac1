// An event that came in: what it asks for once it is mapped, and how far it is.

import { z } from 'zod';
import { MappingConfig, SyncConfig } from '../config/config.ts';
import { FlowId } from '../config/config-base.ts';
import { isCampaignRoute } from '../ids.ts';
import { CrmRecord } from './record.ts';

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
  /** Files that were uploaded before, by the ids that uploading answered. */
  uploads: z.array(z.string().min(1)).min(1).optional(),
  /**
   * What happens when the 24-hour window of a waba conversation is closed: the event fails with WINDOW_CLOSED before a
   * call is spent; the template goes instead of text and files, also when it is not known; or all is sent regardless.
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

/** API text, PATCH /v1/cards/{cardId}/stage. With a person: the newest open card in the pipeline. */
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

/** What an event asks for, ready to be done: personal data, so it stays in the ledger. */
export const EventRequest = z.discriminatedUnion('type', [
  LeadRequest,
  MessageRequest,
  FlowRequest,
  StageRequest,
  TagsRequest,
]);
export type EventRequest = z.infer<typeof EventRequest>;
export type RequestOf<T extends EventRequest['type']> = Extract<EventRequest, { type: T }>;

/** An event as a route has read it: what is needed to accept it. */
export interface EventDraft {
  readonly account: string;
  readonly route: string;
  /** Hash of account, route and idempotency key: one event, however often and wherever it comes in. */
  readonly id: string;
  /** Whom or what it is about: events of one subject are done one after the other, in the order in which they came. */
  readonly subject: string;
  /** Larger is newer; null: in the order in which they came. */
  readonly rank: number | null;
  readonly request: EventRequest;
  /** Values that were left out while the rest was taken, such as an e-mail that is none. */
  readonly warnings?: readonly EventWarning[];
}

/** Without the value: operators see it. */
export interface EventWarning {
  readonly field: string;
  readonly code: string;
  readonly reason: string;
  /** Field of the event that the value came from. */
  readonly column?: string;
}

/**
 * - `received`: written down, but no workflow has been accepted for it yet: its sender was asked to come again
 * - `accepted`: a workflow has it
 * - `ended`: see its outcome
 */
export type EventState = 'received' | 'accepted' | 'ended';

/** `superseded`: a newer event of the same subject was done before. */
export const EVENT_OUTCOMES = ['done', 'unchanged', 'superseded', 'failed', 'unknown', 'discarded'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/**
 * What the steps of a record need to know, whether it came out of a source or as an event; frozen when the run, or the
 * route, was opened.
 */
export const StepSpec = z.object({
  account: z.string(),
  /** Name of the sync, or `@` and the name of the route. */
  sync: z.string(),
  options: SyncConfig.pick({
    mode: true,
    extraInfo: true,
    fields: true,
    conflict: true,
    validateNumber: true,
  }).extend({
    /** `add`: on top of those that are there, and not remembered as Sluice's own. Syncs know the other two. */
    tags: z.enum(['merge', 'replace', 'add']),
    /** The card that the person has stays where it is. Syncs move it when the source's stage changes. */
    keepCard: z.boolean().optional(),
  }),
  mapping: MappingConfig,
});
export type StepSpec = z.infer<typeof StepSpec>;

/** Input of the workflow `leadIntake`: ids of events of one route, in the order in which they came. */
export interface LeadIntakeInput {
  readonly account: string;
  readonly route: string;
  readonly lane: EventLane;
  readonly events: readonly string[];
}

/** Steps of the actions other than `lead`, each one API call. */
export const EFFECT_STEPS = [
  /** GET /v1/contacts?number=: the person's contact. */
  'findContact',
  /** PUT /v1/contacts/{contactId}/tags. */
  'putTags',
  /** GET /v1/cards?contactId=&pipelineId=: the newest open card. */
  'findOpenCard',
  /** PATCH /v1/cards/{cardId}/stage, and GET /v1/cards/{cardId} when the answer was lost. */
  'moveCard',
  'readBackMove',
  /**
   * POST of a message. When the answer was lost: GET /v1/conversations for the conversation of a number, and that
   * conversation's newest page.
   */
  'sendMessage',
  'findConversation',
  'readBackMessage',
  /** POST /v1/flows/trigger: nothing can be read back. */
  'triggerFlow',
] as const;
export type EffectStep = (typeof EFFECT_STEPS)[number];

/** What an effect step answers: the next one, or null when the event has ended (its outcome is in the ledger). */
export interface EffectResult {
  readonly next: EffectStep | null;
  /** The next step is due only after this many milliseconds. */
  readonly waitMs?: number;
}

/** The next event of a subject, and the workflow that waits with it. */
export interface NextInQueue {
  readonly id: string;
  readonly workflow: string;
}

/** How urgent an event and its calls are. */
export type EventLane = 'reply' | 'lead' | 'campaign';

/** A message is most urgent. What follows the triggers of a campaign comes over its route `+{campaign}`, and is as urgent as they are. */
export function eventLane(action: EventRequest['type'], route: string): EventLane {
  if (isCampaignRoute(route)) return 'campaign';
  return action === 'message' ? 'reply' : 'lead';
}

/** Input of `workEvent`. */
export interface EventInput {
  readonly account: string;
  readonly event: string;
  /** The workflow that has it in hand. */
  readonly workflow: string;
}

/** Answer of `workEvent`. */
export type EventProgress =
  /** It has ended, or another workflow has it; `next` waits for its end. */
  | { readonly state: 'ended'; readonly next: NextInQueue | null }
  /** An earlier event of the same subject is not done yet. `far`: several are not. */
  | { readonly state: 'queued'; readonly far: boolean }
  /** It is due again after this time. */
  | { readonly state: 'waiting'; readonly waitMs: number }
  /** The account or its plan refuses it. */
  | { readonly state: 'blocked'; readonly reason: string };

/** Which events an operator means. */
export interface EventFilter {
  /** These, whatever the rest of the filter says. */
  readonly ids?: readonly string[];
  readonly account?: string;
  readonly route?: string;
  /** `open`: accepted and not ended; `blocked`: open, and waiting for somebody to act. */
  readonly states: readonly (EventOutcome | 'open' | 'blocked')[];
  readonly codes?: readonly string[];
  readonly limit: number;
}

/** An event as operators see it: nothing personal, so it may travel through Temporal. Times in ISO 8601, UTC. */
export interface EventSummary {
  readonly id: string;
  readonly account: string;
  readonly route: string;
  readonly action: EventRequest['type'];
  readonly state: EventState;
  readonly outcome: EventOutcome | null;
  readonly step: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly blocked: { readonly code: string; readonly reason: string } | null;
  readonly warnings: readonly EventWarning[];
  readonly workflow: string | null;
  readonly receivedAt: string;
  readonly acceptedAt: string | null;
  readonly endedAt: string | null;
}

export interface EventRetryInput {
  readonly filter: EventFilter;
  readonly by: string;
  /** Workflows that have ended, and still have events. */
  readonly gone: readonly string[];
}
