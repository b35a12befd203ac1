// docs/reference/configuration.md: every key of sluice.yaml, out of the JSON Schema that editors use.
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { code, GENERATED, item, page, plain, wrap } from './markdown.ts';

/** The part of JSON Schema that the configuration uses. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
}

const INTRO = [
  'Sluice reads `sluice.yaml`, and the files that its key [`include`](#include) names. `--config` or `SLUICE_CONFIG` names another path. `npx sluice init` creates a file',
  'with comments, `npx sluice config check` reports every error with its line, and',
  '[sluice.example.yaml](../../sluice.example.yaml) shows every key.',
].join(' ');
const EDITORS =
  'Editors with YAML support show the descriptions below while you type. Put this line at the top of the file: `# yaml-language-server: $schema=./sluice.schema.json`. `npx sluice config schema` prints the schema.';
const TYPES = [
  '**name**: up to 63 lower-case letters, digits, `-` and `_`.',
  '**duration**: a whole number and a unit, for example `500ms`, `30s`, `5m`, `2h` or `1d`.',
  '**secret**: a reference to a secret: `env:NAME` for an environment variable, `file:path` for a file, or `command:program argument` for what a program prints. Paths start at the folder of `sluice.yaml`. No shell reads the command; write `command:["program", "an argument"]` for arguments with spaces. The program may run for 10 s. The secret itself is never in the file.',
  '**expression**: a column, a template, JSONata or a list; see [mapping](mapping.md).',
];

/** The page docs/reference/configuration.md. */
export function renderConfiguration(): string {
  const root = configJsonSchema() as Schema;
  const sections = Object.entries(root.properties ?? {}).map(([key, section]) =>
    renderSection(key, section, root.required?.includes(key) ?? false),
  );
  return page(
    '# Configuration',
    GENERATED,
    wrap(INTRO),
    wrap(EDITORS),
    'Types:',
    TYPES.map((text) => item(text)).join('\n'),
    ...sections,
  );
}

function renderSection(key: string, section: Schema, required: boolean): string {
  const entry = typeof section.additionalProperties === 'object' ? section.additionalProperties : section;
  const title = entry === section ? key : `${key}.NAME`;
  const about = `${plain(section.description ?? '')}${required ? ' Required.' : ''}`;
  const kinds = entry.oneOf ?? (entry.anyOf ?? []).filter(({ properties }) => properties !== undefined);
  const lists =
    kinds.length === 0
      ? [renderKeys(entry, 0)]
      : kinds.map((kind) => `### ${titleOf(title, kind)}\n\n${renderKind(kind)}`);
  return page(`## ${code(title)}`, wrap(about), ...lists).trimEnd();
}

/** `sources.NAME`, of type `csv`. */
function titleOf(title: string, kind: Schema): string {
  const [name, literal] = literalOf(kind);
  return name === undefined
    ? code(`${title}.${Object.keys(kind.properties ?? {})[0]}`)
    : `${code(title)} with ${code(`${name}: ${literal}`)}`;
}

function renderKind(kind: Schema): string {
  const [name] = literalOf(kind);
  const about = name === undefined ? '' : plain(kind.properties?.[name]?.description ?? '');
  return page(wrap(about), renderKeys(kind, 0)).trimEnd();
}

/** The key whose only value tells the kinds of an entry apart. */
function literalOf({ properties = {} }: Schema): [name?: string, literal?: string] {
  const found = Object.entries(properties).find(([, property]) => property.const !== undefined);
  return found === undefined ? [] : [found[0], String(found[1].const)];
}

/** The keys of an object as a list, those of objects inside them below. */
function renderKeys(object: Schema, depth: number): string {
  const lines = Object.entries(object.properties ?? {}).flatMap(([key, property]) => {
    if (property.const !== undefined && literalOf(object)[0] === key) return [];
    const facts = [typeOf(property), ...(object.required?.includes(key) ? ['required'] : [])];
    const about = plain(property.description ?? '');
    return [item(`${code(key)} (${facts.join(', ')}): ${about}`, depth), ...below(property, depth + 1)];
  });
  return lines.join('\n');
}

/** What stands inside a key: an object, an object for each name, entries of a list, or one of several kinds. */
function below(property: Schema, depth: number): string[] {
  if (isExpression(property)) return [];
  const inner = property.items ?? property;
  const entry =
    inner.properties === undefined && typeof inner.additionalProperties === 'object'
      ? inner.additionalProperties
      : inner;
  if (isExpression(entry)) return [];
  if (entry.properties !== undefined) return [renderKeys(entry, depth)];
  const kinds = [...(entry.oneOf ?? []), ...(entry.anyOf ?? [])].filter(
    (kind) => kind.properties !== undefined && !isExpression(kind),
  );
  return kinds.flatMap((kind) => {
    const [name, literal] = literalOf(kind);
    // Kinds without a literal differ by their only key.
    if (name === undefined) return [renderKeys({ ...kind, required: [] }, depth)];
    const about = plain(kind.properties?.[name]?.description ?? '');
    const keys = renderKeys(kind, depth + 1);
    return [item(`with ${code(`${name}: ${literal}`)}: ${about}`, depth), ...(keys === '' ? [] : [keys])];
  });
}

/** Any of the forms of the mapping language, or its long form alone. */
function isExpression({ properties, anyOf = [] }: Schema): boolean {
  return properties?.jsonata !== undefined || anyOf.some((form) => form.properties?.jsonata !== undefined);
}

const PATTERNS: readonly (readonly [begin: string, type: string])[] = [
  ['^(env:', 'secret'],
  ['^\\d{1,6}(?:ms', 'duration'],
  ['^[a-z0-9][a-z0-9_-]', 'name'],
];

function typeOf(schema: Schema): string {
  if (isExpression(schema)) {
    const others = (schema.anyOf ?? []).filter((form) => form.type === 'integer');
    return others.length > 0 ? 'integer or expression' : 'expression';
  }
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined)
    return schema.enum.map((value) => code(value === '\t' ? '\\t' : String(value))).join(', ');
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms !== undefined) return [...new Set(forms.map(typeOf))].join(' or ');
  switch (schema.type) {
    case 'array':
      return `list of ${schema.items === undefined ? 'values' : typeOf(schema.items)}`;
    case 'object':
      if (schema.properties !== undefined) return 'object';
      return typeof schema.additionalProperties === 'object'
        ? `object of ${typeOf(schema.additionalProperties)}`
        : 'object';
    case 'string':
      return PATTERNS.find(([begin]) => schema.pattern?.startsWith(begin))?.[1] ?? formatOf(schema);
    default:
      return [schema.type ?? 'any value'].flat().join(' or ');
  }
}

function formatOf({ format }: Schema): string {
  if (format === 'uri') return 'URL';
  if (format === 'date-time') return 'time';
  return format === 'date' ? 'date' : 'string';
}
