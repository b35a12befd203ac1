// The format of a dead letter in its topic: the original record, with headers that say where it came from and what was
// wrong.
import type { KafkaMessage, Message } from 'kafkajs';
import {
  type Headers,
  headersFrom,
  readHeaders,
  writableHeaders,
} from '../../../../connectors/kafka/headers.ts';
import type { RefusedError } from '../intake.ts';
import { reasonOf } from '../refusals.ts';
import { isoTime, nameOf, type Origin, REPLAY_OF, textHeaders } from './record.ts';

const DEAD_LETTER_HEADERS = {
  topic: 'sluice-origin-topic',
  partition: 'sluice-origin-partition',
  offset: 'sluice-origin-offset',
  timestamp: 'sluice-origin-timestamp',
  code: 'sluice-error-code',
  reason: 'sluice-error-reason',
  route: 'sluice-route',
  failedAt: 'sluice-failed-at',
  /** Length in bytes of a value that was too long for the dead-letter topic. */
  omitted: 'sluice-value-omitted',
} as const;

/** Headers of the record that says how a dead letter was resolved. It follows the dead letter in the same partition. */
const MARKER_HEADERS = {
  resolution: 'sluice-resolution',
  deadLetter: 'sluice-letter',
  by: 'sluice-resolved-by',
  at: 'sluice-resolved-at',
  reason: 'sluice-resolution-reason',
} as const;

export interface DeadLetter {
  /** `{partition}-{offset}` in the dead-letter topic. */
  readonly id: string;
  readonly origin: Origin;
  readonly route: string;
  readonly code: string;
  readonly reason: string;
  /** ISO time. */
  readonly failedAt: string;
  readonly key: Buffer | null;
  /** Null for a tombstone, and for an omitted value. */
  readonly value: Buffer | null;
  /** Length in bytes of the omitted value. */
  readonly omitted: number | null;
  /** Headers of the original record. */
  readonly headers: Headers;
}

export interface Resolution {
  readonly deadLetter: string;
  readonly how: 'replayed' | 'discarded';
  readonly by: string;
  readonly at: string;
  readonly reason: string | null;
}

export interface Refused {
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  readonly route: string;
  readonly error: RefusedError;
}

/**
 * Builds the dead letter of a refused record. It keeps the record's headers except those that look like Sluice's own.
 */
export function deadLetterMessage(refused: Refused, failedAt: Date): Message {
  const { topic, partition, message, route, error } = refused;
  return {
    key: message.key,
    value: message.value,
    headers: writableHeaders(
      headersFrom([
        ...Object.entries(withoutOurs(message.headers)),
        [DEAD_LETTER_HEADERS.topic, topic],
        [DEAD_LETTER_HEADERS.partition, String(partition)],
        [DEAD_LETTER_HEADERS.offset, message.offset],
        [DEAD_LETTER_HEADERS.timestamp, isoTime(message.timestamp) ?? ''],
        [DEAD_LETTER_HEADERS.code, error.code],
        [DEAD_LETTER_HEADERS.reason, reasonOf(error)],
        [DEAD_LETTER_HEADERS.route, route],
        [DEAD_LETTER_HEADERS.failedAt, failedAt.toISOString()],
      ]),
    ),
  };
}

/** Returns the same dead letter without its value. */
export function withoutValue(deadLetter: Message): Message {
  const { value } = deadLetter;
  const bytes = value === null ? 0 : Buffer.byteLength(value);
  const headers = readHeaders(deadLetter.headers);
  return {
    ...deadLetter,
    value: null,
    headers: writableHeaders(
      headersFrom([...Object.entries(headers), [DEAD_LETTER_HEADERS.omitted, String(bytes)]]),
    ),
  };
}

/** Maximum number of characters of a header in the shortest form. */
const SHORT = 200;

/**
 * The shortest form, for a record whose key or headers can't be written: where it is and what was wrong. Its key names
 * the record, because a compacted topic refuses records without a key.
 */
