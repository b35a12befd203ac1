// Reads messages of a conversation's history by the account's assumptions (API text, Gaps in resources: their fields
// are not shown).
//
// An unreadable value never counts as absent: a message is returned only if all its values are certain. An item is
// reported as unreadable, with the assumption to override and the names of its fields, if
// - its direction is not true or false, or is none of the values of the override. Every message has a direction;
// - its time is missing, unless another message of the answer shows one or the override says `optional: true`;
//   or its time is not in the unit of the override (by default ISO 8601 with an offset);
// - its text is missing, unless another message of the answer shows one, the item has a template or media, or the
//   override says `optional: true`. Even then, a customer's message without media is unreadable if another field with a
//   usual name has a text: it may be an opt-out. A null text means no text, unless no message of the answer has one and
//   such a field exists;
// - its status is missing, another field of the item contains a status word or has the name of one, and no other
//   message of the answer shows a status. A history that shows no status at all is readable: the status is null;
// - any of these, the id or the delivery code is of another type: a word or a number instead of the assumed boolean,
//   epoch seconds instead of ISO 8601, an object instead of a text.
import { createHash } from 'node:crypto';
import type { AssumptionKey } from '../assumption-table.ts';
import type { Assumptions } from '../assumptions.ts';
import { type FieldSpec, pathText, valueAt } from '../field-spec.ts';
import { isObject, type JsonObject, namesIn } from '../json-object.ts';
import { arrayAt, type Page, readEach, readPageFields, ShapeMismatch } from '../shapes.ts';
import { Instant } from './fields.ts';
import { distinguish, type HistoryMessage, KNOWN_STATUSES } from './message.ts';

/** Fields that at least one message of the answer shows. */
interface Shown {
  readonly time: boolean;
  readonly text: boolean;
  readonly status: boolean;
}

/**
 * Reads one page of a history, in chronological order. Unreadable items are in `invalid`.
 *
 * @throws ShapeMismatch if `messages`, `count` or `hasMore` differ from the API text
 */
export function readHistory(body: JsonObject, assumed: Assumptions): Page<HistoryMessage> {
  const values = arrayAt(body, 'messages');
  const shown = shownIn(values, assumed);
  const { items, invalid } = readEach(values, 'messages', (value, at) =>
    readMessage(value, at, assumed, shown),
  );
  return { items: distinguish(items), invalid, ...readPageFields(body) };
}

/** Unreadable parts of a history by one assumption. */
export interface HistoryFault {
  readonly key: AssumptionKey;
  /** Number of affected messages. */
  readonly messages: number;
  readonly first: ShapeMismatch;
}

export interface HistoryJudgement {
  readonly faults: readonly HistoryFault[];
  readonly messages: number;
  /** Number of different ids in the messages. */
  readonly ids: number;
}

/**
 * Returns every reason why messages are unreadable. `readHistory` reports only the first one per message.
 *
 * @throws ShapeMismatch if `messages` differs from the API text
 */
export function judgeHistory(body: JsonObject, assumed: Assumptions): HistoryJudgement {
  const values = arrayAt(body, 'messages');
  const shown = shownIn(values, assumed);
  const faults = new Map<AssumptionKey, HistoryFault>();
  const ids = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (!isObject(value)) continue;
    const fields = new FieldReader(value, `messages[${index}]`, assumed);
    const reads = [
      () => ids.add(fields.id() ?? ''),
      () => fields.direction(),
      () => fields.time(shown.time),
      () => fields.text(shown.text, isObject(fields.template()), isReceived(fields)),
      () => fields.status(shown.status),
      () => fields.ack(),
    ];
    for (const read of reads) {
      const first = mismatchOf(read);
      if (first?.assumption == null) continue;
      const before = faults.get(first.assumption);
      const messages = (before?.messages ?? 0) + 1;
      faults.set(first.assumption, { key: first.assumption, messages, first: before?.first ?? first });
    }
  }
  ids.delete('');
  return { faults: [...faults.values()], messages: values.length, ids: ids.size };
}

/** False if the direction is unreadable, which is a fault of its own. */
const isReceived = (fields: FieldReader): boolean =>
  mismatchOf(() => fields.direction()) === null && !fields.direction();

function mismatchOf(read: () => unknown): ShapeMismatch | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof ShapeMismatch) return error;
    throw error;
  }
}

