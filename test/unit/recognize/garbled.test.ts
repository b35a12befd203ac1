// Values in a wrong encoding are counted, and values in the right one never are.
import { expect, it } from 'vitest';
import { isGarbled } from '../../../src/recognize/garbled.ts';

const utf8AsLatin = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text));
const latinAsUtf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8');

const WORDS = ['João', 'CONCEIÇÃO', 'Ângela', 'São José', 'Übermut', 'Ênio', 'Õ', 'nº 1ª', 'à'];

it.each(WORDS)('%s is garbled in either wrong encoding, and never in its own', (word) => {
  expect(isGarbled(word)).toBe(false);
  expect(isGarbled(word.toUpperCase())).toBe(false);
  expect(isGarbled(latinAsUtf8(word))).toBe(true);
});

it.each(['João', 'ação', 'Ângela', 'São José', 'Ênio', 'É', 'nº 1ª'])(
  '%s as Windows-1252 is garbled',
  (word) => {
    expect(isGarbled(utf8AsLatin(word))).toBe(true);
  },
);

it.each<[string, unknown]>([
  ['Ã before a letter', 'IRMÃOS'],
  ['Ã before a space', 'MAÇÃ verde'],
  ['Ã before a space that does not break', 'MAÇÃ\u00a0verde'],
  ['Â at the end', 'Â'],
  ['Ã before a full stop', 'IRMÃ.'],
  ['quotation marks', '“São”'],
  ['an emoji', '🌸'],
  ['another script', '王伟'],
  ['nothing', null],
  ['a number', 7],
])('%s is text', (_, value) => {
  expect(isGarbled(value)).toBe(false);
});
