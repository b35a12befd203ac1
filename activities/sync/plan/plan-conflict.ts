// Do the rows of one number speak of one person? Compares names, e-mail addresses and documents. Pure functions.
import {
  type ConflictRule,
  IDENTITY_FIELDS,
  type IdentityField,
  type SyncConfig,
} from '../../../src/contracts/config/config-sync.ts';
import type { CrmRecord } from '../../../src/contracts/wire/record.ts';

/** A value that says whose number it is, and the row that it stands in. */
export interface Claim {
  readonly row: number;
  readonly value: string;
}
/** What the rows of a number say so far: of several names that agree the fullest one. */
export type Claims = Readonly<Partial<Record<IdentityField, Claim>>>;

/** Fields in which a row differs from the claims, and what happens to the row. */
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

/** The claims with what this row adds to them, in these fields. */
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

/** Null when the row agrees with what the rows of its number say so far. */
export function conflictOf(claims: Claims, contact: Contact, rules: Rules): Conflict | null {
  const fields = IDENTITY_FIELDS.filter((field) => {
    const [known, value] = [claims[field]?.value, contact[field]];
    return known !== undefined && value !== undefined && !agrees(field, known, value);
  });
  if (fields.length === 0) return null;
  const found = new Set(fields.map((field) => ruleOf(field, rules) ?? defaultRule(field, claims, contact)));
  return { fields, rule: STRICTEST.find((rule) => found.has(rule)) ?? 'refuse' };
}

/** The rule that the configuration sets for a field; undefined where the default depends on the rows. */
export function ruleOf(field: IdentityField, rules: Rules): ConflictRule | undefined {
  return typeof rules === 'object' ? rules[field] : rules;
}

/**
 * Two documents are two people. One person may have two addresses. Two names may be two people, unless a document or an
 * address is the same: nothing is mixed then.
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

/** Two values of a field that may belong to one person. A value that says nothing agrees with all. */
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
 * Letters and digits alone, without the zeros in front, which spreadsheets drop. Empty for a placeholder: no digit, or
 * one digit repeated (no CPF or CNPJ is that).
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

/** The same words, or all words of the shorter name in the longer one; an initial stands for a word. */
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

/** Words that people leave out of a name. */
const FILLERS = new Set(['de', 'da', 'do', 'das', 'dos', 'del', 'di', 'e', 'y', 'sr', 'sra', 'dr', 'dra']);
/** Letters that have no form without their mark in Unicode. */
const MARKED: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** Words without case, accents and punctuation. None for a name without a letter, such as the number once more. */
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
