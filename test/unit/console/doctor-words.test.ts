// What the doctor can say, it says in both languages: each code has its sentence, whose placeholders are what it names.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOCTOR_FIXES } from '../../../src/app/doctor/fixes.ts';
import en from '../../../src/console/i18n/en/codes.ts';
import enDoctor from '../../../src/console/i18n/en/doctor.ts';
import pt from '../../../src/console/i18n/pt-BR/codes.ts';
import ptDoctor from '../../../src/console/i18n/pt-BR/doctor.ts';

const FOLDER = join(import.meta.dirname, '../../../src/app/doctor');
const files = await readdir(FOLDER);
const texts = await Promise.all(files.map((file) => readFile(join(FOLDER, file), 'utf8')));
/** Codes that the doctor can give, by how it gives them: with parameters, or as the sentence of an error. */
const given = new Set(texts.flatMap((text) => text.match(/(?<=')(?:CHECK|FIX)_[A-Z_]+(?=')/g) ?? []));

const base = (key: string) => key.replace(/_(?:one|many|other)$/, '');
const codesOf = (catalog: object) => Object.keys(catalog).map(base);

it.each([
  ['English', en.of, enDoctor.of],
  ['Portuguese', pt.of, ptDoctor.of],
])('%s has words for each code of the doctor, and for no other', (_language, codes, sentences) => {
  const errors = Object.keys(codes).filter((code) => code.startsWith('CHECK_'));
  expect(given.size).toBeGreaterThan(100);
  expect([...new Set([...errors, ...codesOf(sentences)])].sort()).toEqual([...given].sort());
  expect(errors.filter((code) => codesOf(sentences).includes(code))).toEqual([]);
});

it('a way out names no more than its finding', () => {
  const namesOf = (text: string): string[] => text.match(/(?<=\{\{)\w+/g) ?? [];
  const sentences: Readonly<Record<string, string>> = enDoctor.of;
  const lacking = Object.entries(DOCTOR_FIXES).filter(([code, fix]) => {
    const known = namesOf(sentences[code] ?? '');
    return namesOf(sentences[fix] ?? '').some((name) => !known.includes(name));
  });
  expect(lacking).toEqual([]);
});
