// Erasing conversations from a file of the JSONL sink: nothing else in the file moves or changes.
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eraseLines } from '../../../../src/connectors/sinks/jsonl-erase.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-'));
  file = join(dir, 'events.jsonl');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const sourceOf = (conversation: number) => `/sluice/accounts/acme/conversations/${conversation}`;
const markOf = (conversation: number) => ['source', sourceOf(conversation)] as const;
const eventOf = (conversation: number, text: string) =>
  JSON.stringify({ specversion: '1.0', source: sourceOf(conversation), data: { text } });

describe('erasing lines', () => {
  it('overwrites the events of the conversations, and keeps the place of every other byte', async () => {
    const lines = [
      eventOf(501, 'Zoé 😀'),
      eventOf(5012, 'other'),
      '',
      'no JSON',
      eventOf(501, 'x'.repeat(3e6)),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const before = await readFile(file);
    expect(await eraseLines(file, [markOf(501)])).toBe(2);
    const after = await readFile(file);
    expect(after.length).toBe(before.length);
    const left = after.toString().split('\n');
    expect(left.slice(1, 4)).toEqual(lines.slice(1, 4));
    expect([left[0], left[4]].map((line) => JSON.parse(line ?? ''))).toEqual([
      { erased: true },
      { erased: true },
    ]);
    expect(left[0]).toHaveLength(Buffer.byteLength(lines[0] as string));
    expect(await eraseLines(file, [markOf(501)])).toBe(0);
  });

  it('overwrites the events of a stream, and no event that only mentions it', async () => {
    const member = (key: string, reason: string) =>
      JSON.stringify({ specversion: '1.0', partitionkey: key, data: { reason } });
    const lines = [member('acme/+win/1/7', ''), member('acme/+win/1/70', 'acme/+win/1/7')];
    await writeFile(file, `${lines.join('\n')}\n`);
    expect(await eraseLines(file, [['partitionkey', 'acme/+win/1/7']])).toBe(1);
    const left = (await readFile(file, 'utf8')).split('\n');
    expect([JSON.parse(left[0] ?? ''), left[1]]).toEqual([{ erased: true }, lines[1]]);
  });

  it('overwrites a last line that a crash left incomplete', async () => {
    await writeFile(file, `${eventOf(7, 'a')}\n${eventOf(501, 'Zoé').slice(0, -4)}`);
    expect(await eraseLines(file, [markOf(501)])).toBe(1);
    expect(await readFile(file, 'utf8')).not.toContain('Zo');
  });

  it('leaves a message that quotes such an event', async () => {
    const quote = eventOf(7, eventOf(501, 'b'));
    await writeFile(file, `${quote}\n`);
    expect(await eraseLines(file, [markOf(501)])).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(`${quote}\n`);
  });

  it('keeps what another process appends meanwhile', async () => {
    await writeFile(file, `${eventOf(501, 'c')}\n`.repeat(20_000));
    const appended = eventOf(7, 'd');
    const [erased] = await Promise.all([
      eraseLines(file, [markOf(501)]),
      ...Array.from({ length: 50 }, () => appendFile(file, `${appended}\n`)),
    ]);
    expect(erased).toBe(20_000);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.filter((line) => line === appended)).toHaveLength(50);
    expect(lines).toHaveLength(20_050);
  });

  it('changes nothing for no events', async () => {
    await writeFile(file, `${eventOf(501, 'e')}\n`);
    expect(await eraseLines(file, [])).toBe(0);
  });

  it('a file that is not there is null', async () => {
    expect(await eraseLines(file, [markOf(501)])).toBeNull();
  });
});
