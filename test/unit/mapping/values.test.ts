import { describe, expect, it } from 'vitest';
import { type FoundOrder, toDate } from '../../../src/mapping/dates.ts';
import { isYes, toBoolean, toEmail, toId } from '../../../src/mapping/values.ts';

const attempt = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('toDate', () => {
  const cases: [text: string, order: FoundOrder, expected: string][] = [
    ['2026-12-01', 'open', '2026-12-01'],
    ['2026-12-01 10:30', 'mdy', '2026-12-01'],
    ['2026-12-01T23:30:00-03:00', 'open', '2026-12-02'],
    ['2026-12-01T00:00:00.000Z', 'open', '2026-12-01'],
    ['2026/2/3', 'dmy', '2026-02-03'],
    ['20261201', 'dmy', '2026-12-01'],
    ['31/12/2026', 'dmy', '2026-12-31'],
    ['03/04/2026', 'dmy', '2026-04-03'],
    ['03/04/2026', 'mdy', '2026-03-04'],
    ['3.4.26', 'dmy', '2026-04-03'],
    ['26-04-03', 'ymd', '2026-04-03'],
    ['31/12/2026', 'mdy', 'invalid_date'],
    ['12/31/2026', 'dmy', 'invalid_date'],
    ['12/31/2026', 'ymd', 'invalid_date'],
    ['31/12/2026 18:45:00', 'dmy', '2026-12-31'],
    ['46357', 'dmy', '2026-12-01'],
    ['46357.75', 'open', '2026-12-01'],
    ['31/12/2026', 'open', '2026-12-31'],
    ['12/31/2026', 'mixed', '2026-12-31'],
    ['05/05/2026', 'open', '2026-05-05'],
    ['03/04/2026', 'open', 'ambiguous_date'],
    ['03/04/2026', 'mixed', 'ambiguous_date'],
    ['31/02/2026', 'dmy', 'invalid_date'],
    ['2026-02-30', 'dmy', 'invalid_date'],
    ['00/00/0000', 'open', 'invalid_date'],
    ['########', 'dmy', 'invalid_date'],
    ['amanhã', 'open', 'invalid_date'],
    ['12', 'dmy', 'invalid_date'],
  ];
  it.each(cases)('%j in a column that is %s is %s', (text, order, expected) => {
    expect(attempt(() => toDate(text, order))).toBe(expected);
  });
});

describe('toEmail', () => {
  const cases: [unknown, unknown][] = [
    [' Bia@Example.COM ', 'Bia@example.com'],
    ['bia@example.com; ana@example.com', 'bia@example.com'],
    ['Bia <bia@example.com>', 'bia@example.com'],
    ['mailto:bia@example.com', 'bia@example.com'],
    ['josé@exámple.com', 'josé@exámple.com'],
    ['bia@', 'invalid_email'],
    ['bia@example', 'invalid_email'],
    ['bia example.com', 'invalid_email'],
    ['bia@@example.com', 'invalid_email'],
    ['bia..b@example.com', 'invalid_email'],
    ['bia@-x.com', 'invalid_email'],
    [['a@example.com'], 'invalid_type'],
    ['', undefined],
    [null, undefined],
  ];
  it.each(cases)('%j is %s', (value, expected) => {
    expect(attempt(() => toEmail(value))).toBe(expected);
  });
});

describe('yes and no', () => {
  const cases: [unknown, unknown, boolean][] = [
    ['Sim', true, true],
    ['NÃO', false, false],
    ['nao', false, false],
    ['TRUE', true, true],
    [1, true, true],
    [0, false, false],
    [false, false, false],
    ['verdadeiro', true, true],
    ['talvez', 'invalid_boolean', true],
    ['', undefined, false],
    [undefined, undefined, false],
  ];
  it.each(cases)('%j', (value, asBoolean, asYes) => {
    expect(attempt(() => toBoolean(value))).toBe(asBoolean);
    expect(isYes(value)).toBe(asYes);
  });
});

describe('toId', () => {
  const cases: [unknown, unknown][] = [
    ['3', 3],
    [3, 3],
    ['3.0', 3],
    ['0', 'invalid_id'],
    ['-1', 'invalid_id'],
    ['3.5', 'invalid_id'],
    ['site', 'invalid_id'],
    ['', undefined],
  ];
  it.each(cases)('%j is %s', (value, expected) => {
    expect(attempt(() => toId(value))).toBe(expected);
  });
});
