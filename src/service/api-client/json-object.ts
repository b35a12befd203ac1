// JSON objects, and the field names of an answer that an error may show.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_NAMES = 24;
/** Maximum number of names that are read. An object may have thousands. */
const MAX_READ = 500;
const MAX_DEPTH = 3;
const MASKED = '(masked)';

/**
 * Returns the names of the fields in a value, with nested ones as paths after their parents: at most 24, of at most 40
 * characters each. It never returns values. It masks a name that may be personal (a number, an address, a name with
 * spaces).
 */
export function namesIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  let level: Inner[] = [{ prefix: '', value }];
  for (let depth = 0; depth < MAX_DEPTH && names.size <= MAX_READ; depth++) {
    const fields = level.flatMap(fieldsOf).slice(0, MAX_READ);
    for (const { prefix } of fields) names.add(prefix);
    level = fields.map((field) => ({ ...field, prefix: `${field.prefix}.` }));
  }
  const all = [...names];
  return all.length <= MAX_NAMES ? all : [...all.slice(0, MAX_NAMES), `${all.length - MAX_NAMES} more`];
}

interface Inner {
  readonly prefix: string;
  readonly value: unknown;
}

function fieldsOf({ prefix, value }: Inner): Inner[] {
  // Items of a list have the same form: the first one shows it.
  if (Array.isArray(value))
    return prefix === '' || !isObject(value[0]) ? [] : [{ prefix: `${prefix}0`, value: value[0] }];
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, inner]) => ({
    prefix: `${prefix}${shownName(name)}`,
    value: inner,
  }));
}

/**
 * Phone numbers, ids and addresses may be keys of an object. An identifier with fewer than six digits is none of these.
 */
function shownName(name: string): string {
  const isIdentifier = /^([A-Za-z_$][\w$-]{0,39}|0)$/.test(name);
  return isIdentifier && name.replace(/\D/g, '').length < 6 && !name.startsWith('svc_') ? name : MASKED;
}
