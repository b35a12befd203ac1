// Values of single fields: e-mail, yes or no, ids, tags.
import { FlowId } from '../core/config/base.ts';
import { ValueError } from './errors.ts';
import { byCodeUnit, clean, foldCase, isEmpty, toText } from './text.ts';

const YES = new Set(['true', '1', 'yes', 'y', 'sim', 's', 'si', 'sí', 'verdadeiro', 'on', 'x']);
const NO = new Set(['false', '0', 'no', 'n', 'não', 'nao', 'falso', 'off']);

/** @throws ValueError `invalid_boolean`: Sluice never guesses whether somebody accepts messages from a bot */
export function toBoolean(value: unknown): boolean | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  const word = foldCase(text);
  if (YES.has(word)) return true;
  if (NO.has(word)) return false;
  throw new ValueError(
    'invalid_boolean',
    'the value must be yes or no (yes, no, sim, não, true, false, 1, 0); add a `map` for other words',
    value,
  );
}

/** For `card.when`: anything but empty, false, no and 0 means yes. */
export function isYes(value: unknown): boolean {
  if (isEmpty(value)) return false;
  return typeof value === 'object' || !NO.has(foldCase(String(value)));
}

const ADDRESS =
  /^[^\s@<>()[\]",;:\\]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*$/u;

/**
 * The first valid address of a cell, with its domain in lower case. The part before the @ may be case-sensitive.
 * @throws ValueError `invalid_email`
 */
export function toEmail(value: unknown): string | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  for (const part of text.split(/[\s,;<>|]+/)) {
    const address = part.replace(/^mailto:/i, '');
    if (address.length > 254 || address.includes('..') || !ADDRESS.test(address)) continue;
    const at = address.lastIndexOf('@');
    if (address.startsWith('.') || address[at - 1] === '.') continue;
    return address.slice(0, at) + address.slice(at).toLowerCase();
  }
  throw new ValueError(
    'invalid_email',
    'this is not an e-mail address, so it was left out; correct it in the source',
    value,
  );
}

/** @throws ValueError `invalid_id` */
export function toId(value: unknown): number | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  const id = /^\d{1,15}(?:\.0)?$/.test(text) ? Number(text) : 0;
  if (id > 0) return id;
  throw new ValueError(
    'invalid_id',
    'the id must be a positive whole number; add a `map` from names to ids',
    value,
  );
}

/** Id of a flow, whose type the API text does not show. Digits become an integer; any other id stays text. */
export function toFlowId(value: unknown): FlowId | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  if (/^\d{1,15}(?:\.0)?$/.test(text)) return toId(value);
  const parsed = FlowId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ValueError('invalid_id', 'this is not a flow id; add a `map` from names to ids', value);
}

/** A stage by id or by name. A numeric text counts as an id: services number their stages, people name them. */
export function toStage(value: unknown): number | string | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text;
}

/** Texts of one value or of a list, split as configured. */
export function toTexts(value: unknown, split: string | undefined): string[] {
  if (!Array.isArray(value) && split === undefined) {
    const text = toText(value);
    return text === undefined ? [] : [text];
  }
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    const text = toText(item);
    if (text === undefined) return [];
    return split === undefined
      ? [text]
      : text
          .split(split)
          .map(clean)
          .filter((part) => part !== '');
  });
}

export function sortedUnique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(byCodeUnit);
}

/**
 * A custom field keeps the type of its value: JSON numbers and booleans stay, text stays text (`1.234,56` becomes a
 * number only through JSONata), and a list of scalars stays a list.
 * @throws ValueError `invalid_type`
 */
export function toCustomValue(value: unknown): unknown {
  if (isEmpty(value)) return undefined;
  if (typeof value === 'string') return clean(value) || undefined;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    const items = value.map(toCustomValue).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  throw new ValueError(
    'invalid_type',
    'the value must be a text, number, boolean or list of these; name one property of the object',
    value,
  );
}
