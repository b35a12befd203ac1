// The page that a person gets about themselves: words for every table in both languages, and nothing that a value can
// break.
import { expect, it } from 'vitest';
import { Config } from '../../../src/config/schema/config.ts';
import { PAGE_LANGUAGES, type PageLanguage } from '../../../src/operator/contract/people.ts';
import { personPage } from '../../../src/protect/person/page/person-page.ts';
import { PAGE_WORDS } from '../../../src/protect/person/page/words.ts';
import { PLACES } from '../../../src/protect/person/person-places.ts';

const config = Config.parse({ version: 1, accounts: {}, retention: { calls: '14d' } });

function pageOf(tables: Record<string, Record<string, unknown>[]>, language: PageLanguage = 'en'): string {
  const about = { account: 'acme', person: 'p1', at: '2026-11-27T18:00:00.000Z' };
  return personPage({ ...about, tables }, language, config);
}

it.each(PAGE_LANGUAGES)('has a title and a reason for every table that an export has (%s)', (language) => {
  const tables = [...PLACES.map(({ table }) => table), 'refused_requests'];
  expect(Object.keys(PAGE_WORDS[language].tables).toSorted()).toEqual([...new Set(tables)].toSorted());
});

it('has the same words in both languages', () => {
  const [en, pt] = [PAGE_WORDS.en, PAGE_WORDS['pt-BR']];
  expect(Object.keys(pt.columns)).toEqual(Object.keys(en.columns));
  const same = Object.keys(en.tables).filter((table) => en.tables[table]?.[1] === pt.tables[table]?.[1]);
  expect(same).toEqual([]);
});

it('shows every value, in words and with the zone of times, and how long each kind is kept', () => {
  const page = pageOf({
    calls: [{ at: '2026-11-27T18:04:05.678+00:00', hidden: null, status: 200, hash_sum: 'ab' }],
    people: [{ name: 'Ana', item: { a: ['b'] }, from_me: false }],
  });
  expect(page.indexOf('Contact')).toBeLessThan(page.indexOf('Calls to the messaging service'));
  for (const part of [
    '<dt>Name</dt><dd>Ana</dd>',
    '<dt>Written by the company</dt><dd>no</dd>',
    '<dt><code>hash_sum</code></dt><dd>ab</dd>',
    'Nov 27, 2026, 6:04:05 PM UTC',
    'Deleted 14 days after its last use.',
    'Kept until the company erases the person.',
  ])
    expect(page).toContain(part);
  expect(page).not.toContain('hidden');
  const pt = pageOf({ calls: [{ at: '2026-11-27T18:04:05Z' }] }, 'pt-BR');
  expect(pt).toMatch(/Excluído 14 dias depois .*27 de nov\. de 2026, 18:04:05 UTC/s);
});

it.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</pre></dl>', "' onload='x"])(
  'shows %j as text',
  (hostile) => {
    const page = pageOf({
      people: [{ name: hostile, item: { [hostile]: hostile } }],
      [hostile]: [{ [hostile]: 1 }],
    });
    expect(page).not.toContain(hostile);
    const tags = (text: string) => new Set(text.match(/<\/?[a-z][^>]*>/g));
    expect([...tags(page)].filter((tag) => /script|img|onload/.test(tag))).toEqual([]);
  },
);

it('says when there is nothing', () => {
  expect(pageOf({})).toContain('Sluice has no record of this person.');
});
