// Decides whether rows with one number are about one person, by names, e-mail addresses and documents. Pure
// functions.

import type { CrmRecord } from '../../../src/core/record.ts';
import {
  type ConflictRule,
  IDENTITY_FIELDS,
  type IdentityField,
  type SyncConfig,
} from '../../../src/jobs/sync/config.ts';

/** A value that identifies the number's owner, and the row that has it. */
export interface Claim {
  readonly row: number;
  readonly value: string;
  /** What the merged record has instead: the value of a later row, which replaced this one. */
  readonly kept?: { readonly row: number; readonly value: string };
}
/** What the rows of a number say so far. If several names agree, this keeps the fullest one. */
export type Claims = Readonly<Partial<Record<IdentityField, Claim>>>;

/** Fields in which a row contradicts the claims, and what happens to the row. */
export interface Conflict {
  readonly fields: readonly IdentityField[];
  readonly rule: ConflictRule;
}

type Contact = CrmRecord['contact'];
type Rules = SyncConfig['onConflict'];

const STRICTEST: readonly ConflictRule[] = ['refuse', 'first', 'merge'];

export function claimsOf(row: number, contact: Contact): Claims {
  return addClaims({}, row, contact, IDENTITY_FIELDS);
}

/** The claims after this row is added to them, for these fields. */
export function addClaims(
  claims: Claims,
  row: number,
  contact: Contact,
  fields: readonly IdentityField[],
): Claims {
  const all: Partial<Record<IdentityField, Claim>> = { ...claims };
  for (const field of fields) {
    const value = contact[field];
    if (value === undefined || !says(field, value)) continue;
    const known = all[field];
    if (known === undefined || (field === 'name' && wordsOf(value).length > wordsOf(known.value).length))
      all[field] = { row, value };
  }
  return all;
}

/** The claims after the values of this row are merged into the record. */
export function keepValues(claims: Claims, row: number, contact: Contact): Claims {
  const all: Partial<Record<IdentityField, Claim>> = { ...claims };
  for (const field of IDENTITY_FIELDS) {
    const [claim, value] = [claims[field], contact[field]];
    if (claim === undefined || value === undefined || !says(field, value)) continue;
    if (keptOf(claim).value !== value) all[field] = { ...claim, kept: { row, value } };
  }
  return all;
}

/** The value of a field that the merged record has, and the first row that has it. */
function keptOf({ row, value, kept = { row, value } }: Claim): NonNullable<Claim['kept']> {
  return kept;
}

/** The values of earlier rows that this row replaces in the merged record. */
export function replacedBy(
  contact: Contact,
  claims: Claims,
): { readonly field: IdentityField; readonly row: number; readonly value: string }[] {
  return IDENTITY_FIELDS.flatMap((field) => {
    const [claim, value] = [claims[field], contact[field]];
    if (claim === undefined || value === undefined) return [];
    const kept = keptOf(claim);
    return agrees(field, kept.value, value) ? [] : { field, ...kept };
  });
}

/** Returns null when the row agrees with the claims. */
export function conflictOf(claims: Claims, contact: Contact, rules: Rules): Conflict | null {
  const fields = IDENTITY_FIELDS.filter((field) => {
    const [known, value] = [claims[field]?.value, contact[field]];
    return known !== undefined && value !== undefined && !agrees(field, known, value);
  });
  if (fields.length === 0) return null;
  const found = new Set(fields.map((field) => ruleOf(field, rules) ?? defaultRule(field, claims, contact)));
  return { fields, rule: STRICTEST.find((rule) => found.has(rule)) ?? 'refuse' };
}

/** The configured rule for a field; undefined when the default depends on the rows. */
export function ruleOf(field: IdentityField, rules: Rules): ConflictRule | undefined {
  return typeof rules === 'object' ? rules[field] : rules;
}

/**
 * The default rules: two documents are two people. One person may have two addresses. Two names may be two people
 * unless a document or an address is the same; their rows are not merged.
 */
function defaultRule(field: IdentityField, claims: Claims, contact: Contact): ConflictRule {
  if (field === 'document') return 'refuse';
  if (field === 'email') return 'merge';
  const proved = (['document', 'email'] as const).some((proof) => {
    const [known, value] = [claims[proof]?.value, contact[proof]];
    return known !== undefined && value !== undefined && says(proof, value) && agrees(proof, known, value);
  });
  return proved ? 'merge' : 'first';
}

/** Whether two values of a field may belong to one person. An uninformative value agrees with all. */
export function agrees(field: IdentityField, one: string, other: string): boolean {
  if (!says(field, one) || !says(field, other)) return true;
  if (field === 'name') return sameName(one, other);
  const plain = PLAIN[field];
  return plain(one) === plain(other);
}

const PLAIN = { email: plainEmail, document: plainDocument } as const;

function says(field: IdentityField, value: string): boolean {
  return field === 'name' ? wordsOf(value).length > 0 : PLAIN[field](value) !== '';
}

function plainEmail(text: string): string {
  return text.trim().toLowerCase();
}

const LABEL = /^(?:CPF|CNPJ|RG|DOCUMENTO|DOC)+/;

/**
 * Keeps letters and digits and drops leading zeros, which spreadsheets drop too. Returns an empty text for a
 * placeholder: no digit, or one digit repeated (no CPF or CNPJ has that form).
 */
function plainDocument(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(LABEL, '')
    .replace(/^0+/, '');
  return /\p{N}/u.test(plain) && !/^(.)\1+$/u.test(plain) ? plain : '';
}

/**
 * Whether two names have the same words, or the longer one has all words of the shorter. An initial stands for a
 * word.
 */
function sameName(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.join('') === b.join('')) return true;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const left = [...long];
  const take = (at: number) => {
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const unmatched = short.filter((word) => !take(left.indexOf(word)));
  return unmatched.every((word) => take(left.findIndex((each) => isInitial(word, each))));
}

function isInitial(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return [...short].length === 1 && long.startsWith(short);
}

/** Words that people leave out of names. */
const FILLERS = new Set(['de', 'da', 'do', 'das', 'dos', 'del', 'di', 'e', 'y', 'sr', 'sra', 'dr', 'dra']);
/** Letters whose mark Unicode cannot separate from the letter. */
const MARKED: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** Words without case, accents and punctuation. Empty for a name without letters, such as a repeated number. */
function wordsOf(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f'’`´]/g, '')
    .replaceAll(/[øłđðæœı]/g, (letter) => MARKED[letter] ?? letter);
  if (!/\p{L}/u.test(plain)) return [];
  const words = plain.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  const meaningful = words.filter((word) => !FILLERS.has(word));
  return meaningful.length === 0 ? words : meaningful;
}
