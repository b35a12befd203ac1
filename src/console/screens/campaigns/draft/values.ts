// Values of fields as people type them. What cannot be read stays as it is typed: the server says what is wrong with it.
export type Kind = 'text' | 'number' | 'share' | 'list' | 'nameOrId' | 'sizes';

export function toText(kind: Kind, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'share' && typeof value === 'number') return String(Number((value * 100).toFixed(6)));
  if (Array.isArray(value)) return value.map(plain).join(', ');
  return plain(value);
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Undefined: the field is empty. */
export function fromText(kind: Kind, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  switch (kind) {
    case 'text':
      return trimmed;
    case 'number':
      return numberOr(trimmed);
    case 'share': {
      const percent = numberOr(trimmed.replace(/\s*%$/, ''));
      return typeof percent === 'number' ? Number((percent / 100).toFixed(8)) : percent;
    }
    case 'nameOrId':
      return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
    case 'list':
      return parts(trimmed, ',');
    case 'sizes': {
      const sizes = parts(trimmed, /[\s,;]+/).map(numberOr);
      return sizes.length === 1 ? sizes[0] : sizes;
    }
  }
}

function parts(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function numberOr(text: string): number | string {
  const number = Number(text.replace(',', '.'));
  return Number.isFinite(number) ? number : text;
}

/** Whether the field can show the value without changing it; if not, it is edited as YAML. */
export function isShown(kind: Kind, value: unknown): boolean {
  return JSON.stringify(fromText(kind, toText(kind, value))) === JSON.stringify(value);
}
