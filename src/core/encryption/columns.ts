// The columns that are encrypted. What is not listed stays readable: what statements search for, ids, times, states and
// counts. docs/explanation/security.md has the reasons.
import type { CrmRecord } from '../record.ts';
import { bytes, document, field, type Shape, values } from './shapes.ts';

export interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  readonly shape: Shape;
  /** Columns that name the row. Their values never change while the row has content. */
  readonly row: readonly string[];
  /** Columns of the primary key. Null: rows are deleted within a run, so the job leaves them alone. */
  readonly key: readonly string[] | null;
}

type Named = Readonly<Record<string, unknown>>;

/** What an event asks for. The search finds people by the number, and erasing finds uploads. */
export const EVENT_REQUEST: EncryptedColumn = {
  table: 'events',
  column: 'request',
  shape: document((request: Named) => ({
    ...keyOf(request),
    record: keyOf(request.record),
    to: keyOf(request.to),
    of: keyOf(request.of),
    ...('uploads' in request && { uploads: request.uploads }),
  })),
  row: ['id'],
  key: ['seq'],
};

/** A mapped row. Statements ask which fields it has, how many tags and extra fields, and for the stage of its card. */
export const RECORD_PAYLOAD: EncryptedColumn = {
  table: 'run_records',
  column: 'payload',
  shape: document(({ contact, extraInfo, tags, card }: CrmRecord) => ({
    contact: Object.fromEntries(Object.keys(contact).map((name) => [name, 0])),
    extraInfo: extraInfo.map(() => 0),
    tags: tags.map(() => 0),
    ...(card?.stage !== undefined && { card: { stage: card.stage } }),
  })),
  row: ['run_id', 'key', 'event_id'],
  key: ['id'],
};

/** Events on their way to sinks, with texts of messages. */
export const OUTBOX_EVENT: EncryptedColumn = {
  table: 'outbox',
  column: 'event',
  shape: document(),
  row: ['sink', 'stream', 'event_id'],
  key: ['sink', 'seq'],
};

/** Messages that were read and not published yet. The list of operators shows times and states. */
export const MESSAGE_ITEM: EncryptedColumn = {
  table: 'messages',
  column: 'item',
  shape: document(({ at, fromMe, status }: Named) => ({ at, fromMe, status })),
  row: ['account', 'conversation_id', 'key'],
  key: ['account', 'conversation_id', 'key'],
};

/** The listing of a conversation. Only its text is encrypted: the search finds people by the rest. */
export const CONVERSATION_ITEM: EncryptedColumn = {
  table: 'conversations',
  column: 'item',
  shape: field('lastMessage'),
  row: ['account', 'id'],
  key: ['account', 'id'],
};

export const UPLOAD_PART: EncryptedColumn = {
  table: 'upload_parts',
  column: 'data',
  shape: bytes,
  row: ['id', 'part'],
  key: ['id', 'part'],
};

/** A refused request: headers, signature and body. */
export const REFUSED_CONTENT: EncryptedColumn = {
  table: 'refused_requests',
  column: 'content',
  shape: bytes,
  row: ['id'],
  key: ['id'],
};

/** Extra fields of a contact, as last written or read. */
export const EXTRA_KNOWN: EncryptedColumn = {
  table: 'people',
  column: 'extra_known',
  shape: document(),
  row: ['account', 'key'],
  key: ['id'],
};

/** The contact as the service last showed it. Statements ask for the run, and audiences for tags. */
export const PERSON_SEEN: EncryptedColumn = {
  table: 'people',
  column: 'seen',
  shape: document(({ run, name, email, tags }: Named & { tags: { id: number }[] }) => ({
    run,
    name,
    email,
    tags: tags.map(({ id }) => ({ id })),
  })),
  row: ['account', 'key'],
  key: ['id'],
};

/** Values that a flow gets. The plan asks which variables have a value. */
export const MEMBER_VARIABLES: EncryptedColumn = {
  table: 'campaign_members',
  column: 'variables',
  shape: values,
  row: ['run_id', 'key'],
  key: ['id'],
};

/** What shows that a person opted out, for example their own words. */
export const OPT_OUT_EVIDENCE: EncryptedColumn = {
  table: 'opt_outs',
  column: 'evidence',
  shape: document(),
  row: ['account', 'key'],
  key: ['account', 'key'],
};

/** Each chunk of a page is encrypted by itself, so that one can be read without the others. */
export const PAGE_CHUNK: EncryptedColumn = {
  table: 'plan_pages',
  column: 'packed',
  shape: bytes,
  row: ['run_id', 'page', 'chunk'],
  key: null,
};

export const PLAN_CLAIMS: EncryptedColumn = {
  table: 'plan_claims',
  column: 'claims',
  shape: document(),
  row: ['run_id', 'key'],
  key: null,
};

export const PLAN_AGAINST: EncryptedColumn = {
  table: 'plan_claims',
  column: 'against',
  shape: document(),
  row: ['run_id', 'key'],
  key: null,
};

/** The secret from which the codes of a user's second factor are made. */
export const SECOND_FACTOR: EncryptedColumn = {
  table: 'users',
  column: 'second_factor',
  shape: document(),
  row: ['id'],
  key: ['id'],
};

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  EVENT_REQUEST,
  RECORD_PAYLOAD,
  OUTBOX_EVENT,
  MESSAGE_ITEM,
  CONVERSATION_ITEM,
  UPLOAD_PART,
  REFUSED_CONTENT,
  EXTRA_KNOWN,
  PERSON_SEEN,
  MEMBER_VARIABLES,
  OPT_OUT_EVIDENCE,
  PAGE_CHUNK,
  PLAN_CLAIMS,
  PLAN_AGAINST,
  SECOND_FACTOR,
];

/** The person's key, which stays readable; nothing when there is none. */
function keyOf(part: unknown): { key?: unknown } {
  return typeof part === 'object' && part !== null && 'key' in part ? { key: part.key } : {};
}
