// Checks the names by which parts of the configuration refer to each other.

import type { ConfigProblem } from '../core/config/errors.ts';
import { child, entriesOf } from '../core/config/raw.ts';
import type { YamlFile } from '../core/config/yaml-file.ts';
import { suggestion } from '../core/suggest.ts';

interface Reference {
  /** The section that refers, and the key of the name. */
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
  { from: 'campaigns', key: ['account'], to: ['accounts'], what: 'account' },
  { from: 'routes', key: ['action', 'mapping'], to: ['mappings'], what: 'mapping' },
  { from: 'routes', key: ['kafka', 'cluster'], to: ['ingress', 'kafka'], what: 'cluster' },
];

/** Names in one campaign that are optional or stand in lists. */
function placesOf(campaign: unknown): Place[] {
  const { audience, exclude } = {
    audience: child(campaign, 'audience'),
    exclude: child(campaign, 'exclude'),
  };
  const excluded = child(exclude, 'campaigns');
  return [
    ...(Array.isArray(audience) ? audience : []).flatMap((part: unknown, index) => [
      // `source` of cards is the origin of the card, by id.
      ...(child(part, 'from') === 'source'
        ? [{ key: ['audience', index, 'source'], to: 'sources', wanted: child(part, 'source') }]
        : []),
      { key: ['audience', index, 'createdBy'], to: 'syncs', wanted: child(part, 'createdBy') },
      {
        key: ['audience', index, 'campaign', 'name'],
        to: 'campaigns',
        wanted: child(child(part, 'campaign'), 'name'),
      },
    ]),
    {
      key: ['exclude', 'numbers', 'source'],
      to: 'sources',
      wanted: child(child(exclude, 'numbers'), 'source'),
    },
    ...(Array.isArray(excluded) ? excluded : []).map((wanted: unknown, index) => ({
      key: ['exclude', 'campaigns', index],
      to: 'campaigns',
      wanted,
    })),
  ];
}

interface Place {
  readonly key: readonly (string | number)[];
  readonly to: string;
  readonly wanted: unknown;
}

export function checkReferences(main: YamlFile): ConfigProblem[] {
  const check = (
    at: readonly (string | number)[],
    wanted: unknown,
    to: readonly string[],
    what: string,
  ): ConfigProblem[] => {
    const known = entriesOf(main, ...to).map(([name]) => name);
    if (typeof wanted !== 'string' || known.includes(wanted)) return [];
    const note = { code: 'CONFIG_NO_SUCH', params: { wanted } };
    const message = `there is no ${what} "${wanted}"`;
    return [main.problemAt(at, message, suggestion(wanted, known, to.join('.')), note)];
  };
  return [
    ...REFERENCES.flatMap(({ from, key, to, what }) =>
      entriesOf(main, from).flatMap(([name, entry]) =>
        check([from, name, ...key], key.reduce(child, entry), to, what),
      ),
    ),
    ...entriesOf(main, 'campaigns').flatMap(([name, campaign]) =>
      placesOf(campaign).flatMap(({ key, to, wanted }) =>
        check(['campaigns', name, ...key], wanted, [to], to.slice(0, -1)),
      ),
    ),
  ];
}
