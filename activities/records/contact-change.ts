// Decides which contact fields to write, from the source's values, what was sent before, and what the service shows,
// under the rules of the sync. Pure functions.
import { hash } from 'node:crypto';
import type { CrmRecord } from '../../src/core/record.ts';
import type { SeenContact } from '../../src/core/store/people.ts';
import { CONTACT_FIELDS, type ContactField, type SyncConfig } from '../../src/jobs/sync/config.ts';

type Fields = CrmRecord['contact'];
type Rules = Pick<SyncConfig, 'fields' | 'conflict'>;
type Clearable = 'email' | 'document';

/** Prefix of a mark whose value was not sent because the rule `if-empty` found the field filled. */
const LEFT = '?';
/** Mark of a field that was to be cleared but that people changed. Their value is kept. */
const KEPT = '!';

/** One mark per field that was sent or found to be correct: a hash of its value. */
export type SentMarks = Readonly<Partial<Record<ContactField, string>>>;

export interface ContactChange {
  readonly write: Partial<Omit<Fields, 'number'>>;
  readonly clear: readonly Clearable[];
  /** Marks to store once this change is written. */
  readonly sent: SentMarks;
  /** Fields with the rule `fail` that people changed after Sluice wrote them. */
  readonly conflicts: readonly ContactField[];
  /** A rule depends on what the service shows, so the contact must be read first. */
  readonly mustRead: boolean;
}

export function hashOf(value: unknown): string {
  return hash('sha1', JSON.stringify(value), 'base64url');
}

/** Ten characters are enough to distinguish two values of one field of one person. */
const markOf = (value: unknown) => hashOf(value).slice(0, 10);

export function ruleOf(
  field: ContactField,
  { fields }: Pick<Rules, 'fields'>,
): { readonly write: 'always' | 'if-empty' | 'never'; readonly clear: boolean } {
  const rule = fields[field] ?? 'always';
  return typeof rule === 'string' ? { write: rule, clear: false } : rule;
}

/** The parts of a contact that decide whether something changed: value and rule of each field. */
export function wishOf(contact: Fields, rules: Pick<Rules, 'fields'>): unknown[] {
  return CONTACT_FIELDS.map((field) => {
    const { write, clear } = ruleOf(field, rules);
    const value = contact[field];
    if (write === 'never') return null;
    if (value === undefined) return clear ? ['clear'] : null;
    return write === 'if-empty' ? ['if-empty', value] : value;
  });
}

/** Whether this value has been handled. Under `always`, a value that was not written has not. */
function isDone(wish: string, before: string | undefined, write: 'always' | 'if-empty'): boolean {
  return before === wish || (write === 'if-empty' && before === LEFT + wish);
}

/** The service shows the number as the name of a contact without one. */
function isEmpty(field: ContactField, seen: SeenContact): boolean {
  const value = seen[field];
  return value === null || value === '' || (field === 'name' && value === seen.number);
}

/**
 * The change that a record asks for.
 * @param sent marks of what was sent before; empty for a contact that Sluice never wrote
 * @param seen the contact as the service shows it now; null when nobody read it
 * @param isNew the service has no such contact yet
 */
export function contactChange(
  contact: Fields,
  sent: SentMarks,
  seen: SeenContact | null,
  rules: Rules,
  isNew: boolean,
): ContactChange {
  const write: Record<string, unknown> = {};
  const clear: Clearable[] = [];
  const marks: Partial<Record<ContactField, string>> = { ...sent };
  const conflicts: ContactField[] = [];
  let mustRead = false;
  for (const field of CONTACT_FIELDS) {
    const rule = ruleOf(field, rules);
    const value = contact[field];
    if (rule.write === 'never') continue;
    const before = sent[field];
    const mine = before !== undefined && !before.startsWith(LEFT);
    const wish = value === undefined ? undefined : markOf(value);
    // An empty source field clears a field only if Sluice filled it before.
    const clears = wish === undefined && rule.clear && mine && before !== KEPT;
    if (wish === undefined ? !clears : isDone(wish, before, rule.write)) continue;
    const change = () => {
      if (clears) {
        clear.push(field as Clearable);
        delete marks[field];
      } else {
        write[field] = value;
        marks[field] = wish as string;
      }
    };
    const leave = () => {
      if (clears) {
        if (seen !== null && !isEmpty(field, seen)) marks[field] = KEPT;
        else delete marks[field];
      } else marks[field] = (rule.write === 'if-empty' ? LEFT : '') + (wish as string);
    };
    const fills = rule.write === 'if-empty' && !clears;
    // If only empty fields are filled, people's values are never overwritten.
    const guarded = rules.conflict !== 'overwrite' && mine && !fills;
    if (isNew) change();
    else if (seen === null) {
      mustRead ||= fills || guarded;
      change();
    } else if (clears ? isEmpty(field, seen) : seen[field] === value) leave();
    else if (fills && !isEmpty(field, seen)) leave();
    else if (guarded && markOf(seen[field]) !== before) {
      if (rules.conflict === 'fail') conflicts.push(field);
      else leave();
    } else change();
  }
  return { write, clear, sent: marks, conflicts, mustRead };
}

export function changesNothing(change: ContactChange): boolean {
  return Object.keys(change.write).length === 0 && change.clear.length === 0;
}
