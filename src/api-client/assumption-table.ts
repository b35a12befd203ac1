// What the client takes for granted where the API text says "not shown": one table, nothing else in the
// client guesses. Beside it the points that it leaves open on purpose, and what it does with them.
import { z } from 'zod';

const fieldName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'write the name of a JSON field or query parameter');
const wrapperKey = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "write the key, or 'any' to accept whichever the service uses");

interface Entry<S extends z.ZodType> {
  /** What the API text leaves open. */
  readonly unknown: string;
  /** Where in the API text. */
  readonly section: string;
  readonly default: z.output<S>;
  /** Why this default. */
  readonly because: string;
  /** Who depends on it. */
  readonly usedBy: string;
  readonly schema: S;
}

function entry<S extends z.ZodType>(value: Entry<S>): Entry<S> {
  return value;
}

const wrapper = (what: string, section: string, usedBy: string) =>
  entry({
    unknown: `Under which key ${what} arrives`,
    section,
    default: 'any',
    because: 'the usual name is tried first, then the one key that fits',
    usedBy,
    schema: wrapperKey,
  });

const name = (what: string, section: string, value: string, because: string, usedBy: string) =>
  entry({ unknown: `The name of ${what}`, section, default: value, because, usedBy, schema: fieldName });

const PUT_CONTACT = 'PUT /v1/contacts/{contactId}';
const RULE_8 = 'POST /v1/cards, rule 8';
const HISTORY = 'GET /v1/conversations/{ticketId}/messages';
const REPLY = 'POST /v1/conversations/{ticketId}/messages';

const updateInput = (what: string, value: string) =>
  name(what, PUT_CONTACT, value, 'as the upsert names it', 'contacts.update');
const cardInput = (what: string, value: string, because: string) =>
  name(what, RULE_8, value, because, 'cards.create');
const historyField = (what: string, value: string, because: string) =>
  name(what, HISTORY, value, because, 'conversations.messages, conversations.iterateMessages');

