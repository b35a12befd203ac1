// Names by which parts of the configuration refer to each other.
import type { ConfigProblem } from './errors.ts';
import { child } from './json-schema.ts';
import { entriesOf } from './raw.ts';
import { suggestion } from './suggest.ts';
import type { YamlFile } from './yaml-file.ts';

interface Reference {
  /** Section whose entries refer, and the key under which they do. */
  readonly from: string;
  readonly key: readonly string[];
  readonly to: readonly string[];
  readonly what: string;
}

const REFERENCES: readonly Reference[] = [
  { from: 'syncs', key: ['account'], to: ['accounts'], what: 'account' },
  { from: 'syncs', key: ['source'], to: ['sources'], what: 'source' },
  { from: 'syncs', key: ['mapping'], to: ['mappings'], what: 'mapping' },
  { from: 'syncs', key: ['announce'], to: ['sinks'], what: 'sink' },
  { from: 'routes', key: ['account'], to: ['accounts'], what: 'account' },
  { from: 'pollers', key: ['account'], to: ['accounts'], what: 'account' },
  { from: 'routes', key: ['action', 'mapping'], to: ['mappings'], what: 'mapping' },
  { from: 'routes', key: ['kafka', 'cluster'], to: ['ingress', 'kafka'], what: 'cluster' },
];

export function checkReferences(main: YamlFile): ConfigProblem[] {
  return REFERENCES.flatMap(({ from, key, to, what }) => {
    const known = entriesOf(main, ...to).map(([name]) => name);
    return entriesOf(main, from).flatMap(([name, entry]) => {
      const wanted = key.reduce(child, entry);
      if (typeof wanted !== 'string' || known.includes(wanted)) return [];
      const hint = suggestion(wanted, known, to.join('.'));
      return [main.problemAt([from, name, ...key], `there is no ${what} "${wanted}"`, hint)];
    });
  });
}
