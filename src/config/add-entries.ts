// Adds a source to sluice.yaml, alone or with a mapping and a sync. Comments and the order of entries stay.
import { isMap, parseDocument } from 'yaml';

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
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new AddEntriesError(`the configuration can't be read: ${error.message}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new AddEntriesError('the configuration is not a mapping');
  for (const [section, value] of [
    ['sources', source],
    ['mappings', mapping],
    ['syncs', sync],
  ] as const) {
    if (value === undefined) continue;
    if (document.hasIn([section, name]))
      throw new AddEntriesError(`${section}.${name} already exists; choose another name`);
    // `syncs:` without entries is null.
    if ((document.get(section) ?? null) === null) document.delete(section);
    document.setIn([section, name], document.createNode(plain(value)));
  }
  return document.toString({ lineWidth: 0 });
}

/** Without entries that only say nothing, which defaults of the schema leave behind. */
function plain(value: object): unknown {
  const isEmpty = (each: unknown) =>
    each === undefined ||
    (Array.isArray(each) && each.length === 0) ||
    (typeof each === 'object' && each !== null && !Array.isArray(each) && Object.keys(each).length === 0);
  return Object.fromEntries(Object.entries(value).filter(([, each]) => !isEmpty(each)));
}
