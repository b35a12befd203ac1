// PostgreSQL 15 and 16 refuse to subtract an infinite timestamp, so no statement subtracts one that can be infinite.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** Columns that statements set to an infinite time without having it as their default. */
const SET = ['fetched_at'];
/** Variables and functions of the database that can be infinite. */
const COMPUTED = ['due', 'opens', 'paced', 'sluice_due'];
/** A time minus one of these is a time, and infinite times have a result. */
const SPAN = /^(?:interval|make_interval|\$|\d)/;
/** Seconds of one time: a number, of which every version knows infinite ones. */
const SECONDS = /extract\s*\(epoch from (?:[^()-]|\((?:[^()-]|\([^()-]*\))*\))*\)/g;

/** The operand that ends before `at`, with the parentheses that belong to it. */
function operandBefore(text: string, at: number): string {
  let depth = 0;
  let start = at;
  for (; start > 0; start--) {
    const character = text[start - 1] as string;
    if (character === ')') depth += 1;
    else if (character === '(' && depth > 0) depth -= 1;
    else if (depth === 0 && !/[\w.]/.test(character)) break;
  }
  return text.slice(start, at);
}

function operandAfter(text: string, at: number): string {
  let depth = 0;
  let end = at;
  for (; end < text.length; end++) {
    const character = text[end] as string;
    if (character === '(') depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (depth === 0 && !/[\w.$]/.test(character)) break;
  }
  return text.slice(at, end);
}

/** @returns differences of which one side is a name of `names` and may be infinite */
function differencesOf(text: string, names: readonly string[]): string[] {
  const plain = text.replaceAll(SECONDS, '1');
  const infinite = new RegExp(String.raw`\b(?:${names.join('|')})\b`);
  return [...plain.matchAll(/ - /g)].flatMap(({ index }) => {
    const left = operandBefore(plain, index);
    const right = operandAfter(plain, index + 3);
    const isRisky = !SPAN.test(right) && infinite.test(`${left} ${right}`);
    return isRisky ? [`${left} - ${right}`] : [];
  });
}

let db: Database;
let columns: string[];
beforeAll(async () => {
  db = await testLedger();
  const rows = await db.query<{ name: string }>(
    "select distinct column_name as name from information_schema.columns where column_default like '%infinity%'",
  );
  columns = [...rows.map(({ name }) => name), ...SET];
});

describe('the rule', () => {
  it.each([
    ['extract(epoch from due_at - now())', ['due_at - now()']],
    ['extract(epoch from now() - s.blocked_until)', ['now() - s.blocked_until']],
    [
      'extract(epoch from greatest(s.blocked_until, now()) - now())',
      ['greatest(s.blocked_until, now()) - now()'],
    ],
    ['now() - coalesce(due_at, now())', ['now() - coalesce(due_at, now())']],
    ['extract(epoch from max(due_at)) - extract(epoch from now())', []],
    ["due_at - interval '1 minute' > now() - make_interval(secs => $1)", []],
    ['now() - started_at', []],
  ])('%s', (sql, differences) => {
    expect(differencesOf(sql, columns)).toEqual(differences);
  });
});

it('the ledger knows which of its columns can be infinite', () => {
  expect(columns).toEqual(expect.arrayContaining(['blocked_until', 'due_at', 'next_at', 'stretch_until']));
});

it('no statement of the program subtracts a time that can be infinite', () => {
  const found = ['src/core/sql', 'src/service/budget', 'activities'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        differencesOf(readFileSync(join(ROOT, folder, file), 'utf8'), [...columns, 'sluice_due']).map(
          (difference) => `${folder}/${file}: ${difference}`,
        ),
      ),
  );
  expect(found).toEqual([]);
});

it('no function of the database subtracts a time that can be infinite', async () => {
  const functions = await db.query<{ name: string; body: string }>(
    "select proname as name, prosrc as body from pg_proc where proname like 'sluice%'",
  );
  expect(functions.length).toBeGreaterThan(4);
  const found = functions.flatMap(({ name, body }) =>
    differencesOf(body, [...columns, ...COMPUTED]).map((difference) => `${name}: ${difference}`),
  );
  expect(found).toEqual([]);
});
