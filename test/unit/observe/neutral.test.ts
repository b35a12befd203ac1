import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neutralLine, neutralLines } from '../../../src/observe/neutral.ts';

describe('text from outside', () => {
  it.each([
    ['an escape sequence', 'a\u001b[31mb', 'a\\u001b[31mb'],
    ['an 8-bit escape sequence', 'a\u009b31mb', 'a\\u009b31mb'],
    ['a title of the window', '\u001b]0;pwned\u0007', '\\u001b]0;pwned\\u0007'],
    ['a link', '\u001b]8;;http://x\u001b\\here', '\\u001b]8;;http://x\\u001b\\here'],
    ['backspaces and DEL', 'ab\b\bX\u007f', 'ab\\u0008\\u0008X\\u007f'],
    ['a carriage return', 'ok\rno', 'ok\\u000dno'],
    ['NUL', 'a\u0000', 'a\\u0000'],
    ['direction overrides', '\u202egpj.exe\u202c', '\\u202egpj.exe\\u202c'],
    ['isolates and marks', '\u2066a\u2069\u200e\u200f\u061c', '\\u2066a\\u2069\\u200e\\u200f\\u061c'],
    [
      'zero-width characters',
      'a\u200bb\u200cc\u200dd\u2060e\ufeff',
      'a\\u200bb\\u200cc\\u200dd\\u2060e\\ufeff',
    ],
    ['line separators', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
    ['invisible letters', 'a\u3164b\u115fc\u00add', 'a\\u3164b\\u115fc\\u00add'],
    ['tags beyond the basic plane', '\u{e0041}', '\\udb40\\udc41'],
    ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('%s is shown as escapes', (_name, text, shown) => {
    expect(neutralLine(text)).toBe(shown);
    expect(neutralLines(text)).toBe(shown);
  });

  it.each([
    'São Paulo, João & Zoë',
    '北京 東京 한국',
    'محمد علي',
    'नमस्ते',
    '❤️ 👍🏽 🇧🇷',
    'a\\u001b',
    '„quotes“ – €',
  ])('%j stays as it is', (text) => expect(neutralLine(text)).toBe(text));

  it('keeps the line breaks and tabs of lines, and not those of a value', () => {
    expect(neutralLines('a\tb\r\nc\n')).toBe('a\tb\r\nc\n');
    expect(neutralLine('a\tb\r\nc\n')).toBe('a\\u0009b\\u000d\\u000ac\\u000a');
  });

  it('as JSON says the same afterwards, and holds nothing that steers a terminal', () => {
    fc.assert(
      fc.property(fc.anything({ values: [fc.string({ unit: 'binary' })] }), (value) => {
        const json = JSON.stringify(value, null, 2);
        if (json === undefined) return;
        const safe = neutralLines(json);
        expect(JSON.parse(safe)).toEqual(JSON.parse(json));
        expect(safe).not.toMatch(/(?!\n)[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
