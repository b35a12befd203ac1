// What the API text leaves open and needs no assumption: the client takes no stand on it.

interface OpenPoint {
  readonly unknown: string;
  readonly section: string;
  /** How the client gets by without an assumption. */
  readonly handling: string;
}

export const OPEN_POINTS: readonly OpenPoint[] = [
  {
    unknown: 'Further fields of tags, pipelines, lost reasons, history items and the lostReason of a card',
    section: 'Gaps in resources',
    handling: 'kept as they come; nothing depends on them, and their types may be any',
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
    handling: '`raw` holds it; an empty one is fine; `contact` says whether it names the contact of the call',
  },
  {
    unknown: 'Code of the 404 for a missing connection',
    section: 'POST /v1/flows/trigger',
    handling:
      'an ApiError with status 404 and whatever code came, or null; it names the assumptions of the call',
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
