// Query parameters of the lists. A route sees only the parameters that its schema declares. The sandbox is as lenient
// as the API text: an invalid value is never an error, except for dates. So these schemas describe the values with a
// meaning.
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { INSTANT } from '../rules/dates.ts';
import { CARD_STATUSES, CONVERSATION_STATUSES } from '../state/model.ts';
import { Id } from './inputs.ts';

export interface PageSizes {
  readonly default: number;
  readonly max: number;
}
export const LIST_PAGE: PageSizes = { default: 40, max: 100 };
export const HISTORY_PAGE: PageSizes = { default: 100, max: 200 };

export const CARD_SORT_COLUMNS = ['createdAt', 'closedAt', 'value', 'title', 'stageEnteredAt'] as const;

const pages = (sizes: PageSizes) => ({
  pageNumber: z
    .int()
    .min(1)
    .default(1)
    .meta({ description: '1-based.', examples: [1] }),
  pageSize: z
    .int()
    .min(1)
    .default(sizes.default)
    .meta({
      description: `A value over ${sizes.max} is capped to ${sizes.max}, without an error.`,
      examples: [sizes.max],
    }),
});

const search = (what: string) => z.string().optional().meta({ description: what });
const id = (what: string) => Id.optional().meta({ description: what });
const ids = (what: string) =>
  z
    .array(Id)
    .optional()
    .meta({ description: `${what} Comma-separated.`, examples: [[1]] });
const statuses = <T extends readonly [string, ...string[]]>(values: T) =>
  z
    .array(z.enum(values))
    .optional()
    .meta({ description: 'Comma-separated.', examples: [[values[0]]] });
const limit = (what: string) =>
  z
    .string()
    .regex(INSTANT)
    .optional()
    .meta({
      description: `${what}, inclusive. ISO 8601 with its offset (Z or -03:00); without one ERR_INVALID_DATE_FILTER.`,
      examples: ['2026-11-01T00:00:00-03:00'],
    });

export const contactQuery = () =>
  z.object({
    ...pages(LIST_PAGE),
    searchParam: search('A part of the name or number.'),
    number: search('Exact, with and without the Brazilian ninth digit.').meta({
      examples: ['5511987654321'],
    }),
    email: search('A part of the e-mail.'),
    channel: search('Exact.'),
    tagId: ids('Contacts with any of these tags.'),
  });

export const conversationQuery = () =>
  z.object({
    ...pages(LIST_PAGE),
    status: statuses(CONVERSATION_STATUSES),
    whatsappId: id('Conversations of one connection.'),
    searchParam: search('A part of the contact name, its number or the last message.'),
  });

export const historyQuery = () => z.object(pages(HISTORY_PAGE));

export const cardQuery = ({ cardQuery: names, defaultSortDirection }: Choices) =>
  z.object({
    ...pages(LIST_PAGE),
    pipelineId: id('One pipeline.'),
    stageId: id('One stage.'),
    sourceId: id('One source.'),
    contactId: id('One contact.'),
    userId: id('One responsible user.'),
    lostReasonId: id('One lost reason.'),
    status: statuses(CARD_STATUSES),
    contactTagId: ids('Cards whose contact has any of these tags.'),
    notContactTagId: ids('Leaves out cards whose contact has any of these tags.'),
    sortBy: z
      .enum(CARD_SORT_COLUMNS)
      .default('createdAt')
      .meta({ description: 'Any other column falls back to createdAt, without an error.' }),
    createdAtAfter: limit('Created from'),
    createdAtBefore: limit('Created until'),
    closedAtAfter: limit('Closed from'),
    closedAtBefore: limit('Closed until'),
    [names.titleSearch]: search('A part of the title.'),
    [names.sortDirection]: z.enum(['asc', 'desc']).default(defaultSortDirection),
  });
