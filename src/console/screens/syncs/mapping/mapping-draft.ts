// The mapping while it is edited: one choice per field, where a choice may also be what Sluice recognized.
import type { Input } from '../../../../operator/contract/index.ts';
import { parseDraft, withValue } from '../../../parts/draft/yaml-draft.ts';

export type Mapping = Input<'POST /uploads/{upload}/preview'>['mapping'];
type Expression = Mapping['contact']['number'];

export const FIELDS = ['number', 'country', 'name', 'email', 'document', 'tags'] as const;
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
    country: contact?.country ?? null,
    name: contact?.name ?? null,
    email: contact?.email ?? null,
    document: contact?.document ?? null,
    tags: (tag as Expression | undefined) ?? null,
  };
  return { fields: recognized, recognized, base, account: '', card: null };
}

/** What somebody chose in the form, apart from what was recognized. */
export interface Choices {
  readonly fields: Readonly<Partial<Record<Field, Expression | null>>>;
  /** Null: the recognized one. Empty: none. */
  readonly country: string | null;
  readonly account: string;
  readonly card: Draft['card'];
}
export const NO_CHOICES: Choices = { fields: {}, country: null, account: '', card: null };

export function choicesOf(draft: Draft, recognized: Draft): Choices {
  const fields = FIELDS.filter(
    (field) => JSON.stringify(draft.fields[field]) !== JSON.stringify(recognized.fields[field]),
  );
  const { defaultCountry } = draft.base;
  return {
    fields: Object.fromEntries(fields.map((field) => [field, draft.fields[field]])),
    country: defaultCountry === recognized.base.defaultCountry ? null : (defaultCountry ?? ''),
    account: draft.account,
    card: draft.card,
  };
}

/** A choice of a column that the file does not have is left out: another encoding changes the names of columns. */
export function withChoices(recognized: Draft, choices: Choices, columns: readonly string[]): Draft {
  const fields = FIELDS.filter((field) => {
    const chosen = choices.fields[field];
    return chosen !== undefined && (chosen === null || columns.some((name) => readsColumn(chosen, name)));
  });
  const { defaultCountry, ...rest } = recognized.base;
  const country = choices.country ?? defaultCountry ?? '';
  return {
    fields: {
      ...recognized.fields,
      ...Object.fromEntries(fields.map((field) => [field, choices.fields[field]])),
    },
    recognized: recognized.recognized,
    base: country === '' ? rest : { ...rest, defaultCountry: country },
    account: choices.account,
    card: choices.card,
  };
}

function readsColumn(expression: Expression, column: string): boolean {
  return JSON.stringify(expression) === JSON.stringify(readColumn(column));
}

/** Null without a column for the number. */
export function mappingOf({ fields, base, card }: Draft): Mapping | null {
  const { number, country, name, email, document, tags } = fields;
  if (number === null) return null;
  return {
    ...base,
    contact: {
      number,
      ...(country === null ? {} : { country }),
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