export function withoutRecord(deadLetter: Message): Message {
  const { headers } = withoutValue(deadLetter);
  const ours = Object.entries(readHeaders(headers))
    .filter(([name]) => name.startsWith('sluice-') && name !== REPLAY_OF)
    .map(([name, value]) => [name, cut(String(value))] as const);
  const texts = textHeaders(headers);
  const { topic, partition, offset } = DEAD_LETTER_HEADERS;
  const key = `${texts[topic]}/${texts[partition]}/${texts[offset]}`;
  return { key, value: null, headers: writableHeaders(headersFrom(ours)) };
}

/** By whole characters: half of a pair would be written as a replacement character. */
function cut(text: string): string {
  const chars = [...text];
  return chars.length <= SHORT ? text : `${chars.slice(0, SHORT - 1).join('')}…`;
}

function withoutOurs(headers: KafkaMessage['headers']): Headers {
  return headersFrom(
    Object.entries(readHeaders(headers)).filter(
      ([name]) => name.toLowerCase() === REPLAY_OF || !name.toLowerCase().startsWith('sluice-'),
    ),
  );
}

/** Null for a record that is not a dead letter. */
export function readDeadLetter(
  partition: number,
  message: Pick<KafkaMessage, 'offset' | 'key' | 'value' | 'headers'>,
): DeadLetter | null {
  const texts = textHeaders(message.headers);
  const topic = texts[DEAD_LETTER_HEADERS.topic];
  const offset = texts[DEAD_LETTER_HEADERS.offset];
  if (topic === undefined || offset === undefined) return null;
  const time = Date.parse(texts[DEAD_LETTER_HEADERS.timestamp] ?? '');
  const omitted = texts[DEAD_LETTER_HEADERS.omitted];
  return {
    id: `${partition}-${message.offset}`,
    origin: {
      topic,
      partition: Number(texts[DEAD_LETTER_HEADERS.partition]),
      offset,
      timestamp: Number.isNaN(time) ? '-1' : String(time),
    },
    route: texts[DEAD_LETTER_HEADERS.route] ?? '',
    code: texts[DEAD_LETTER_HEADERS.code] ?? '',
    reason: texts[DEAD_LETTER_HEADERS.reason] ?? '',
    failedAt: texts[DEAD_LETTER_HEADERS.failedAt] ?? '',
    key: message.key,
    value: message.value,
    omitted: omitted === undefined ? null : Number(omitted),
    headers: withoutOurs(message.headers),
  };
}

/** Null for a record that resolves nothing. */
export function readResolution(message: Pick<KafkaMessage, 'headers'>): Resolution | null {
  const texts = textHeaders(message.headers);
  const how = texts[MARKER_HEADERS.resolution];
  const deadLetter = texts[MARKER_HEADERS.deadLetter];
  if (deadLetter === undefined || (how !== 'replayed' && how !== 'discarded')) return null;
  const { by, at, reason } = MARKER_HEADERS;
  return { deadLetter, how, by: texts[by] ?? '', at: texts[at] ?? '', reason: texts[reason] ?? null };
}

/** Builds the record that says how a dead letter was resolved. */
export function markerMessage({ deadLetter, how, by, at, reason }: Resolution): Message {
  return {
    key: deadLetter,
    value: null,
    partition: Number(deadLetter.split('-')[0]),
    headers: {
      [MARKER_HEADERS.resolution]: how,
      [MARKER_HEADERS.deadLetter]: deadLetter,
      [MARKER_HEADERS.by]: by,
      [MARKER_HEADERS.at]: at,
      ...(reason === null ? {} : { [MARKER_HEADERS.reason]: reason }),
    },
  };
}

/** Builds the original record again. It keeps the name of the first record through any number of replays. */
export function replayMessage({ key, value, headers, origin }: DeadLetter): Message {
  const first = textHeaders(headers)[REPLAY_OF] ?? nameOf(origin);
  const others = Object.entries(readHeaders(headers)).filter(([name]) => name.toLowerCase() !== REPLAY_OF);
  return { key, value, headers: writableHeaders(headersFrom([...others, [REPLAY_OF, first]])) };
}