function shownIn(values: readonly unknown[], assumed: Assumptions): Shown {
  const shows = (spec: FieldSpec, fits: (value: unknown) => boolean) =>
    values.some((value) => fits(valueAt(value, spec.path)));
  const time = assumed['message.timeField'];
  return {
    time: shows(time, (value) => instantOf(value, time) !== null),
    text: shows(assumed['message.bodyField'], (value) => typeof value === 'string' && value !== ''),
    status: shows(assumed['message.statusField'], (value) => value !== undefined && value !== null),
  };
}

function readMessage(value: unknown, at: string, assumed: Assumptions, shown: Shown): HistoryMessage {
  if (!isObject(value)) throw new ShapeMismatch(at, 'expected object');
  const fields = new FieldReader(value, at, assumed);
  const id = fields.id();
  const fromMe = fields.direction();
  const time = valueAt(value, assumed['message.timeField'].path);
  const createdAt = fields.time(shown.time);
  const template = fields.template();
  const text = fields.text(shown.text, isObject(template), !fromMe);
  // The hash excludes the delivery code: it changes, and would make the message another item.
  const basis =
    createdAt === null ? value : [time, valueAt(value, assumed['message.fromMeField'].path) ?? null, text];
  const hashKey = `hash:${createHash('sha256').update(canonical(basis)).digest('base64url')}`;
  return {
    key: id === null ? hashKey : `id:${id}`,
    hashKey,
    id,
    body: text,
    fromMe,
    createdAt,
    template,
    status: fields.status(shown.status),
    ack: fields.ack(),
    raw: value,
  };
}

/** Reads the fields of one item. Each method throws ShapeMismatch for a value that it cannot read. */
class FieldReader {
  readonly #item: JsonObject;
  readonly #at: string;
  readonly #assumed: Assumptions;

  constructor(item: JsonObject, at: string, assumed: Assumptions) {
    this.#item = item;
    this.#at = at;
    this.#assumed = assumed;
  }

  #value(spec: FieldSpec): unknown {
    return valueAt(this.#item, spec.path);
  }

