// The sandbox's choices for points that the API text does not show, or that have two readings. Each can be changed
// for one server (startSandbox's `choices`). The codes that the sandbox adds are in errors.ts (CHOSEN_CODES).

export interface Choices {
  /** Wrapper keys of responses whose key the API text does not show. */
  readonly wrappers: {
    readonly tags: string;
    readonly card: string;
    readonly pipelines: string;
    readonly lostReasons: string;
    /** Of PUT /v1/contacts/{contactId}. */
    readonly updatedContact: string;
  };
  /** Name of the file parts of a multipart body. Parts with other names are read and discarded. */
  readonly mediasField: string;
  /** Inputs of POST /v1/flows/trigger that identify the contact. A call sends exactly one. */
  readonly flowContact: { readonly contactId: string; readonly number: string };
  /** Input names of PUT /v1/contacts/{contactId}. */
  readonly contactUpdate: {
    readonly name: string;
    readonly email: string;
    readonly document: string;
    readonly disableBot: string;
    readonly extraInfo: string;
  };
  /** Names of the optional inputs of POST /v1/cards (rule 8). */
  readonly cardInputs: {
    readonly title: string;
    readonly expectedCloseDate: string;
    readonly contactName: string;
  };
  /** Parameters of GET /v1/cards that the API text does not name. */
  readonly cardQuery: { readonly titleSearch: string; readonly sortDirection: string };
  /** Direction of GET /v1/cards if the call gives none. */
  readonly defaultSortDirection: 'asc' | 'desc';
  /** Success status of POST /v1/cards. */
  readonly cardCreatedStatus: number;
  /** Success status of POST /v1/messages/send and of a reply. */
  readonly messageSentStatus: number;
  /** Code of the 404 of POST /v1/flows/trigger for a connection that the account does not have. */
  readonly flowConnectionCode: 'ERR_CONNECTION_NOT_FOUND' | 'ERR_WHATSAPP_NOT_FOUND';
  /** Milliseconds from sending until an outgoing message reaches each status. */
  readonly progressMs: {
    readonly sent: number;
    readonly serverAck: number;
    readonly delivered: number;
    readonly read: number;
    readonly failed: number;
  };
  /** Ack of a message that the contact wrote. */
  readonly receivedAck: number;
  /** Channel of a contact that the API creates. */
  readonly newContactChannel: string;
  /** Probability of a card without a stage. */
  readonly probabilityWithoutStage: number;
  /**
   * Whether an upsert without whatsappId needs a usable connection even if it validates nothing. The API text
   * requires one for every upsert, but uses it for validateNumber only.
   */
  readonly upsertAlwaysNeedsConnection: boolean;
  /** Whether `extraInfo: []` erases on upsert. Rule 2 (an upsert writes only values that are not empty) suggests no. */
  readonly emptyExtraInfoErasesOnUpsert: boolean;
  /**
   * Digits that a number may have after normalization. The text requires only "valid digits"; E.164 allows at most 15.
   */
  readonly numberDigits: { readonly min: number; readonly max: number };
  /** Digits of a phone number that the webhook receiver accepts. */
  readonly hookPhoneDigits: { readonly min: number; readonly max: number };
  /** Largest JSON body of the API, in bytes. */
  readonly bodyLimit: number;
  /** Largest body of the webhook receiver, in bytes: the reading of the text's 1 MB. */
  readonly hookBodyLimit: number;
  /** Files in one multipart body, and bytes of each. They are counted and hashed, never stored. */
  readonly mediaLimit: { readonly files: number; readonly bytes: number };
}

