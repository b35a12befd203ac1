// Adds a source to sluice.yaml, alone or with a mapping and a sync. Comments and the order of entries stay.
import { isMap, parseDocument } from 'yaml';
import { keepText, written } from './keep-text.ts';

/** Parts of the configuration under one name. */
export interface NewEntries {
  readonly name: string;
  readonly source: object;
  readonly mapping?: object;
  readonly sync?: object;
}

/** Thrown when the configuration already has one of the names, or is no mapping. */
export class AddEntriesError extends Error {
  override readonly name = 'AddEntriesError';
}

/**
 * @param text of the file
 * @returns the text with the new entries at the ends of their sections
 * @throws AddEntriesError
 */
export function addEntries(text: string, { name, source, mapping, sync }: NewEntries): string {
  // One after the other, so that what lies between two sections stays as it is.
  const added = addEntry(text, ['sources', name], source);
  const mapped = mapping === undefined ? added : addEntry(added, ['mappings', name], mapping);
  return sync === undefined ? mapped : addEntry(mapped, ['syncs', name], sync);
}

function addEntry(text: string, [section, name]: readonly [section: string, name: string], value: object) {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new AddEntriesError(`the configuration can't be read: ${error.message}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new AddEntriesError('the configuration is not a mapping');
  if (document.hasIn([section, name]))
    throw new AddEntriesError(`${section}.${name} already exists; choose another name`);
  // `syncs:` without entries is null.
  if ((document.get(section) ?? null) === null) document.delete(section);
  document.setIn([section, name], document.createNode(plain(value)));
  return keepText(text, written(document, text));
}

/** Without keys that say nothing, at any depth, which defaults of the schema leave behind. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, plain(each)] as const);
  return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)));
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}
