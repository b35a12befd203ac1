import { describe, expect, it } from 'vitest';
import { toDate } from '../../../src/mapping/dates.ts';
import { isYes, toBoolean, toEmail, toId } from '../../../src/mapping/values.ts';

const attempt = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('toDate', () => {
  const cases: [string, string | undefined, string][] = [
    ['2026-12-01', 'BR', '2026-12-01'],
    ['2026-12-01 10:30', 'BR', '2026-12-01'],
    ['2026-12-01T23:30:00-03:00', 'BR', '2026-12-02'],
    ['2026-12-01T00:00:00.000Z', 'BR', '2026-12-01'],
    ['2026/2/3', 'BR', '2026-02-03'],
    ['20261201', 'BR', '2026-12-01'],
    ['31/12/2026', 'BR', '2026-12-31'],
    ['03/04/2026', 'BR', '2026-04-03'],
    ['03/04/2026', 'US', '2026-03-04'],
    ['3.4.26', 'DE', '2026-04-03'],
    ['31/12/2026', 'US', '2026-12-31'],
    ['12/31/2026', 'BR', '2026-12-31'],
    ['31/12/2026 18:45:00', 'BR', '2026-12-31'],
    ['46357', 'BR', '2026-12-01'],
    ['46357.75', 'BR', '2026-12-01'],
    ['31/12/2026', undefined, '2026-12-31'],
    ['05/05/2026', undefined, '2026-05-05'],
    ['03/04/2026', undefined, 'ambiguous_date'],
    ['31/02/2026', 'BR', 'invalid_date'],
    ['2026-02-30', 'BR', 'invalid_date'],
    ['00/00/0000', 'BR', 'invalid_date'],
    ['########', 'BR', 'invalid_date'],
    ['amanhã', 'BR', 'invalid_date'],
    ['12', 'BR', 'invalid_date'],
  ];
  it.each(cases)('%j in %s is %s', (text, country, expected) => {
    expect(attempt(() => toDate(text, country))).toBe(expected);
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
