// Where the value of a variable comes from, as the form shows it: a field, a fixed text or an expression.
export const SOURCE_KINDS = ['field', 'text', 'expression'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export interface VariableSource {
  readonly kind: SourceKind;
  /** Path of the field, the fixed text, a template with `{{…}}`, or JSONata behind `=`. */
  readonly text: string;
  /** Used when there is no value; empty: none. */
  readonly fallback: string;
}

/** Null: the form cannot show the expression without changing it, so it is edited as YAML. */
export function readSource(expression: unknown): VariableSource | null {
  const source = sourceOf(expression);
  return source !== null && JSON.stringify(writeSource(source)) === JSON.stringify(expression)
    ? source
    : null;
}

function sourceOf(expression: unknown): VariableSource | null {
  if (typeof expression === 'string')
    return { kind: isPath(expression) ? 'field' : 'expression', text: expression, fallback: '' };
  if (typeof expression !== 'object' || expression === null) return null;
  const { path, template, jsonata, const: fixed, default: fallback = '' } = expression as ObjectForm;
  if (typeof fixed === 'string') return { kind: 'text', text: fixed, fallback: '' };
  if (typeof fallback !== 'string') return null;
  if (typeof path === 'string') return { kind: 'field', text: path, fallback };
  const text = typeof template === 'string' ? template : typeof jsonata === 'string' ? `=${jsonata}` : null;
  return text === null ? null : { kind: 'expression', text, fallback };
}

type ObjectForm = Readonly<Partial<Record<'path' | 'template' | 'jsonata' | 'const' | 'default', unknown>>>;

export function writeSource({ kind, text, fallback }: VariableSource): unknown {
  if (kind === 'text') return { const: text };
  if (fallback === '') return text;
  if (kind === 'field') return { path: text, default: fallback };
  return text.startsWith('=')
    ? { jsonata: text.slice(1), default: fallback }
    : { template: text, default: fallback };
}

export const EXAMPLES: Readonly<Record<SourceKind, string | undefined>> = {
  field: 'contact.name',
  text: undefined,
  expression: '=$uppercase(contact.name)',
};

/** The same value from another kind of source, as far as that is possible. */
export function asKind(source: VariableSource, kind: SourceKind): VariableSource {
  const { text, fallback } = source;
  const [, field] = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(text) ?? [];
  if (kind === 'expression') return { kind, text: isPath(text) ? `{{${text}}}` : text, fallback };
  if (kind === 'field') return { kind, text: field ?? (isPath(text) ? text : ''), fallback };
  return { kind, text: '', fallback: '' };
}

const isPath = (text: string) => !text.startsWith('=') && !text.includes('{{');

/**
 * Fields that people of these parts have, after GET /v1/contacts and GET /v1/cards.
 * @param columns of the sources among the parts, as far as they are known
 */
export function fieldsOf(kinds: readonly string[], columns: readonly string[]): readonly string[] {
  const contact = ['contact.name', 'contact.number', 'contact.email', 'contact.document'];
  const card = ['card.title', 'card.value', 'card.pipeline.name', 'card.stage.name', 'card.user.name'];
  return [
    ...(kinds.some((kind) => kind !== 'source') ? contact : []),
    ...(kinds.includes('cards') ? card : []),
    ...new Set(columns),
  ];
}
