// Which statements PostgreSQL is asked to keep.
import { describe, expect, it } from 'vitest';
import { createStatementNames } from '../../../../src/core/sql/prepared.ts';

const nameAfter = (names: ReturnType<typeof createStatementNames>, sql: string, uses: number) => {
  let name: string | undefined;
  for (let i = 0; i < uses; i++) name = names.nameOf(sql);
  return name;
};

describe('names of statements', () => {
  it('start at the tenth use, are the same in every process, and fit PostgreSQL', () => {
    expect(nameAfter(createStatementNames(), 'select 1', 9)).toBeUndefined();
    const name = nameAfter(createStatementNames(), 'select 1', 10);
    expect(name).toMatch(/^[\w-]{1,63}$/);
    expect(nameAfter(createStatementNames(), 'select 1', 11)).toBe(name);
    expect(nameAfter(createStatementNames(), 'select 2', 10)).not.toBe(name);
  });

  it('are at most 200; the first statements keep theirs', () => {
    const names = createStatementNames();
    const named = Array.from({ length: 300 }, (_, i) => nameAfter(names, `select ${i}`, 10));
    expect(named.filter((name) => name !== undefined)).toHaveLength(200);
    expect(names.nameOf('select 7')).toBe(named[7]);
  });

  it('are given despite any number of statements that are used once', () => {
    const names = createStatementNames();
    for (let i = 0; i < 5000; i++) names.nameOf(`select ${i}`);
    expect(nameAfter(names, 'select again', 10)).toBeDefined();
  });

  it.each(['26000', '42P05', '0A000'])('end with the error %s', (code) => {
    const names = createStatementNames();
    expect(nameAfter(names, 'select 1', 10)).toBeDefined();
    expect(names.failed(Object.assign(new Error('lost'), { code }))).toBe(true);
    expect(nameAfter(names, 'select 1', 20)).toBeUndefined();
  });

  it.each([Object.assign(new Error('unique'), { code: '23505' }), new Error('gone'), 'text', undefined])(
    'outlive any other failure: %s',
    (error) => {
      const names = createStatementNames();
      expect(names.failed(error)).toBe(false);
      expect(nameAfter(names, 'select 1', 10)).toBeDefined();
    },
  );
});
