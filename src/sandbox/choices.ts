// What the sandbox chose where the API text says "not shown" or can be read in two ways. Everything here can
// be switched for one server (startSandbox's `choices`); the codes it had to add stand in errors.ts (CHOSEN_CODES).

export interface Choices {
  /** Wrapper keys of responses whose key the text does not show. */
  readonly wrappers: {
    readonly tags: string;
    readonly card: string;
    readonly pipelines: string;
    readonly lostReasons: string;
    /** Of PUT /v1/contacts/{contactId}. */
    readonly updatedContact: string;
  };
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
  /** Parameters of GET /v1/cards without a name in the text. */
  readonly cardQuery: { readonly titleSearch: string; readonly sortDirection: string };
  /** Direction of GET /v1/cards when none is asked for. */
  readonly defaultSortDirection: 'asc' | 'desc';
  /** Success status of POST /v1/cards. */
  readonly cardCreatedStatus: number;
  /** Channel of a contact that the API creates. */
  readonly newContactChannel: string;
  /** Probability of a card without a stage. */
  readonly probabilityWithoutStage: number;
  /**
   * Whether an upsert without whatsappId asks for a usable connection even when nothing is to be validated.
   * The text says so of every upsert, but gives the connection no other use than validateNumber.
   */
  readonly upsertAlwaysNeedsConnection: boolean;
  /** Whether `extraInfo: []` erases on upsert; rule 2 (only what is not empty is written) reads as no. */
  readonly emptyExtraInfoErasesOnUpsert: boolean;
  /** Digits that a number may have after normalization; the text asks only for "valid digits", E.164 ends at 15. */
  readonly numberDigits: { readonly min: number; readonly max: number };
  /** Largest JSON body of the API, in bytes. */
  readonly bodyLimit: number;
}

/*
 * Choices that are behaviour rather than a value:
 * - Upsert identity is the exact number after normalization; the ninth digit counts only in the list filter `number`.
 * - A `whatsappId` that is sent is always checked, with or without validateNumber.
 * - A contact created without a name is named by its number; PUT refuses a null name and takes null elsewhere as "erase".
 * - Lists of contacts, tags, pipelines, lost reasons and connections are ordered by id, ascending; searches ignore case.
 * - GET /v1/connections has `count` (its own section says so; "Limits" says otherwise) and no `hasMore`.
 * - An id filter that is no integer matches nothing; an empty parameter counts as not sent; a page number or size
 *   below 1 is the default.
 * - POST /v1/cards: contactId and phone are looked at right after rule 1; a missing pipelineId is ERR_PIPELINE_NOT_FOUND;
 *   a stage that does not exist is ERR_STAGE_NOT_FOUND; a new card is open even in a final stage; its value is 0 and it has
 *   no user; ignoredCustomFields lists names.
 * - PATCH stage on a closed card follows the target stage: a non-final one reopens it. The same stage again keeps stageEnteredAt.
 *   A move to a lost stage has no lost reason (there is no input for one).
 * - Custom field values: text string, number JSON number, date YYYY-MM-DD or date-time with offset, boolean true or false, select one
 *   registered option, multiselect an array of them.
 * - missingFeatures names resources (contacts, cards, connections, conversations, messages, flows): each of its
 *   endpoints answers 403 without code.
 * - A missing, unknown, revoked or expired token is not counted; the headers then show an untouched window.
 *   The limit counts before scope, path and body are looked at, so a 403, 404 or 413 of a valid token costs a call; a 429 does not.
 * - An unknown path is 404 with or without a token.
 */
export const CHOICES: Choices = {
  wrappers: {
    tags: 'tags',
    card: 'card',
    pipelines: 'pipelines',
    lostReasons: 'lostReasons',
    updatedContact: 'contact',
  },
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
  newContactChannel: 'whatsapp',
  probabilityWithoutStage: 0,
  upsertAlwaysNeedsConnection: false,
  emptyExtraInfoErasesOnUpsert: false,
  numberDigits: { min: 1, max: 15 },
  bodyLimit: 1_048_576,
};
