// Points that the API text leaves open and that need no assumption in the client.

interface OpenPoint {
  readonly unknown: string;
  readonly section: string;
  /** What the client does instead of assuming something. Continues "The client …". */
  readonly handling: string;
}

export const OPEN_POINTS: readonly OpenPoint[] = [
  {
    unknown: 'Further fields of tags, pipelines, lost reasons, history items and the lostReason of a card',
    section: 'Gaps in resources',
    handling: 'keeps them unchanged, whatever their types are',
  },
  {
    unknown: 'Channels and statuses beyond the listed ones, and which state follows which',
    section: 'States and transitions',
    handling: 'passes on unknown values',
  },
  {
    unknown: 'Response of a reply; shape of a message status beyond `ack` and `status`',
    section: 'Conversations',
    handling: 'reads what it can; the rest is in `raw`, or in the record itself',
  },
  {
    unknown: 'Body of the 202',
    section: 'POST /v1/flows/trigger',
    handling:
      'returns it in `raw`, and accepts an empty one; `contact` says whether it names the contact of the call',
  },
  {
    unknown: 'Code of the 404 for a missing connection',
    section: 'POST /v1/flows/trigger',
    handling:
      'throws an ApiError with status 404 and the code of the service, or null; it names the assumptions of the call',
  },
  {
    unknown: 'Which calls raise ERR_FEATURE_NOT_AVAILABLE, ERR_DUPLICATED_CONTACT, ERR_CONTACT_NUMBER_IS_LID',
    section: 'Errors',
    handling: 'expects them from every call; a 403 without a code has the kind `forbidden`',
  },
  {
    unknown: 'Layout of multipart beside the files',
    section: 'POST /v1/messages/send',
    handling: 'sends one text part per field, and templateData as JSON text, which the API text allows',
  },
  {
    unknown: 'Limits on message length, media size and number of files',
    section: 'Limits',
    handling: 'sets no limits of its own; deadlines apply',
  },
  {
    unknown: 'Other filters and the order of contacts',
    section: 'GET /v1/contacts',
    handling: 'accepts only the filters shown; reading all contacts needs a stable order, not a known one',
  },
  {
    unknown: 'Whether the list of connections has a count (its section and Limits disagree)',
    section: 'GET /v1/connections',
    handling: 'does not read it',
  },
  {
    unknown: 'Path of the inbound webhook receiver',
    section: 'Inbound webhook receiver',
    handling: 'does not call it; the panel shows the whole address',
  },
  {
    unknown: 'Outbound events, payload of the board event, how a reply reopens the 24-hour window',
    section: 'Events; Conversations',
    handling:
      'does not use them; Sluice finds changes by polling, and windows by the newest message received',
  },
];
