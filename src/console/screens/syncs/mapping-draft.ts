// The mapping while it is edited: one choice per field, where a choice may also be what Sluice recognized.
import type { Input } from '../../../contracts/operator/index.ts';
import { parseDraft, withValue } from '../../parts/yaml-draft.ts';

export type Mapping = Input<'POST /uploads/{upload}/preview'>['mapping'];
type Expression = Mapping['contact']['number'];

export const FIELDS = ['number', 'name', 'email', 'document', 'tags'] as const;
export type Field = (typeof FIELDS)[number];

export interface Draft {
  /** Expression of each field; null: not used. */
  readonly fields: Readonly<Record<Field, Expression | null>>;
  /** What was recognized, to choose it again. */
  readonly recognized: Readonly<Record<Field, Expression | null>>;
  readonly base: Omit<Mapping, 'contact' | 'tags' | 'card'>;
  readonly account: string;
  /** Null: no cards. */
  readonly card: { readonly pipeline: string; readonly stage: string } | null;
}

/** @param mapping null: nothing was recognized */
export function draftOf(mapping: Mapping | null): Draft {
  const { contact = null, tags = [], card: _card, ...base } = mapping ?? {};
  const [tag] = tags;
  const recognized = {
    number: contact?.number ?? null,
    name: contact?.name ?? null,
    email: contact?.email ?? null,
    document: contact?.document ?? null,
    tags: (tag as Expression | undefined) ?? null,
  };
  return { fields: recognized, recognized, base, account: '', card: null };
}

/** Null without a column for the number. */
export function mappingOf({ fields, base, card }: Draft): Mapping | null {
  const { number, name, email, document, tags } = fields;
  if (number === null) return null;
  return {
    ...base,
    contact: {
      number,
      ...(name === null ? {} : { name }),
      ...(email === null ? {} : { email }),
      ...(document === null ? {} : { document }),
    },
    tags: tags === null ? [] : [tags as never],
    ...(card === null ? {} : { card: { pipeline: card.pipeline, stage: { const: card.stage } } }),
  };
}

/** @returns the YAML of a mapping with what differs in the draft. Cards, and what the draft does not know, stay. */
export function withDraft(yaml: string, { fields, base }: Draft): string {
  const mapping = parseDraft(yaml).value as Mapping | null;
  const before = draftOf(mapping);
  let text = yaml;
  for (const field of FIELDS) {
    if (JSON.stringify(fields[field]) === JSON.stringify(before.fields[field])) continue;
    const value = fields[field] ?? undefined;
    if (field !== 'tags') text = withValue(text, ['contact', field], value);
    else if (before.fields.tags !== null) text = withValue(text, ['tags', 0], value);
    else text = withValue(text, ['tags'], [value]);
  }
  if (base.defaultCountry === before.base.defaultCountry) return text;
  return withValue(text, ['defaultCountry'], base.defaultCountry);
}

/** The column that an expression reads, if it is nothing more. */
export function columnOf(expression: Expression | null, columns: readonly string[]): string | null {
  return typeof expression === 'string' && columns.includes(expression) ? expression : null;
}

/** A column as an expression; a name that reads as a template or as JSONata needs the long form. */
export function readColumn(name: string): Expression {
  return name.startsWith('=') || name.includes('{{') ? { path: name } : name;
}
