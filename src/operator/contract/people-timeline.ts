// The entries of a person's timeline. Each has a code and facts, from which the console and the command line make
// sentences in the reader's language.
import { z } from 'zod';
import { Count, Note, Time } from '../../core/endpoint.ts';
import { OPT_OUT_SOURCES } from '../../core/opt-out-sources.ts';

const id = z.int();

const base = {
  /** Distinguishes entries of one time. */
  id: z.string(),
  at: Time,
  account: z.string(),
  /** Id of the workflow in Temporal that did the work; null where none did, or its id is not known. */
  workflow: z.string().nullable(),
};

/** Why something did not happen, or who forbade it. */
const problem = Note.nullable();

const run = { run: z.string(), sync: z.string(), row: Count };

/** Code `received`, `blocked` (it waits for an operator), or the outcome with which the event ended. */
const EventEntry = z.object({
  ...base,
  kind: z.literal('event'),
  code: z.string(),
  event: z.string(),
  route: z.string(),
  action: z.string(),
  step: z.string().nullable(),
  problem,
  /** Values that were left out. */
  warnings: z.array(
    z.object({ field: z.string(), code: z.string(), reason: z.string(), column: z.string().optional() }),
  ),
});

/** A row of a source in a run of a sync. Code: its outcome, or `pending`. Row 0: the person has left the source. */
const RowEntry = z.object({
  ...base,
  ...run,
  kind: z.literal('row'),
  code: z.string(),
  /** Of a merged row: the row that stands for the person. */
  into: z.int().nullable(),
  created: z.boolean(),
  cardCreated: z.boolean(),
  /** API calls tried. */
  tries: Count,
  step: z.string().nullable(),
  problem,
});

/** A value that the mapping refused. Code `rejected` (with the whole row) or `warning` (only the value). */
const FindingEntry = z.object({
  ...base,
  ...run,
  kind: z.literal('finding'),
  code: z.enum(['rejected', 'warning']),
  field: z.string(),
  column: z.string().nullable(),
  /** Masked, unless the input asks for plain values. */
  value: z.string().nullable(),
  otherRow: z.int().nullable(),
  otherValue: z.string().nullable(),
  /** The row has no readable number. Its digits end as the person's number does. */
  likely: z.boolean(),
  problem,
});

/** The contact as Sluice last wrote it, or found it right. */
const ContactEntry = z.object({
  ...base,
  kind: z.literal('contact'),
  code: z.literal('written'),
  contact: id.nullable(),
  /** Names of the fields that Sluice has written. */
  fields: z.array(z.string()),
  tags: z.array(z.string()),
  /** Tags that the account does not have. */
  missingTags: z.array(z.string()),
  /** The sync that created the contact; null when it existed before. */
  createdBy: z.string().nullable(),
});

/** A card, when it was created, found or last moved. */
const CardEntry = z.object({
  ...base,
  kind: z.literal('card'),
  code: z.enum(['created', 'found']),
  card: id,
  pipeline: z.string(),
  stage: z.string().nullable(),
});

/** A write whose answer is missing (`sent`), or whose outcome cannot be established (`unknown`). */
const EffectEntry = z.object({
  ...base,
  kind: z.literal('effect'),
  code: z.enum(['sent', 'unknown']),
  what: z.string(),
  run: z.string(),
});

/** A call of the API about the person. Code: the error's code, the status, or `lost` when no answer came. */
const CallEntry = z.object({
  ...base,
  kind: z.literal('call'),
  code: z.string(),
  run: z.string(),
  lane: Count,
  method: z.string(),
  /** Path template. */
  route: z.string(),
  status: z.int().nullable(),
  requestId: z.string().nullable(),
  /** Milliseconds from the wish to call until it went out, mostly for a slot of the budget; then until the answer. */
  waitMs: Count,
  tookMs: Count,
});

/**
 * What a run of a campaign decided about the person, and what became of it. `found`: the audience is being read;
 * `included`, `excluded`, `controlGroup`: decided by the plan; `skipped`, `failed`, `unknown`, `cancelled`: how the
 * trigger ended; `triggered`, `delivered`, `read`, `replied`, `optedOut`, `moved`, `tagged`: what happened.
 */
const CampaignEntry = z.object({
  ...base,
  kind: z.literal('campaign'),
  code: z.enum([
    'found',
    'included',
    'excluded',
    'controlGroup',
    'skipped',
    'failed',
    'unknown',
    'cancelled',
    'triggered',
    'delivered',
    'read',
    'replied',
    'optedOut',
    'moved',
    'tagged',
  ]),
  campaign: z.string(),
  run: z.string(),
  member: id,
  wave: z.int().nullable(),
  ticket: id.nullable(),
  problem,
});

/** A conversation as it was last seen. Code: its status. */
const ConversationEntry = z.object({
  ...base,
  kind: z.literal('conversation'),
  code: z.string(),
  conversation: id,
  channel: z.string(),
  chatbot: z.boolean().nullable(),
  user: id.nullable(),
  /** Null unless the input asks for plain values. */
  lastMessage: z.string().nullable(),
});

/** A message in a conversation. The ledger does not keep its text. */
const MessageEntry = z.object({
  ...base,
  kind: z.literal('message'),
  code: z.enum(['sent', 'received', 'unknown']),
  conversation: id,
  status: z.string().nullable(),
});

/** A message that Sluice sent. Code: its status. */
const DeliveryEntry = z.object({
  ...base,
  kind: z.literal('delivery'),
  code: z.string(),
  message: z.string(),
  event: z.string(),
  conversation: id.nullable(),
  checks: Count,
  problem,
});

/** Messages that could not be read. */
const GapEntry = z.object({
  ...base,
  kind: z.literal('gap'),
  code: z.string(),
  conversation: id.nullable(),
  reason: z.string(),
});

/**
 * The person opted out. Code: by a `reply`, by a `tag` on the contact, when they were erased (`erase`), by an `operator`,
 * or by an `import`; `withdrawn`: an operator withdrew the opt-out.
 */
const OptOutEntry = z.object({
  ...base,
  kind: z.literal('optOut'),
  code: z.enum([...OPT_OUT_SOURCES, 'withdrawn']),
});

export const TimelineEntry = z.discriminatedUnion('kind', [
  EventEntry,
  RowEntry,
  FindingEntry,
  ContactEntry,
  CardEntry,
  EffectEntry,
  CallEntry,
  CampaignEntry,
  ConversationEntry,
  MessageEntry,
  DeliveryEntry,
  GapEntry,
  OptOutEntry,
]);
export type TimelineEntry = z.infer<typeof TimelineEntry>;

export const TIMELINE_KINDS = [
  'event',
  'row',
  'finding',
  'contact',
  'card',
  'effect',
  'call',
  'campaign',
  'conversation',
  'message',
  'delivery',
  'gap',
  'optOut',
] as const satisfies readonly TimelineEntry['kind'][];
