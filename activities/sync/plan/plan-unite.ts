// Merges the rows of one number into one record, or rejects them all. It goes row by row in the order of the source,
// so the result does not depend on page boundaries.

import type { CrmRecord, RowProblem } from '../../../src/core/record.ts';
import { IDENTITY_FIELDS, type IdentityField, type SyncConfig } from '../../../src/jobs/sync/config.ts';
import { CONFLICT, type RowFinding } from '../../../src/jobs/sync/store/row-problems.ts';
import { mergeRecords } from '../../records/record-diff.ts';
import {
  addClaims,
  agrees,
  type Claims,
  type Conflict,
  claimsOf,
  conflictOf,
  keepValues,
  replacedBy,
  ruleOf,
} from './plan-conflict.ts';

export interface RowRecord {
  readonly row: number;
  readonly record: CrmRecord;
}

/** What earlier pages know about the number. */
export interface Earlier extends RowRecord {
  readonly claims: Claims;
  /** The previous run left this record undone. New rows update it. */
  readonly carried: boolean;
}

/** Why the rows of a number were rejected: `against` contradicts `claims`. */
export interface Refusal {
  readonly claims: Claims;
  readonly against: Claims;
}

export interface United {
  /** Null when the rows are rejected. */
  readonly record: CrmRecord | null;
  readonly claims: Claims;
  readonly refusal: Refusal | null;
  /** Rows of the page whose person another row already represents. */
  readonly merged: readonly number[];
  readonly findings: readonly RowFinding[];
}

export interface UniteRules {
  readonly onConflict: SyncConfig['onConflict'];
  /** Columns that the mapping reads for a field. */
  readonly columns: Readonly<Partial<Record<IdentityField, string>>>;
}

/** @param rows the rows of one number in one page, at least one, in the order of the source */
export function unite(rows: readonly RowRecord[], earlier: Earlier | null, rules: UniteRules): United {
  const { onConflict } = rules;
  const merged: number[] = [];
  const findings: RowFinding[] = [];
  let record = earlier?.record ?? null;
  let claims: Claims = earlier?.claims ?? {};
  for (const [at, each] of rows.entries()) {
    const { row, record: next } = each;
    if (record === null) {
      record = next;
      claims = claimsOf(row, next.contact);
      continue;
    }
    const conflict = conflictOf(claims, next.contact, onConflict);
    if (conflict?.rule === 'refuse') {
      const refusal = { claims, against: claimsIn(conflict, each) };
      const before = rows.slice(0, at).flatMap((one) => refuseEarlier(one.row, refusal, rules));
      const after = rows.slice(at).flatMap((one) => refuseRow(one, refusal, rules));
      return { record: null, claims, refusal, merged: [], findings: [...before, ...after] };
    }
    const leftOut = conflict?.rule === 'first';
    findings.push(
      ...(leftOut ? leftOutRow(each, claims, conflict, rules) : replacedValues(each, claims, rules)),
    );
    merged.push(row);
    // A row that is left out can still show a second document, and then the number is refused.
    const fields = IDENTITY_FIELDS.filter((field) =>
      leftOut
        ? field === 'document' && (ruleOf(field, onConflict) ?? 'refuse') === 'refuse'
        : !conflict?.fields.includes(field),
    );
    claims = addClaims(claims, row, next.contact, fields);
    if (leftOut) continue;
    claims = keepValues(claims, row, next.contact);
    record = mergeRecords(record, next);
  }
  return { record, claims, refusal: null, merged, findings };
}

/** Findings about a row that comes after its number was refused. */
export function refuseRow({ row, record }: RowRecord, refusal: Refusal, rules: UniteRules): RowFinding[] {
  return disputed(refusal).map((field) => {
    const { claims, against } = refusal;
    const value = record.contact[field];
    const known = claims[field];
    const agreesWithFirst = value === undefined || known === undefined || agrees(field, known.value, value);
    const other = agreesWithFirst ? against[field] : known;
    return reject(row, field, refusal, { value, other, rules });
  });
}

/** Findings about a row that was accepted before its number was refused, and whose record is not available. */
export function refuseEarlier(row: number, refusal: Refusal, rules: UniteRules): RowFinding[] {
  return disputed(refusal).map((field) => {
    const own = refusal.claims[field];
    const value = own?.row === row ? own.value : undefined;
    return reject(row, field, refusal, { value, other: refusal.against[field], rules });
  });
}

const disputed = ({ against }: Refusal) => IDENTITY_FIELDS.filter((field) => against[field] !== undefined);

function claimsIn({ fields }: Conflict, { row, record }: RowRecord): Claims {
  return addClaims({}, row, record.contact, fields);
}

const WORDS: Readonly<Record<IdentityField, string>> = {
  document: 'documents',
  name: 'names',
  email: 'e-mail addresses',
};

interface Sides {
  readonly value: string | undefined;
  readonly other: Claims[IdentityField];
  readonly rules: UniteRules;
}

function reject(row: number, field: IdentityField, { claims, against }: Refusal, sides: Sides): RowFinding {
  const rows = `rows ${claims[field]?.row} and ${against[field]?.row}`;
  const reason = `${rows} have this number and different ${WORDS[field]}, so every row of the number was rejected; correct the source, or say in the sync what such rows become (onConflict: first or merge)`;
  return { row, kind: 'reject', problem: problemOf(field, reason, sides) };
}

/** Findings about a row that is left out because it differs. */
function leftOutRow(
  { row, record }: RowRecord,
  claims: Claims,
  { fields }: Conflict,
  rules: UniteRules,
): RowFinding[] {
  return fields.map((field) => {
    const other = claims[field];
    const reason = `rows ${other?.row} and ${row} have this number and different ${WORDS[field]}; Sluice left out row ${row} (onConflict: first)`;
    const sides = { value: record.contact[field], other, rules };
    return { row, kind: 'warning', problem: problemOf(field, reason, sides) };
  });
}

/** Findings about the earlier rows whose values a merged row replaces: those values are the ones that are left out. */
function replacedValues({ row, record }: RowRecord, claims: Claims, rules: UniteRules): RowFinding[] {
  return replacedBy(record.contact, claims).map((lost) => {
    const { field, value } = lost;
    const reason = `rows ${lost.row} and ${row} have this number and different ${WORDS[field]}; Sluice merged them, and the value of row ${row} replaced this one (onConflict: merge)`;
    const other = { row, value: record.contact[field] as string };
    return { row: lost.row, kind: 'warning', problem: problemOf(field, reason, { value, other, rules }) };
  });
}

function problemOf(field: IdentityField, reason: string, { value, other, rules }: Sides): RowProblem {
  const column = rules.columns[field];
  return {
    field: `contact.${field}`,
    code: CONFLICT,
    reason,
    ...(value === undefined ? {} : { value }),
    ...(column === undefined ? {} : { column }),
    ...(other === undefined ? {} : { otherRow: other.row, otherValue: other.value }),
  };
}
