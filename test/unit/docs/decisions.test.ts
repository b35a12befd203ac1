// Each decision begins with its date and its status, and the index lists all of them by their titles.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../../../docs/decisions');
const HEAD =
  /^# (\d+)\. (.+)\n\n\*\*Date\.\*\* \d{4}-\d\d-\d\d · \*\*Status\.\*\* (accepted|(?:partly )?superseded by \[\d+\]\((.+?)\).*)\n/;
const names = (await readdir(FOLDER)).filter((name) => /^\d{4}-/.test(name));
const index = (await readFile(join(FOLDER, 'README.md'), 'utf8')).replaceAll(/\s+/g, ' ');

describe('decisions', () => {
  it.each(names)('%s has a date and a status, and is in the index', async (name) => {
    const head = HEAD.exec(await readFile(join(FOLDER, name), 'utf8'));
    expect(head, 'the head').not.toBeNull();
    const [, number = '', title = '', , successor] = head ?? [];
    expect(name.startsWith(number.padStart(4, '0'))).toBe(true);
    expect(index).toContain(`${number}. [${title}](${name})`);
    if (successor !== undefined) expect(existsSync(join(FOLDER, successor)), successor).toBe(true);
  });
});
