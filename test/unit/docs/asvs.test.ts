// The page about ASVS answers each requirement of levels 1 and 2 once, counts right, and names evidence that exists.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGE = await readFile(join(ROOT, 'docs/reference/asvs.md'), 'utf8');
const STATUSES = ['held', 'not held', 'does not apply'] as const;

/** Section of ASVS 5.0.0 to its number of requirements of levels 1 and 2, which come first in each section. */
const SECTIONS: Readonly<Record<string, number>> = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '3.2': 2,
  '3.3': 4,
  '3.4': 6,
  '3.5': 5,
  '3.7': 2,
  '4.1': 3,
  '4.2': 1,
  '4.3': 2,
  '4.4': 4,
  '5.1': 1,
  '5.2': 3,
  '5.3': 2,
  '5.4': 3,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.3': 4,
  '10.4': 11,
  '10.5': 5,
  '10.6': 2,
  '10.7': 3,
  '11.1': 2,
  '11.2': 3,
  '11.3': 3,
  '11.4': 4,
  '11.5': 1,
  '11.6': 1,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '14.1': 2,
  '14.2': 4,
  '14.3': 3,
  '15.1': 3,
  '15.2': 3,
  '15.3': 7,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
  '17.1': 1,
  '17.2': 4,
  '17.3': 2,
};

interface Entry {
  readonly numbers: readonly string[];
  readonly status: string;
  readonly evidence: readonly string[];
}

function entriesOf(text: string): Entry[] {
  const items = text
    .split(/\n(?=- |#)/)
    .filter((part) => part.startsWith('- **'))
    .map((part) => part.replaceAll(/\s+/g, ' '));
  return items.map((item) => {
    const [, numbers = '', status = ''] =
      /^- \*\*([\d., ]+)\*\* (held|not held|does not apply)\. /.exec(item) ?? [];
    const named = [...item.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return { numbers: numbers.split(', '), status, evidence: named.filter((path) => isPath(path)) };
  });
}

function isPath(code: string): boolean {
  return /^(?:src|test|docs|scripts)\/\S+$|^(?:Dockerfile|tsconfig[\w.]*\.json|docker-compose\.yml)$/.test(
    code,
  );
}

const entries = entriesOf(PAGE);

describe('the page about ASVS 5.0', () => {
  it('answers each requirement of levels 1 and 2 exactly once', () => {
    const expected = Object.entries(SECTIONS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    expect(entries.flatMap(({ numbers }) => numbers).toSorted()).toEqual(expected.toSorted());
  });

  it.each(entries)('$numbers names evidence that exists', ({ status, evidence }) => {
    expect(STATUSES).toContain(status);
    if (status === 'held') expect(evidence).not.toEqual([]);
    expect(evidence.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('counts its entries right, by chapter and in total', () => {
    const rows = [...PAGE.matchAll(/^\| (?:\[V(\d+) |All ).*?\| +(\d+) \| +(\d+) \| +(\d+) \|$/gm)];
    expect(rows).toHaveLength(18);
    for (const [row, chapter, ...counts] of rows) {
      const numbersWith = (status: string) =>
        entries
          .filter((entry) => entry.status === status)
          .flatMap(({ numbers }) => numbers)
          .filter((number) => chapter === undefined || number.startsWith(`${chapter}.`));
      expect(counts, row).toEqual(STATUSES.map((status) => String(numbersWith(status).length)));
    }
  });
});
