// Card (API text, Resources, Card) and the inputs of its calls.
import { z } from 'zod';
import {
  IdArgument,
  IdListArgument,
  InstantArgument,
  PageArguments,
  TextArgument,
  wordsArgument,
} from '../arguments.ts';
import { Id, Instant, Mention, Named, NumberText, openWord, orNull } from './fields.ts';
import { Tag } from './tag.ts';

export type CardStatus = 'open' | 'won' | 'lost' | (string & {});

export const CardContact = z.looseObject({
  id: Id,
  /** The API text does not show these types. A person without a name has null. */
  name: z
    .string()
    .nullable()
    .transform((name) => name ?? ''),
  number: NumberText,
  email: orNull(z.string()),
  tags: z.array(Tag),
});
export type CardContact = z.infer<typeof CardContact>;

export const Card = z.looseObject({
  id: Id,
  title: z.string(),
  value: z.number(),
  status: openWord<'open' | 'won' | 'lost'>(),
  /** Probability of the current stage; null without a stage. */
  probability: orNull(z.number()),
  pipeline: Named,
  /** Null: the card is in no column. An absent stage is therefore a wrong shape. */
  stage: Named.nullable(),
  contact: CardContact,
  user: orNull(Mention),
  source: orNull(Mention),
  /** The API text does not show its shape. The value is unchanged. */
  lostReason: orNull(z.unknown()),
  originTicketId: orNull(Id),
  /** YYYY-MM-DD. */
  expectedCloseDate: orNull(z.string()),
  closedAt: orNull(Instant),
  /** When the card entered its stage. */
  stageEnteredAt: orNull(Instant),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Card = z.infer<typeof Card>;

const SORT_COLUMNS = ['createdAt', 'closedAt', 'value', 'title', 'stageEnteredAt'] as const;

/** Filters of GET /v1/cards. Only status, contactTagId and notContactTagId take lists. */
export const CardQuery = z.strictObject({
  ...PageArguments,
  pipelineId: IdArgument.optional(),
  stageId: IdArgument.optional(),
  sourceId: IdArgument.optional(),
  contactId: IdArgument.optional(),
  userId: IdArgument.optional(),
  lostReasonId: IdArgument.optional(),
  status: wordsArgument<CardStatus>('open, won, lost').optional(),
  /** The contact has any of the tags. */
  contactTagId: IdListArgument.optional(),
  /** The contact has none of the tags. */
  notContactTagId: IdListArgument.optional(),
  /** For any other column the service silently sorts by createdAt. */
  sortBy: z.enum(SORT_COLUMNS, { error: `send one of ${SORT_COLUMNS.join(', ')}` }).optional(),
  /** The parameter's name is an assumption. */
  sortDirection: z.enum(['asc', 'desc'], { error: 'send asc or desc' }).optional(),
  /** The parameter's name is an assumption. */
  title: TextArgument.optional(),
  createdAtAfter: InstantArgument.optional(),
  createdAtBefore: InstantArgument.optional(),
  closedAtAfter: InstantArgument.optional(),
  closedAtBefore: InstantArgument.optional(),
});
export type CardQuery = z.input<typeof CardQuery>;

/** Body of POST /v1/cards. Exactly one of contactId and phone. */
export interface CardCreate {
  readonly contactId?: number;
  /** E.164 without plus; creates or reuses the contact. */
  readonly phone?: string;
  readonly pipelineId: number;
  /** Always send it. Without it the card is in no kanban column. */
  readonly stageId?: number;
  readonly sourceId?: number;
  /** Technical field name → value in the format of the field's type. */
  readonly customFields?: Readonly<Record<string, unknown>>;
  /** Default: the account's prefix and the contact's name. */
  readonly title?: string;
  /** YYYY-MM-DD. */
  readonly expectedCloseDate?: string;
  /** Used only when the call creates the contact. */
  readonly contactName?: string;
}
