// Masks personal data for operators' lists and exports: somebody who knows a value recognizes it, others learn nothing.
// A value of unknown kind is hidden.

const HIDDEN = '•••';

/**
 * `5511987654321` → `+55 11 9••••-4321`. Other countries keep the first digits of the code and the last four digits.
 */
export function maskPhone(text: string): string {
  const digits = text.replace(/\D/g, '');
  const [, area, ninth = ''] = /^55(\d\d)(9)?\d{8}$/.exec(digits) ?? [];
  if (area !== undefined) return `+55 ${area} ${ninth}••••-${digits.slice(-4)}`;
  // Short numbers would be shown almost whole.
  if (digits.length < 10) return digits.length < 8 ? HIDDEN : `${HIDDEN}${digits.slice(-2)}`;
  return `+${digits.slice(0, 2)}••••${digits.slice(-4)}`;
}

/** A number with its punctuation: `Cel (51) 98765-4321` → `••• (51) 9••••-••21`. */
export function maskWritten(text: string): string {
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  const [first, last] = digits < 10 ? [0, Math.min(2, digits - 5)] : [3, 2];
  let at = 0;
  return text.slice(0, 60).replace(/[\p{L}\p{M}\p{N}]/gu, (character) => {
    if (!/\p{Nd}/u.test(character)) return '•';
    at += 1;
    return at <= first || at > digits - last ? character : '•';
  });
}

/** `bia@example.com` → `b•••@example.com`. */
export function maskEmail(text: string): string {
  const at = text.lastIndexOf('@');
  return at < 1 ? HIDDEN : `${firstOf(text)}${HIDDEN}${text.slice(at)}`;
}

/** `Maria Souza` → `M… S…`. */
export function maskName(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => `${firstOf(word)}…`).join(' ');
}

/** `123.456.789-09` → `•••09`. */
export function maskDocument(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}]/gu, '');
  return plain.length < 6 ? HIDDEN : `${HIDDEN}${plain.slice(-2)}`;
}

/** The first letter with its accents. */
function firstOf(text: string): string {
  return [...text.normalize('NFC')][0] ?? '';
}

type Masker = (value: unknown) => unknown;

const text =
  (mask: (value: string) => string): Masker =>
  (value) =>
    typeof value === 'string' ? mask(value) : HIDDEN;
const shown: Masker = (value) => value;

/** What may be shown of a record, by path; see CrmRecord. */
const PLACES: Readonly<Record<string, Masker>> = {
  key: text(maskPhone),
  'contact.number': text(maskPhone),
  'contact.name': text(maskName),
  'contact.email': text(maskEmail),
  'contact.document': text(maskDocument),
  'contact.disableBot': shown,
  'extraInfo.name': shown,
  tags: shown,
  'card.pipeline': shown,
  'card.stage': shown,
  'card.sourceId': shown,
  'card.title': text(maskName),
  'card.expectedCloseDate': shown,
};

/**
 * A copy of a record, or of a part of it under the same names, for people. Phones, e-mails, names and documents are
 * masked; unknown paths are hidden.
 */
export function maskRecord(value: unknown): unknown {
  return mask(value, '');
}

/** Digits like a phone number or a document, or an address: a broken row can have them in any column. */
const PERSONAL = /@|(?:\p{Nd}\P{Nd}{0,4}){8}/u;

/**
 * A refused or excluded value of a row, masked.
 * @param field its target path: `contact.email`, `tags.0`
 */
export function maskValue(field: string, value: string): string {
  if (field === 'contact.number') return maskWritten(value);
  const place = field.replace(/^tags\.\d+$/, 'tags').replace(/^card\.source$/, 'card.sourceId');
  const masked = mask(value, place);
  return typeof masked !== 'string' || (masked === value && PERSONAL.test(value)) ? HIDDEN : masked;
}

function mask(value: unknown, place: string): unknown {
  if (value === null || value === undefined) return value;
  const known = PLACES[place];
  if (Array.isArray(value)) return value.map((item) => mask(item, place));
  if (known !== undefined) return known(value);
  if (typeof value !== 'object') return HIDDEN;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mask(item, place === '' ? key : `${place}.${key}`)]),
  );
}
