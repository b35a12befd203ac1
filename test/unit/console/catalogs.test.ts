// Both languages say everything: the same keys, the same placeholders, and every plural form of the language.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/console/i18n/languages.ts';

const FOLDER = join(import.meta.dirname, '../../../src/console/i18n');
const PLURAL = /_(zero|one|two|few|many|other)$/;

type Texts = ReadonlyMap<string, string>;

async function textsOf(language: string, file: string): Promise<Texts> {
  const { default: catalog } = (await import(join(FOLDER, language, file))) as { default: object };
  return new Map(flatten(catalog, ''));
}

function flatten(value: object, path: string): [string, string][] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
    typeof each === 'object' && each !== null
      ? flatten(each, `${path}${key}.`)
      : [[path + key, String(each)]],
  );
}

const base = (key: string) => key.replace(PLURAL, '');
const sorted = (values: Iterable<string>) => [...new Set(values)].sort();
const placeholders = (text: string) =>
  sorted([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? ''));

const files = await readdir(join(FOLDER, 'en'));

describe.each(LANGUAGES)('the catalogs in %s', (language) => {
  it('are the same files as in English', async () => {
    expect(sorted(await readdir(join(FOLDER, language)))).toEqual(sorted(files));
  });

  it.each(files)('%s: same keys and placeholders as in English, and no empty text', async (file) => {
    const english = await textsOf('en', file);
    const texts = await textsOf(language, file);
    expect(sorted([...texts.keys()].map(base))).toEqual(sorted([...english.keys()].map(base)));
    for (const [key, text] of texts) {
      expect(text.trim(), key).not.toBe('');
      const other = english.get(key) ?? english.get(`${base(key)}_other`) ?? '';
      expect(placeholders(text), key).toEqual(placeholders(other));
    }
  });

  // The names of codes are no plural forms.
  it.each(files.filter((file) => !['codes.ts', 'reasons.ts', 'refusals.ts'].includes(file)))(
    '%s: each plural has all forms of the language',
    async (file) => {
      const texts = await textsOf(language, file);
      const forms = sorted(new Intl.PluralRules(language).resolvedOptions().pluralCategories);
      const plurals = sorted([...texts.keys()].filter((key) => PLURAL.test(key)).map(base));
      for (const key of plurals)
        expect(
          forms.filter((form) => texts.has(`${key}_${form}`)),
          key,
        ).toEqual(forms);
    },
  );
});
