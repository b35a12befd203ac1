// Lists the columns that a JSONata expression names, so that a problem shows where its value came from.
import jsonata from 'jsonata';

/**
 * Paths as lists of names, each once: `phones[0].value` is `phones`, `value`. The result of a function or block has no
 * name.
 */
export function jsonataPaths(source: string): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  collect(jsonata(source).ast(), (path) => found.set(JSON.stringify(path), path));
  return [...found.values()];
}

function collect(node: unknown, add: (path: readonly string[]) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, steps } = node as { type?: unknown; steps?: readonly { type: string; value: unknown }[] };
  if (type === 'path' && steps !== undefined) {
    const end = steps.findIndex((step) => step.type !== 'name');
    const names = (end === -1 ? steps : steps.slice(0, end)).map(({ value }) => String(value));
    if (names.length > 0) add(names);
  }
  for (const inner of Object.values(node)) collect(inner, add);
}