/** Every assumption by key; each can be overridden per account. */
export const ASSUMPTIONS = {
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
  'cards.titleSearchParam': name(
    'the query parameter that searches titles',
    'GET /v1/cards',
    'searchParam',
    'as the lists of contacts and conversations name theirs',
    'cards.list, cards.iterate',
  ),
  'cards.sortDirectionParam': name(
    'the query parameter for the sort direction',
    'GET /v1/cards',
    'sortOrder',
    'goes with sortBy',
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
  'message.idField': historyField('the id of a message in the history', 'id', 'as sending names it'),
  'message.bodyField': historyField('the text of a message in the history', 'body', 'as sending takes it'),
  'message.fromMeField': historyField(
    'the field that tells sent from received messages',
    'fromMe',
    'usual for chat channels',
  ),
  'message.timeField': historyField(
    'the time of a message in the history',
    'createdAt',
    'as every other record names it',
  ),
  'message.templateField': historyField(
    'the template of a message in the history',
    'templateData',
    'as sending takes it',
  ),
  'message.statusField': historyField(
    'the status word of a message in the history',
    'status',
    'as sending names it',
  ),
  'message.ackField': historyField(
    'the delivery code of a message in the history',
    'ack',
    'as sending names it',
  ),
  'reply.messagesField': name(
    'the list of messages in the answer to a reply',
    REPLY,
    'messages',
    'as POST /v1/messages/send names it',
    'conversations.reply',
  ),
  'reply.quotedMessageField': entry({
    unknown: 'The name of the input that quotes a message',
    section: REPLY,
    default: null as string | null,
    because: 'a wrong name would be dropped without a word, so quoting is refused until this is set',
    usedBy: 'conversations.reply',
    schema: fieldName.nullable(),
  }),
  'multipart.mediaField': name(
    'the form field that holds each file',
    'POST /v1/messages/send',
    'medias',
    'the name of the input in the text',
    'messages.send, conversations.reply',
  ),
  'flows.contactField': name(
    'the input that identifies the contact',
    'POST /v1/flows/trigger',
    'contactId',
    'as POST /v1/cards names it',
    'flows.trigger',
  ),
  'flows.contactIdentity': entry({
    unknown: "Whether that input takes the contact's id or its number",
    section: 'POST /v1/flows/trigger',
    default: 'id' as 'id' | 'number',
    because: 'a flow runs on a conversation of a contact that exists',
    usedBy: 'flows.trigger',
    schema: z.enum(['id', 'number'], { error: "write 'id' or 'number'" }),
  }),
  'success.statuses': entry({
    unknown: 'Which success statuses a call answers with, beyond the few that are stated',
    section: 'Endpoints, common',
    default: 'any' as 'any' | number[],
    because: 'every 2xx means that the service did it',
    usedBy: 'every call',
    schema: z.union([z.literal('any'), z.array(z.int().min(200).max(299)).min(1)], {
      error: "write 'any' or a list of statuses from 200 to 299",
    }),
  }),
  'readBack.settleSeconds': entry({
    unknown: 'How many seconds a read may lag behind a write that was acknowledged',
    section: 'POST /v1/cards; GET /v1/cards',
    default: 60,
    because: 'twice the lag that the fault tests demand',
    usedBy: 'Sluice itself, when the answer to a write was lost',
    schema: z.number().min(0).max(86_400),
  }),
} as const;

interface OpenPoint {
  readonly unknown: string;
  readonly section: string;
  /** How the client gets by without an assumption. */
  readonly handling: string;
}

/** What is not shown and needs no override: the client takes no stand on it. */
export const OPEN_POINTS: readonly OpenPoint[] = [
  {
    unknown: 'Further fields of tags, pipelines, lost reasons, history items and the lostReason of a card',
    section: 'Gaps in resources',
    handling: 'kept as they come; nothing depends on them',
  },
  {
    unknown: 'Words beyond the listed ones (channels, statuses), and which state follows which',
    section: 'States and transitions',
    handling: 'open sets: an unknown word is passed on',
  },
  {
    unknown: 'Response of a reply; shape of a message status beyond `ack` and `status`',
    section: 'Conversations',
    handling: 'what can be read is read; `raw`, or the record itself, holds the rest',
  },
  {
    unknown: 'Body of the 202',
    section: 'POST /v1/flows/trigger',
    handling: '`raw` holds it; an empty one is fine',
  },
  {
    unknown: 'Code of the 404 for a missing connection',
    section: 'POST /v1/flows/trigger',
    handling: 'an ApiError with status 404 and whatever code came, or null',
  },
  {
    unknown: 'Which calls raise ERR_FEATURE_NOT_AVAILABLE, ERR_DUPLICATED_CONTACT, ERR_CONTACT_NUMBER_IS_LID',
    section: 'Errors',
    handling: 'expected of any call; a 403 without code has the kind `forbidden`',
  },
  {
    unknown: 'Layout of multipart beside the files',
    section: 'POST /v1/messages/send',
    handling: 'one text part a field; templateData as JSON text, which the text allows',
  },
  {
    unknown: 'Limits on message length, media size and number of files',
    section: 'Limits',
    handling: 'none of its own: the service decides; deadlines hold',
  },
  {
    unknown: 'Other filters and the order of contacts',
    section: 'GET /v1/contacts',
    handling: 'only the filters shown are taken; reading all needs a stable order, not a known one',
  },
  {
    unknown: 'Whether the list of connections has a count (its section and Limits disagree)',
    section: 'GET /v1/connections',
    handling: 'not read',
  },
  {
    unknown: 'Path of the inbound webhook receiver',
    section: 'Inbound webhook receiver',
    handling: 'not called: whoever does has the whole address from the panel',
  },
  {
    unknown: 'Outbound events, payload of the board event, how a reply reopens the 24-hour window',
    section: 'Events; Conversations',
    handling: 'not used: changes are found by polling, windows by the newest message received',
  },
];