/*
 * Choices about behavior, which have no value here:
 * - Upsert identity is the exact number after normalization; the ninth digit counts only in the list filter `number`.
 * - A `whatsappId` that is sent is always checked, with or without validateNumber.
 * - A contact created without a name is named by its number; PUT refuses a null name and takes null elsewhere as
 *   "erase".
 * - Lists of contacts, tags, pipelines, lost reasons and connections are ordered by id, ascending; searches ignore
 *   case.
 * - GET /v1/connections has `count` (its own section says so; "Limits" says otherwise) and no `hasMore`.
 * - An id filter that is no integer matches nothing; an empty parameter counts as not sent; a page number or size
 *   below 1 is the default.
 * - POST /v1/cards: contactId and phone are checked right after rule 1; a missing pipelineId is
 *   ERR_PIPELINE_NOT_FOUND; a stage that does not exist is ERR_STAGE_NOT_FOUND; a new card is open even in a final
 *   stage; its value is 0 and it has no user; ignoredCustomFields lists names.
 * - PATCH stage on a closed card follows the target stage: a non-final one reopens it. The same stage again keeps
 *   stageEnteredAt. A move to a lost stage has no lost reason (there is no input for one).
 * - Custom field values: text string, number JSON number, date YYYY-MM-DD or date-time with offset, boolean true or
 *   false, select one registered option, multiselect an array of them.
 * Conversations and messages:
 * - Conversations updated at the same moment follow their id, newest first. A searchParam matches parts, case
 *   ignored; the last message of a conversation is its text, else its file's name, else its template's name. queueId
 *   and userId may be null; the sandbox stores only the ids of queues, so it invents their names and colors.
 * - A history item has id, ticketId, body, fromMe, status, ack, media, templateData, createdAt.
 * - Send checks content, number, field types, connection, channel, storage, in this order. A reply searches for the
 *   ticket first. An empty text counts as absent; a templateData needs all three fields; every template counts as
 *   approved.
 * - A connection is found by its exact name, the lowest id first. An id that is no integer is ERR_CONNECTION_NOT_FOUND.
 * - In a multipart body whatsappId and saveOnTicket are read from their text form. In JSON they are not.
 * - One message for each thing sent: the template, the text, each file. One of a waba connection has a channel id,
 *   others a uuid.
 * - A send uses the newest conversation of contact and connection that is not closed, else opens one. Sending leaves
 *   the conversation open, a reply reopens a closed one; neither changes who serves it. A quoted message is not
 *   supported.
 * - Outside the waba window every message but a template is accepted and ends as failed; so does one to a number of
 *   numbersNotOnNetwork. Over a connection that is not CONNECTED a message stays queued. Every other one ends as read.
 *   The status `unknown` never occurs.
 * - saveOnTicket=false: files alone are no content, and the storage limit does not apply. The contact is created as
 *   always. On waba the ticket stores the message and the answer has its id; on whatsapp there is no ticket and the
 *   id is null.
 * Flows:
 * - The contact is checked after the channel and before human service: neither or both inputs is
 *   ERR_CONTACT_IDENTIFIER_REQUIRED, an unknown contactId ERR_NO_CONTACT_FOUND, a new number makes a contact. A
 *   `variables` of null is not an object. Any conversation of the contact counts for human service, whatever its
 *   connection.
 * - The run takes the conversation that a send would take, and hands it to the chatbot. The 202 body shows
 *   executionId, flowId, ticketId, contactId, whatsappId. The automations of a stage and the steps of a flow are not
 *   simulated.
 * Webhook receiver:
 * - Checked in order: hash 404, rate 429, token 401, size 413, JSON 400. Any content type is read as JSON. Its
 *   answers show the rate window of the hash. `inactive` and `paused` are one: `active: false`.
 * - A key is a text or number that is not empty. The hour counts from the call that was processed; a call whose
 *   processing failed counts, too. A repeat is also answered 202, and the history shows it.
 * - A mapped path follows own properties only. A value is a text, number or boolean (custom fields: any JSON); anything
 *   else counts as absent. A `value` that is not a number counts as absent. A stage that requires a source is accepted
 *   without one. A flow is started without variables.
 * Board events: `created` and `moved`, the latter for a move to the same stage too.
 *
 * - missingFeatures names resources (contacts, cards, connections, conversations, messages, flows): each of its
 *   endpoints answers 403 without code.
 * - A missing, unknown, revoked or expired token is not counted; the headers then show an untouched window. The limit
 *   counts before scope, path and body are checked, so a 403, 404 or 413 of a valid token costs a call; a 429 does
 *   not.
 * - An unknown path is 404 with or without a token; so is a known path with another method.
 * - An input that the OpenAPI document does not show is ignored. PUT of a contact without a body changes nothing; a
 *   list as its body is refused.
 * - `/openapi.json` and `/docs` under the base URL are about the API, not part of it: they need no token, use no
 *   call, have no faults and no rate headers, and add no row to the request log.
 */
export const CHOICES: Choices = {
  wrappers: {
    tags: 'tags',
    card: 'card',
    pipelines: 'pipelines',
    lostReasons: 'lostReasons',
    updatedContact: 'contact',
  },
  mediasField: 'medias',
  flowContact: { contactId: 'contactId', number: 'number' },
  contactUpdate: {
    name: 'name',
    email: 'email',
    document: 'document',
    disableBot: 'disableBot',
    extraInfo: 'extraInfo',
  },
  cardInputs: { title: 'title', expectedCloseDate: 'expectedCloseDate', contactName: 'contactName' },
  cardQuery: { titleSearch: 'searchParam', sortDirection: 'sortOrder' },
  defaultSortDirection: 'desc',
  cardCreatedStatus: 201,
  messageSentStatus: 200,
  flowConnectionCode: 'ERR_CONNECTION_NOT_FOUND',
  progressMs: { sent: 500, serverAck: 1_000, delivered: 3_000, read: 30_000, failed: 3_000 },
  receivedAck: 2,
  newContactChannel: 'whatsapp',
  probabilityWithoutStage: 0,
  upsertAlwaysNeedsConnection: false,
  emptyExtraInfoErasesOnUpsert: false,
  numberDigits: { min: 1, max: 15 },
  hookPhoneDigits: { min: 8, max: 15 },
  bodyLimit: 1_048_576,
  hookBodyLimit: 1_048_576,
  mediaLimit: { files: 10, bytes: 64 * 1_048_576 },
};