  #unreadable(key: AssumptionKey, spec: FieldSpec, expected: string): ShapeMismatch {
    return new ShapeMismatch(`${this.#at}.${pathText(spec.path)}`, expected, key, namesIn(this.#item));
  }

  id(): string | null {
    const spec = this.#assumed['message.idField'];
    const value = this.#value(spec);
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string' || Number.isSafeInteger(value)) return String(value);
    throw this.#unreadable('message.idField', spec, 'expected text or an integer');
  }

  direction(): boolean {
    const spec = this.#assumed['message.fromMeField'];
    const value = this.#value(spec);
    const { values } = spec;
    const read = values === null ? value : meaningOf(value, values);
    if (typeof read === 'boolean') return read;
    const expected =
      values === null ? 'expected true or false' : `expected one of ${Object.keys(values).join(', ')}`;
    throw this.#unreadable('message.fromMeField', spec, expected);
  }

  /** Returns ISO 8601. A time in ISO 8601 stays as the service wrote it. */
  time(isShown: boolean): string | null {
    const spec = this.#assumed['message.timeField'];
    const value = this.#value(spec);
    if ((value === undefined || value === null) && (isShown || spec.optional)) return null;
    const instant = instantOf(value, spec);
    if (instant !== null) return instant;
    throw this.#unreadable('message.timeField', spec, UNITS[spec.unit]);
  }

  text(isShown: boolean, hasTemplate: boolean, isReceived: boolean): string | null {
    const spec = this.#assumed['message.bodyField'];
    const value = this.#value(spec);
    if (typeof value === 'string' && value !== '') return value;
    const nothing = typeof value === 'string' ? value : null;
    if (nothing === null && value !== undefined && value !== null)
      throw this.#unreadable('message.bodyField', spec, 'expected text');
    if (spec.optional || hasTemplate) return nothing;
    const isElsewhere = hasOtherText(this.#item, spec);
    if (isShown && !(isReceived && isElsewhere && !hasMedia(this.#item))) return nothing;
    if (!isShown && (value === undefined ? hasMedia(this.#item) : !isElsewhere)) return nothing;
    throw this.#unreadable('message.bodyField', spec, 'expected text');
  }

  /** Undefined if the item does not show it. */
  template(): JsonObject | null | undefined {
    const value = this.#value(this.#assumed['message.templateField']);
    return value === null || isObject(value) ? value : undefined;
  }

  status(isShown: boolean): string | null {
    const spec = this.#assumed['message.statusField'];
    const value = this.#value(spec);
    const { values } = spec;
    const read = values === null ? value : meaningOf(value, values);
    if (typeof read === 'string' && read !== '') return read;
    const isNothing = value === undefined || value === null || value === '';
    if (isNothing && (isShown || spec.optional || !hasOtherStatus(this.#item))) return null;
    const expected =
      values === null ? 'expected a status word' : `expected one of ${Object.keys(values).join(', ')}`;
    throw this.#unreadable('message.statusField', spec, expected);
  }

  ack(): number | null {
    const spec = this.#assumed['message.ackField'];
    const value = this.#value(spec);
    if (value === undefined || value === null) return null;
    const code = typeof value === 'string' && /^-?\d{1,4}$/.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(code)) return code as number;
    throw this.#unreadable('message.ackField', spec, 'expected an integer');
  }
}

const UNITS = {
  iso: 'expected a time in ISO 8601 with an offset',
  s: 'expected seconds since 1970',
  ms: 'expected milliseconds since 1970',
} as const;

/** A time outside 2001 to 2286 has another unit. */
const EARLIEST_MS = 1e12;
const LATEST_MS = 1e13;

function instantOf(value: unknown, { unit }: Pick<FieldSpec, 'unit'>): string | null {
  if (unit === 'iso') return Instant.safeParse(value).success ? (value as string) : null;
  const isDigits = typeof value === 'string' && /^\d{1,16}(\.\d{1,9})?$/.test(value);
  if (typeof value !== 'number' && !isDigits) return null;
  const ms = Math.round(Number(value) * (unit === 's' ? 1000 : 1));
  return ms >= EARLIEST_MS && ms < LATEST_MS ? new Date(ms).toISOString() : null;
}

/** Returns the override's meaning of a value, or undefined if it has none. */
function meaningOf(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'object' && value !== null) return undefined;
  const name = value === undefined ? 'absent' : String(value);
  if (Object.hasOwn(values, name)) return values[name];
  return value !== undefined && value !== null && Object.hasOwn(values, '*') ? values['*'] : undefined;
}

/** Fields that the API text and chat channels use for files. */
const MEDIA_NAME =
  /^(medias?|attachments?|files?|media(Url|Type|Name|Key)|mime_?type|sticker|audio|image|video|document|location)$/i;
const TEXT_NAME = /^(text|body|content|message|msg|conversation)$/i;
/** The content of such a field is another message. */
const QUOTED = /(quot|repl(y|ied)|context|forward)\w*\./i;
const STATUS_NAME = /^((message|delivery|send|ack)_?)?(status|state)$/i;

function hasMedia(item: JsonObject): boolean {
  return Object.entries(item).some(
    ([name, value]) =>
      MEDIA_NAME.test(name) && value !== null && value !== '' && value !== false && !isEmpty(value),
  );
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function hasOtherText(item: JsonObject, { path }: FieldSpec): boolean {
  const assumed = pathText(path);
  return leavesOf(item).some(
    ({ name, at, value }) =>
      at !== assumed && TEXT_NAME.test(name) && !QUOTED.test(at) && typeof value === 'string' && value !== '',
  );
}

function hasOtherStatus(item: JsonObject): boolean {
  return leavesOf(item).some(
    ({ name, value }) =>
      value !== null &&
      value !== '' &&
      (STATUS_NAME.test(name) || (typeof value === 'string' && KNOWN_STATUSES.has(value.toLowerCase()))),
  );
}

interface Leaf {
  readonly name: string;
  readonly at: string;
  readonly value: unknown;
}

/** Returns the values that are not objects, down to three levels. */
function leavesOf(record: JsonObject, prefix = '', depth = 0): Leaf[] {
  return Object.entries(record).flatMap(([name, value]): Leaf[] => {
    const at = `${prefix}${name}`;
    if (isObject(value)) return depth < 2 ? leavesOf(value, `${at}.`, depth + 1) : [];
    return [{ name, at, value }];
  });
}

/** Returns JSON with sorted keys: the hash of an item does not depend on the order of its fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
