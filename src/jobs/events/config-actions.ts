// The part `action` of a route: what an event makes happen. Wherever a value is wanted, an expression of the mapping
// language stands.
import { z } from 'zod';
import { MEDIA_LIMITS, MediaHosts } from '../../connectors/media/config.ts';
import { described, name } from '../../core/config/base.ts';
import { DefaultCountry, Expression, ExpressionObject, NumberFormat } from '../../mapping/config.ts';
import { SYNC_RULES } from '../sync/config.ts';

const id = z.int().positive();

export const LeadAction = z.strictObject({
  type: z
    .literal('lead')
    .meta({ description: 'Creates or updates the contact, adds its tags and creates its card.' }),
  mapping: described(name, 'Mapping that turns the event into a record: a name from `mappings`.'),
  mode: SYNC_RULES.mode,
  fields: SYNC_RULES.fields,
  conflict: SYNC_RULES.conflict,
  extraInfo: SYNC_RULES.extraInfo,
  validateNumber: SYNC_RULES.validateNumber,
  tags: z.enum(['add', 'merge', 'replace']).default('add').meta({
    description:
      'How tags are written. add: adds the tags of the event. merge: also removes tags that Sluice set before and the event lacks. replace: sets exactly the tags of the event. Default: add.',
  }),
  moveCard: z.boolean().default(false).meta({
    description:
      'true moves the existing card of the person to the stage of the event. Default: false; the card stays where it is.',
  }),
});
export type LeadAction = z.infer<typeof LeadAction>;

export const MessageAction = z.strictObject({
  type: z
    .literal('message')
    .meta({ description: 'Sends a message to a number, or replies in a conversation.' }),
  number: described(
    Expression,
    'Expression for the phone number to send to. Default: none. Set either number or conversation.',
  ).optional(),
  conversation: described(
    Expression,
    'Expression for the id of the conversation to reply in. Default: none. Set either conversation or number.',
  ).optional(),
  defaultCountry: DefaultCountry,
  numberFormat: NumberFormat.optional(),
  text: described(
    Expression,
    'Expression for the text. Line breaks are kept. Default: none. A message needs text, template, media or uploads.',
  ).optional(),
  template: z
    .strictObject({
      name: described(
        Expression,
        'Expression for the name of the approved template. An event without one sends no template.',
      ),
      language: described(Expression, 'Expression for the language of the template, for example pt_BR.'),
      parameters: z.array(Expression).default([]).meta({
        description:
          'Expressions for the parameters of the template, in order. If one is empty, the event is refused. Default: [].',
      }),
    })
    .optional()
    .meta({
      description:
        'Approved template to send. Outside the 24-hour window of a waba conversation, the service delivers nothing else. Default: none.',
    }),
  media: z
    .strictObject({
      url: described(Expression, 'Expression for the URL of a file, or for a list of up to 10 URLs.'),
      hosts: MediaHosts.min(1).meta({
        description: 'Hosts that files may come from, redirects included: host, host:port or *.example.com.',
      }),
      ...MEDIA_LIMITS,
    })
    .optional()
    .meta({
      description: 'Files to attach, fetched from their URLs when the message is sent. Default: none.',
    }),
  uploads: z
    .strictObject({
      ids: described(Expression, 'Expression for the id that an upload returned, or for a list of ids.'),
      maxBytes: z.int().min(1).max(67_108_864).default(16_777_216).meta({
        description:
          'Maximum size of an uploaded file, in bytes, up to 67108864. Default: 16777216 (16 MiB).',
      }),
    })
    .optional()
    .meta({
      description:
        'Files to attach that were uploaded before, with a POST to the path of the route followed by /files. Default: none.',
    }),
  outsideWindow: z.enum(['refuse', 'template', 'send']).default('refuse').meta({
    description:
      'What happens when the 24-hour window of a waba conversation is closed, as a poller saw it. refuse: the event fails with WINDOW_CLOSED and costs no call. template: only the template is sent; while the window is open, only text and files. send: everything is sent. Default: refuse.',
  }),
  connection: z
    .union([id, z.string().min(1)])
    .optional()
    .meta({
      description: 'Outgoing connection, by id or name. Not for replies. Default: the service chooses.',
    }),
  contactName: described(
    Expression,
    'Expression for the name of a contact that the message creates. Not for replies. Default: none.',
  ).optional(),
  saveOnTicket: z.boolean().default(true).meta({
    description:
      'false sends the message without a conversation to answer in. Not for replies, not with files. Default: true.',
  }),
});
export type MessageAction = z.infer<typeof MessageAction>;

export const FlowAction = z.strictObject({
  type: z.literal('flow').meta({ description: 'Triggers a published automation flow for a contact.' }),
  number: described(Expression, 'Expression for the phone number of the contact.'),
  defaultCountry: DefaultCountry,
  numberFormat: NumberFormat.optional(),
  flow: z.union([id, Expression]).meta({ description: 'Id of the flow, or an expression for it.' }),
  connection: id.meta({ description: 'Id of the outgoing connection.' }),
  variables: z.record(z.string().min(1), Expression).default({}).meta({
    description: 'Variables of the flow: name to expression. Empty values are left out. Default: {}.',
  }),
});
export type FlowAction = z.infer<typeof FlowAction>;

export const StageAction = z.strictObject({
  type: z.literal('stage').meta({ description: 'Moves a card to another stage.' }),
  card: described(
    Expression,
    'Expression for the id of the card. Default: none. Set either card or number.',
  ).optional(),
  number: described(
    Expression,
    'Expression for the phone number of the contact. The newest open card of this contact in the pipeline is moved. Default: none. Set either number or card.',
  ).optional(),
  defaultCountry: DefaultCountry,
  numberFormat: NumberFormat.optional(),
  pipeline: z
    .union([id, z.string().min(1)])
    .optional()
    .meta({
      description:
        'Pipeline of the card, by name or id. Required with number, and with a stage by name. Default: none.',
    }),
  stage: described(Expression, 'Expression for the stage, by name or id.'),
});
export type StageAction = z.infer<typeof StageAction>;

const tagList = z.array(
  z.union([
    z.string().min(1),
    ExpressionObject.extend({
      split: z.string().min(1).optional().meta({
        description: 'Separator between several tags in one value. Default: none; the value is one tag.',
      }),
    }),
  ]),
);

export const TagsAction = z.strictObject({
  type: z
    .literal('tags')
    .meta({ description: 'Adds tags to a contact, or removes them. It never creates a contact.' }),
  number: described(Expression, 'Expression for the phone number of the contact.'),
  defaultCountry: DefaultCountry,
  numberFormat: NumberFormat.optional(),
  add: tagList.default([]).meta({ description: 'Tags to add, written as in a mapping. Default: [].' }),
  remove: tagList.default([]).meta({
    description: 'Tags to remove, written as in a mapping. A tag in both lists is added. Default: [].',
  }),
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
