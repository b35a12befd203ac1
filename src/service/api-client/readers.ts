// Reads answers by the account's assumptions. The client's calls and the checks of stored answers use the same readers.

import { parseExactJson } from '../../core/json/exact-json.ts';
import type { Assumptions } from './assumptions.ts';
import { type FieldPathNames, valueAt } from './field-spec.ts';
import { isObject, type JsonObject, namesIn } from './json-object.ts';
import { Card } from './schemas/card.ts';
import { type HistoryJudgement, judgeHistory, readHistory } from './schemas/history.ts';
import { MessageStatus } from './schemas/message.ts';
import { LostReason, Pipeline } from './schemas/pipeline.ts';
import { Tag } from './schemas/tag.ts';
import {
  type Listing,
  listPlace,
  readList,
  readRecord,
  readStatusRecord,
  recordPlace,
  ShapeMismatch,
  statusPlace,
  type Wrapper,
} from './shapes.ts';

const USUAL = {
  'wrapper.tags': 'tags',
  'wrapper.pipelines': 'pipelines',
  'wrapper.lostReasons': 'lostReasons',
  'wrapper.card': 'card',
  'wrapper.contactUpdate': 'contact',
  'wrapper.messageStatus': 'message',
} as const;
export type WrapperKey = keyof typeof USUAL;

function wrapperOf(key: WrapperKey, assumed: Assumptions): Wrapper {
  return { key, path: assumed[key], usual: USUAL[key] };
}

/**
 * Creation and move show the key `card`, yet the text also counts three single-card answers whose key is not shown: so
 * `card` always serves, and elsewhere the assumption decides.
 */
export function cardWrapper(body: JsonObject, assumed: Assumptions): Wrapper {
  const wrapper = wrapperOf('wrapper.card', assumed);
  return isObject(body.card) ? { ...wrapper, path: ['card'] } : wrapper;
}

export const readTags = (body: JsonObject, assumed: Assumptions): Listing<Tag> =>
  readList(Tag, body, wrapperOf('wrapper.tags', assumed));
export const readPipelines = (body: JsonObject, assumed: Assumptions): Listing<Pipeline> =>
  readList(Pipeline, body, wrapperOf('wrapper.pipelines', assumed));
export const readLostReasons = (body: JsonObject, assumed: Assumptions): Listing<LostReason> =>
  readList(LostReason, body, wrapperOf('wrapper.lostReasons', assumed));
export const readCard = (body: JsonObject, assumed: Assumptions): Card =>
  readRecord(Card, body, cardWrapper(body, assumed));
export const readMessageStatus = (body: JsonObject, assumed: Assumptions): MessageStatus =>
  readStatusRecord(MessageStatus, body, wrapperOf('wrapper.messageStatus', assumed));

const WRAPPED = {
  'wrapper.tags': { read: readTags, place: listPlace },
  'wrapper.pipelines': { read: readPipelines, place: listPlace },
  'wrapper.lostReasons': { read: readLostReasons, place: listPlace },
  'wrapper.card': { read: readCard, place: recordPlace },
  'wrapper.messageStatus': { read: readMessageStatus, place: statusPlace },
} as const;
/** Wrappers in the answers of reading calls. */
export type ReadWrapperKey = keyof typeof WRAPPED;

/** Returns whether the client can read an answer by these assumptions, and where its list or record is. */
export function tryWrapper(
  key: ReadWrapperKey,
  answer: unknown,
  assumed: Assumptions,
): { readonly at: FieldPathNames } | ShapeMismatch {
  const body = bodyIn(answer, assumed);
  if (body === null) return new ShapeMismatch('answer', 'expected object', 'answer.envelope');
  const { read, place } = WRAPPED[key];
  try {
    const found: object = read(body, assumed);
    const first = 'invalid' in found ? (found as Listing<unknown>).invalid[0] : undefined;
    if (first !== undefined)
      return new ShapeMismatch(first.path, first.expected, first.assumption, first.seen);
    const wrapper = key === 'wrapper.card' ? cardWrapper(body, assumed) : wrapperOf(key, assumed);
    return { at: place(body, wrapper) };
  } catch (error) {
    if (error instanceof ShapeMismatch) return error;
    throw error;
  }
}

/** Returns the unreadable parts of a history by assumption: the number of messages, and the first of them. */
export function tryHistory(answer: unknown, assumed: Assumptions): HistoryJudgement | ShapeMismatch {
  const body = bodyIn(answer, assumed);
  if (body === null) return new ShapeMismatch('answer', 'expected object', 'answer.envelope');
  try {
    readHistory(body, assumed);
    return judgeHistory(body, assumed);
  } catch (error) {
    if (error instanceof ShapeMismatch) return error;
    throw error;
  }
}

/** Returns the names of the fields of a history's first message, as paths. */
export function namesOfMessages(answer: unknown): readonly string[] {
  const list = isObject(answer) && Array.isArray(answer.messages) ? (answer.messages as unknown[]) : [];
  return namesIn(list[0]);
}

function bodyIn(answer: unknown, assumed: Assumptions): JsonObject | null {
  const envelope = assumed['answer.envelope'];
  const body = envelope === null ? answer : valueAt(answer, envelope);
  return isObject(body) ? body : null;
}

/** Parses an answer's body as the client does. Undefined if it is not JSON. */
export function parseAnswer(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // They throw on bad input only. Their messages quote the body, so they are dropped.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
