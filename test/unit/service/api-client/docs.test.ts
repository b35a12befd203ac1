// The lists of docs/reference/client.md are generated from the code. To write them again:
// UPDATE_DOCS=1 npx vitest run test/unit/service/api-client/docs.test.ts
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { item } from '../../../../scripts/reference/markdown.ts';
import {
  ASSUMPTIONS,
  KNOWN_ERROR_CODES,
  MessagingClient,
  OPEN_POINTS,
} from '../../../../src/service/api-client/index.ts';

const GUIDE = resolve(import.meta.dirname, '../../../../docs/reference/client.md');

const code = (text: string) => `\`${text}\``;

const LISTS: Record<string, string> = {
  assumptions: Object.entries(ASSUMPTIONS)
    .map(([key, entry]) =>
      item(
        `${code(key)}: ${entry.unknown} (${entry.section}). Default: ${code(JSON.stringify(entry.default))}, ${entry.because}. Used by: ${entry.usedBy}.`,
      ),
    )
    .join('\n'),
  'open points': OPEN_POINTS.map(({ unknown, section, handling }) =>
    item(`${unknown} (${section}). The client ${handling}.`),
  ).join('\n'),
};

function withLists(guide: string): string {
  return Object.entries(LISTS).reduce((text, [name, items]) => {
    const block = new RegExp(`(<!-- ${name}: [^>]*-->\n)[^]*?(<!-- /${name} -->)`);
    expect(text).toMatch(block);
    return text.replace(block, (_all, start: string, end: string) => `${start}\n${items}\n\n${end}`);
  }, guide);
}

it('the lists of the guide are those of the code', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const current = withLists(guide);
  if (process.env.UPDATE_DOCS === '1') await writeFile(GUIDE, current);
  else expect(guide).toBe(current);
});

it('the guide names every method, and no code that the API does not have', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const client = new MessagingClient({ baseUrl: 'http://h/wapi', token: 't' });
  for (const [property, resource] of Object.entries(client)) {
    const rows = guide.split('\n').filter((row) => row.split('|')[1]?.includes(code(property)));
    expect(rows).toHaveLength(1);
    for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(resource))) {
      if (method !== 'constructor') expect(rows[0]).toContain(code(method));
    }
  }
  const codes: readonly string[] = KNOWN_ERROR_CODES;
  for (const [named] of guide.matchAll(/ERR_[A-Z_]+/g)) expect(codes).toContain(named);
});
