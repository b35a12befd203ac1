// What the client assumes where the API text says "not shown". No other part of the client guesses.
import { z } from 'zod';
import {
  DirectionField,
  type FieldInput,
  FieldPath,
  type FieldSpec,
  PlainField,
  TextField,
  TimeField,
  WordField,
} from './field-spec.ts';

/** A query parameter, or a field of a form. */
const parameterName = z
  .string()
  .regex(/^[^\s"=&?#\p{Cc}]{1,64}$/u, 'write the name of a query parameter or form field');
/** A key, a path to it, or `any`: whichever the service uses. */
const wrapperKey = FieldPath.transform((path): 'any' | readonly string[] =>
  path.length === 1 && path[0] === 'any' ? 'any' : path,
);

interface Entry<S extends z.ZodType> {
  /** What the API text leaves open. */
  readonly unknown: string;
  /** Section of the API text. */
  readonly section: string;
  readonly default: z.input<S>;
  /** Reason for this default. */
  readonly because: string;
  /** Features that depend on it. */
  readonly usedBy: string;
  readonly schema: S;
}

function entry<S extends z.ZodType>(value: Entry<S>): Entry<S> {
  return value;
}

const wrapper = (what: string, section: string, usedBy: string) =>
  entry({
    unknown: `The key of ${what} in the answer`,
    section,
    default: 'any' as string | readonly string[],
    because: 'which tries the usual name first, then the only key that fits',
    usedBy,
    schema: wrapperKey,
  });

const parameter = (what: string, section: string, value: string, because: string, usedBy: string) =>
  entry({ unknown: `The name of ${what}`, section, default: value, because, usedBy, schema: parameterName });
/** An input in a JSON body. A path places it in nested objects. */
const input = (what: string, section: string, value: string, because: string, usedBy: string) =>
  entry({ unknown: `The name of ${what}`, section, default: value, because, usedBy, schema: FieldPath });

const PUT_CONTACT = 'PUT /v1/contacts/{contactId}';
const RULE_8 = 'POST /v1/cards, rule 8';
const HISTORY = 'GET /v1/conversations/{ticketId}/messages';
const REPLY = 'POST /v1/conversations/{ticketId}/messages';

const updateInput = (what: string, value: string) =>
  input(what, PUT_CONTACT, value, 'as the upsert names it', 'contacts.update');
const cardInput = (what: string, value: string, because: string) =>
  input(what, RULE_8, value, because, 'cards.create');
const historyField = <V>(
  what: string,
  value: FieldInput<V>,
  because: string,
  schema: z.ZodType<FieldSpec<V>, FieldInput<V>>,
) =>
  entry<z.ZodType<FieldSpec<V>, FieldInput<V>>>({
    unknown: `The name of ${what}`,
    section: HISTORY,
    default: value,
    because,
    usedBy: 'conversations.messages, conversations.iterateMessages',
    schema,
  });

/** Every assumption by key; each can be overridden per account. */
export const ASSUMPTIONS = {
  'answer.envelope': entry({
    unknown: 'The field that contains the whole answer, if the service wraps every success in one',
    section: 'Endpoints',
    default: null as string | readonly string[] | null,
    because: 'because the API text puts the fields of an answer at its root',
    usedBy: 'every call',
    schema: FieldPath.nullable(),
  }),
  'wrapper.tags': wrapper('the list of tags', 'GET /v1/tags', 'tags.list'),
  'wrapper.pipelines': wrapper('the list of pipelines', 'GET /v1/pipelines', 'pipelines.list'),
  'wrapper.lostReasons': wrapper('the list of lost reasons', 'GET /v1/lost-reasons', 'lostReasons.list'),
  'wrapper.card': wrapper('a single card', 'GET /v1/cards/{cardId}', 'cards.get, cards.create, cards.move'),
  'wrapper.contactUpdate': wrapper('the contact after a partial update', PUT_CONTACT, 'contacts.update'),
  'wrapper.messageStatus': wrapper(
    'the status of a message',
    'GET /v1/messages/{messageId}/status',
    'messages.status',
  ),
  'contactUpdate.nameField': updateInput('the input for the name', 'name'),
  'contactUpdate.emailField': updateInput('the input for the e-mail', 'email'),
  'contactUpdate.documentField': updateInput('the input for the document', 'document'),
  'contactUpdate.disableBotField': updateInput('the input that turns the bot off', 'disableBot'),
  'cards.titleSearchParam': parameter(
    'the query parameter that searches titles',
    'GET /v1/cards',
    'searchParam',
    'as the lists of contacts and conversations name theirs',
    'cards.list, cards.iterate',
  ),
  'cards.sortDirectionParam': parameter(
    'the query parameter for the sort direction',
    'GET /v1/cards',
    'sortOrder',
    'which goes with sortBy',
    'cards.list, cards.iterate',
  ),
  'card.titleField': cardInput('the input for the title', 'title', 'as the card names it'),
  'card.expectedCloseDateField': cardInput(
    'the input for the expected close date',
    'expectedCloseDate',
    'as the card names it',
  ),
  'card.contactNameField': cardInput(
    'the input that names a contact created by the call',
    'contactName',
    'as POST /v1/messages/send names it',
  ),
  'message.idField': historyField(
    'the id of a message in the history',
    'id',
    'as sending names it',
    PlainField,
  ),
  'message.bodyField': historyField(
    'the text of a message in the history',
    'body',
    'as sending takes it',
    TextField,
  ),
  'message.fromMeField': historyField(
    'the field for the direction of a message, sent or received',
    'fromMe',
    'as is usual for chat channels',
    DirectionField,
  ),
  'message.timeField': historyField(
    'the time of a message in the history',
    'createdAt',
    'as every other record names it',
    TimeField,
  ),
  'message.templateField': historyField(
    'the template of a message in the history',
    'templateData',
    'as sending takes it',
    PlainField,
  ),
  'message.statusField': historyField(
    'the status of a message in the history',
    'status',
    'as sending names it',
    WordField,
  ),
  'message.ackField': historyField(
    'the delivery code of a message in the history',
    'ack',
    'as sending names it',
    PlainField,
  ),
  'reply.messagesField': input(
    'the list of messages in the answer to a reply',
    REPLY,
    'messages',
    'as POST /v1/messages/send names it',
    'conversations.reply',
  ),
  'reply.quotedMessageField': entry({
    unknown: 'The name of the input that quotes a message',
    section: REPLY,
    default: null as string | readonly string[] | null,
    because: 'because the service would ignore a wrong name; the client refuses quoting until you set this',
    usedBy: 'conversations.reply',
    schema: FieldPath.nullable(),
  }),
  'multipart.mediaField': parameter(
    'the form field for each file',
    'POST /v1/messages/send',
    'medias',
    'the name of the input in the text',
    'messages.send, conversations.reply',
  ),
  'flows.contactField': input(
    'the input that identifies the contact',
    'POST /v1/flows/trigger',
    'contactId',
    'as POST /v1/cards names it',
    'flows.trigger',
  ),
  'flows.flowIdType': entry({
    unknown: 'The type of the id of a flow',
    section: 'POST /v1/flows/trigger',
    default: 'integer' as 'integer' | 'text',
    because: 'as every other id; an id with letters is always sent as text',
    usedBy: 'flows.trigger',
    schema: z.enum(['integer', 'text'], { error: "write 'integer' or 'text'" }),
  }),
  'flows.contactIdentity': entry({
    unknown: "Whether that input takes the contact's id or its number",
    section: 'POST /v1/flows/trigger',
    default: 'id' as 'id' | 'number',
    because: 'because a flow runs in a conversation of an existing contact',
    usedBy: 'flows.trigger',
    schema: z.enum(['id', 'number'], { error: "write 'id' or 'number'" }),
  }),
  'success.statuses': entry({
    unknown: 'Which success statuses a call answers with, beyond the few that are stated',
    section: 'Endpoints, common',
    default: 'any' as 'any' | number[],
    because: 'because every 2xx means that the call took effect',
    usedBy: 'every call',
    schema: z.union([z.literal('any'), z.array(z.int().min(200).max(299)).min(1)], {
      error: "write 'any' or a list of statuses from 200 to 299",
    }),
  }),
  'readBack.settleSeconds': entry({
    unknown: 'How many seconds a read may lag behind a write that was acknowledged',
    section: 'POST /v1/cards; GET /v1/cards',
    default: 60,
    because: 'which is twice the lag in the fault tests',
    usedBy: 'Sluice itself, if the answer to a write is lost',
    schema: z.number().min(0).max(86_400),
  }),
} as const;

export type AssumptionKey = keyof typeof ASSUMPTIONS;
