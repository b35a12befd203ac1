import { describe, expect, it } from 'vitest';
import { hasColor } from '../../../src/observe/color.ts';
import { createLogger } from '../../../src/observe/logger.ts';

const TERMINAL = { isTTY: true };
const FILE = {};

describe('colors', () => {
  it.each([
    ['a terminal has them', TERMINAL, {}, true],
    ['a file has none', FILE, {}, false],
    ['a dumb terminal has none', TERMINAL, { TERM: 'dumb' }, false],
    ['NO_COLOR turns them off', TERMINAL, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR says nothing', TERMINAL, { NO_COLOR: '' }, true],
    ['FORCE_COLOR turns them on', FILE, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR comes before NO_COLOR', FILE, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['FORCE_COLOR=0 turns them off', TERMINAL, { FORCE_COLOR: '0' }, false],
  ])('%s', (_, stream, env, colored) => {
    expect(hasColor(stream, env)).toBe(colored);
  });

  it('are missing in log lines where they are off', () => {
    const lines: string[] = [];
    const destination = { isTTY: true, write: (line: string) => lines.push(line) };
    createLogger({ destination, color: false }).warn('page lost');
    createLogger({ destination, color: true }).warn('page lost');
    expect(lines[0]).not.toContain('\u001b');
    expect(lines[1]).toContain('\u001b[33mWARN ');
  });
});
