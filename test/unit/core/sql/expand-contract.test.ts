// Migrations beside programs of the release before: whatever those use stays, until a release that says so.
import { describe, expect, it } from 'vitest';
import { FIRST_VERSION, LEAST_VERSION, MIGRATIONS } from '../../../../src/core/sql/migrations/migrations.ts';
import { type Migration, statementsOf } from '../../../../src/core/sql/migrations/statements.ts';

/** What a program of the release before would notice. */
const CONTRACTING: readonly [string, RegExp][] = [
  ['drops a table', /\bdrop\s+(?:table|view|function|schema|type)\b/i],
  ['drops a column', /\bdrop\s+column\b/i],
  ['renames', /\brename\s+(?:to|column|constraint)\b/i],
  ['changes a type', /\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b/i],
  ['requires a value', /\bset\s+not\s+null\b/i],
  ['drops a default', /\bdrop\s+default\b/i],
  [
    'adds a column that an older program cannot fill',
    /\badd\s+column\s+(?:if\s+not\s+exists\s+)?\w+\s+(?:(?!default|,|;)[^])*\bnot\s+null\b(?:(?!default|,|;)[^])*(?:,|;|$)/i,
  ],
  [
    'adds a rule that older rows or programs may break',
    /\badd\s+(?:constraint|check|unique|primary|foreign)\b|\bcreate\s+unique\s+index\b/i,
  ],
];

const textOf = (migration: Migration): string =>
  statementsOf(migration).join(';\n').replaceAll(/--.*$/gm, '');

/** A table that the migration creates has no older users, so its statements may do anything. */
function found(text: string): string[] {
  const made = [...text.matchAll(/\bcreate\s+table\s+(\w+)/gi)].map(([, table]) => table as string);
  const others = text
    .split(';')
    .filter(
      (statement) =>
        !made.some((table) => new RegExp(String.raw`\b(?:on|table)\s+${table}\b`, 'i').test(statement)),
    )
    .join(';');
  return CONTRACTING.filter(([, pattern]) => pattern.test(others)).map(([name]) => name);
}

describe('the rule', () => {
  it.each([
    ['drop table people;', 'drops a table'],
    ['alter table people drop column name;', 'drops a column'],
    ['alter table people rename column name to label;', 'renames'],
    ['alter table people alter column id type text;', 'changes a type'],
    ['alter table people alter column id set not null;', 'requires a value'],
    ['alter table people add column age int not null;', 'adds a column that an older program cannot fill'],
    [
      'alter table people add column age int not null, add column x text;',
      'adds a column that an older program cannot fill',
    ],
    [
      'alter table people add constraint old check (age > 3);',
      'adds a rule that older rows or programs may break',
    ],
  ])('refuses: %s', (text, name) => {
    expect(found(text)).toContain(name);
  });

  it.each([
    'create table notes (id bigint primary key, text text not null); create unique index only on notes (text);',
    'alter table people add column age int;',
    'alter table people add column age int not null default 0, add column b text;',
    'create index people_age on people (age);',
    'alter table events drop constraint events_run_id_fkey;',
  ])('accepts: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

it('every migration after the one that programs must know only adds', () => {
  expect(LEAST_VERSION).toBeGreaterThanOrEqual(FIRST_VERSION);
  for (const migration of MIGRATIONS.slice(LEAST_VERSION - FIRST_VERSION + 1)) {
    const text = textOf(migration);
    expect(found(text), text.trim().slice(0, 80)).toEqual([]);
  }
});
