// The reference pages that are made from code are not stale, and the list of error codes is complete.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { CODE_AREAS } from '../../../scripts/reference/codes/index.ts';
import { renderReference } from '../../../scripts/reference/index.ts';
import { EXAMPLES } from '../../../src/cli/examples.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { MEMBER_CODES } from '../../../src/jobs/campaigns/constants.ts';
import { KNOWN_ERROR_CODES } from '../../../src/service/api-client/index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const pages = await renderReference();
const program = await createProgram({ version: '', json: false }, {});
/** Environment variables, options of Temporal, errors of Node and of libraries, ways out, other words in capitals. */
const NO_CODES =
  /^(?:TEMPORAL|DATABASE|NODE|OTEL|XDG|SSL|CURL|REQUESTS|SLUICE|UND_ERR|HPE|WAIT|BUFFER|PG|CSV|FIX)_|^ERR_(?:CHILD_PROCESS_|HTTP_|SCRIPT_|WORKER_|SSL$|FS_|STREAM_)|^(?:USE_EXISTING|AUTO_UPGRADE|REJECT_DUPLICATE|CANCEL_OTHER|ALLOW_DUPLICATE|INVALID_OPENING_QUOTE|DUPLICATE_KEY|HTTP_PARSER|PREMIUM_RATE|SHARED_COST|WORKER_SHUTDOWN|DEAD_LETTERS|NOT_TRIGGERED|SIZE_EXCEEDED|SIZE_NOT_REACHED|NOT_BYTES|EAI_AGAIN|OAUTH_TIMEOUT|(?:HTTPS?|ALL|NO)_PROXY)$/;

const sources = new Map<string, string>();
for (const folder of ['src', 'activities', 'workflows'])
  for (const name of await readdir(join(ROOT, folder), { recursive: true }))
    if (name.endsWith('.ts'))
      sources.set(`${folder}/${name}`, await readFile(join(ROOT, folder, name), 'utf8'));

const listed = new Set(CODE_AREAS.flatMap(({ codes }) => codes.map(([code]) => code)));

describe('docs/reference', () => {
  it.each([...pages.keys()])('%s is what `npm run docs:reference` writes', async (name) => {
    expect(await readFile(join(ROOT, 'docs/reference', name), 'utf8')).toBe(pages.get(name));
  });
});

describe('examples of commands', () => {
  it.each(Object.entries(EXAMPLES))('of `sluice %s` name a command and its own options', (path, lines) => {
    for (const line of lines) {
      const words = line.slice(line.indexOf('sluice ') + 'sluice '.length);
      expect(words.startsWith(path), line).toBe(true);
      const command = path.split(' ').reduce((found: Command | undefined, name) => {
        return found?.commands.find((each) => each.name() === name);
      }, program);
      const known = command?.options.map(({ long }) => long);
      for (const [option] of words.matchAll(/--[a-z][a-z-]*/g)) expect(known, line).toContain(option);
    }
  });
});

describe('the list of error codes', () => {
  it('has each code once in an area', () => {
    for (const { title, codes } of CODE_AREAS) {
      const names = codes.map(([code]) => code);
      expect(new Set(names).size, title).toBe(names.length);
    }
  });

  it('has every code of the API and of members of campaigns', () => {
    for (const code of [...KNOWN_ERROR_CODES, ...MEMBER_CODES]) expect([...listed]).toContain(code);
  });

  it('has every code in the sources', () => {
    const missing = new Map<string, string>();
    for (const [file, text] of sources) {
      if (file.startsWith('src/sandbox/')) continue;
      const single = text.matchAll(/(?:code: |Error\(\d+, |RefusedError\()'([A-Z]{4,})'/g);
      const several = text.matchAll(/'([A-Z]{2,}(?:_[A-Z0-9]+)+)'/g);
      for (const [, code = ''] of [...single, ...several])
        if (!listed.has(code) && !NO_CODES.test(code)) missing.set(code, file);
    }
    expect(Object.fromEntries(missing)).toEqual({});
  });

  it('has no code that the sources lack', () => {
    const text = [...sources.values()].join('\n');
    const gone = [...listed].filter((code) => {
      if (code.startsWith('HTTP_')) return false;
      const written = code.startsWith('SOURCE_') ? code.slice('SOURCE_'.length).toLowerCase() : code;
      return ![`'${written}'`, `${written}:`, `${written}_other:`].some((each) => text.includes(each));
    });
    expect(gone).toEqual([]);
  });
});
