// The part `action` of a route: what an event makes happen. Wherever a value is wanted, an expression of the mapping
// language stands.
import { z } from 'zod';
import { described, durationWithin, insecure, name } from './config-base.ts';
import { Expression, ExpressionObject, NumberFormat } from './config-mapping.ts';
import { SYNC_RULES } from './config-sync.ts';

const id = z.int().positive();
const country = z
  .string()
  .regex(/^[A-Z]{2}$/, 'two capital letters, for example BR')
  .optional()
  .meta({ description: 'ISO 3166 country of numbers written without a country code' });

export const LeadAction = z.strictObject({
  type: z.literal('lead').meta({ description: 'Upsert the contact, add its tags, make its card' }),
  mapping: described(name, 'Which of `mappings` turns the event into a record'),
  mode: SYNC_RULES.mode,
  fields: SYNC_RULES.fields,
  conflict: SYNC_RULES.conflict,
  extraInfo: SYNC_RULES.extraInfo,
  validateNumber: SYNC_RULES.validateNumber,
  tags: z.enum(['add', 'merge', 'replace']).default('add').meta({
    description:
      'add: tags come on top of those that are there; merge: those that Sluice set before and the event lacks go; replace: exactly those of the event',
  }),
  moveCard: z.boolean().default(false).meta({
    description:
      'Whether the card that the person has is moved to the stage of the event; otherwise it stays',
  }),
});
export type LeadAction = z.infer<typeof LeadAction>;

export const MessageAction = z.strictObject({
  type: z.literal('message').meta({ description: 'Send to a number, or reply in a conversation' }),
  number: described(Expression, 'Yields the number to send to; this or conversation').optional(),
  conversation: described(
    Expression,
    'Yields the id of the conversation to reply in; this or number',
  ).optional(),
  defaultCountry: country,
  numberFormat: NumberFormat.optional(),
  text: described(Expression, 'Yields the text').optional(),
  template: z
    .strictObject({
      name: described(Expression, 'Yields the name of the approved template'),
      language: described(Expression, 'Yields its language, for example pt_BR'),
      parameters: z
        .array(Expression)
        .default([])
        .meta({ description: 'Each yields one parameter, in order' }),
    })
    .optional()
    .meta({
      description: 'Approved template: outside the 24 hours of a waba conversation nothing else arrives',
    }),
  media: z
    .strictObject({
      url: described(Expression, 'Yields the address of a file, or a list of them'),
      hosts: z
        .array(
          z
            .string()
            .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/, 'write host, host:port or *.example.com'),
        )
        .min(1)
        .meta({ description: 'Hosts that files may come from: host, host:port, or *.example.com' }),
      insecure: insecure('http:// addresses of files, unencrypted'),
      maxBytes: z.int().min(1).max(104_857_600).default(16_777_216).meta({ description: 'Longest file' }),
      allowPrivate: z.boolean().default(false).meta({
        description: 'Also fetch from addresses inside the own network (loopback, private, link-local)',
      }),
      timeout: durationWithin('1s', '45s')
        .default('20s')
        .meta({ description: 'A file must be here by then' }),
    })
    .optional()
    .meta({ description: 'Files to send along, fetched from their addresses' }),
  uploads: z
    .strictObject({
      ids: described(Expression, 'Yields the id that an upload answered, or a list of them'),
      maxBytes: z.int().min(1).max(67_108_864).default(16_777_216).meta({ description: 'Longest file' }),
    })
    .optional()
    .meta({
      description: 'Files to send along that were uploaded before: POST to the path of the route and /files',
    }),
  outsideWindow: z.enum(['refuse', 'template', 'send']).default('refuse').meta({
    description:
      'When the 24-hour window of a waba conversation is closed, as far as a poller knows: refuse fails with WINDOW_CLOSED before a call is spent; template sends the template alone, and text or files alone while the window is open; send sends all regardless',
  }),
  connection: z
    .union([id, z.string().min(1)])
    .optional()
    .meta({
      description: 'Outgoing connection by id or name; without it the service chooses (not for replies)',
    }),
  contactName: described(Expression, 'Yields the name of a contact that this makes').optional(),
  saveOnTicket: z.boolean().default(true).meta({
    description:
      'false: fire and forget, without a conversation to answer in (not for replies, not with media)',
  }),
});
export type MessageAction = z.infer<typeof MessageAction>;

export const FlowAction = z.strictObject({
  type: z.literal('flow').meta({ description: 'Trigger a published automation flow on a contact' }),
  number: described(Expression, 'Yields the number of the contact'),
  defaultCountry: country,
  numberFormat: NumberFormat.optional(),
  flow: z.union([id, Expression]).meta({ description: 'Id of the flow, or an expression that yields it' }),
  connection: id.meta({ description: 'Id of the outgoing connection' }),
  variables: z
    .record(z.string().min(1), Expression)
    .default({})
    .meta({ description: 'Variables of the flow: name → expression' }),
});
export type FlowAction = z.infer<typeof FlowAction>;

export const StageAction = z.strictObject({
  type: z.literal('stage').meta({ description: 'Move a card to another stage' }),
  card: described(Expression, 'Yields the id of the card; this or number').optional(),
  number: described(
    Expression,
    'Yields the number of the contact whose card is moved; this or card',
  ).optional(),
  defaultCountry: country,
  numberFormat: NumberFormat.optional(),
  pipeline: z
    .union([id, z.string().min(1)])
    .optional()
    .meta({
      description: 'Pipeline of the card, by name or id; required with number, and with a stage by name',
    }),
  stage: described(Expression, 'Yields the stage, by name or id'),
});
export type StageAction = z.infer<typeof StageAction>;

const tagList = z.array(
  z.union([
    z.string().min(1),
    ExpressionObject.extend({
      split: z.string().min(1).optional().meta({ description: 'Separator of several tags in one value' }),
    }),
  ]),
);

export const TagsAction = z.strictObject({
  type: z
    .literal('tags')
    .meta({ description: 'Add tags to a contact, or take some away; never makes a contact' }),
  number: described(Expression, 'Yields the number of the contact'),
  defaultCountry: country,
  numberFormat: NumberFormat.optional(),
  add: tagList.default([]).meta({ description: 'Tags to add, as in a mapping' }),
  remove: tagList.default([]).meta({ description: 'Tags to take away, as in a mapping' }),
});
export type TagsAction = z.infer<typeof TagsAction>;

export const RouteAction = z.discriminatedUnion('type', [
  LeadAction,
  MessageAction,
  FlowAction,
  StageAction,
  TagsAction,
]);
export type RouteAction = z.infer<typeof RouteAction>;
