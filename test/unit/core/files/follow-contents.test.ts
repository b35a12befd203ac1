import { expect, it } from 'vitest';
import { followContents } from '../../../../src/core/files/follow-contents.ts';

it.each<{ name: string; reads: readonly (string | Error)[]; used: string[]; failed: string[] }>([
  { name: 'nothing changes', reads: ['a', 'a', 'a'], used: [], failed: [] },
  { name: 'two looks agree', reads: ['b', 'b', 'b'], used: ['b'], failed: [] },
  { name: 'a file is still being written', reads: ['b', 'bc', 'bcd', 'bcd'], used: ['bcd'], failed: [] },
  { name: 'the old content returns', reads: ['b', 'a', 'b', 'a'], used: [], failed: [] },
  {
    name: 'it cannot be read for a while',
    reads: [new Error('gone'), new Error('gone'), 'b', 'b'],
    used: ['b'],
    failed: ['gone'],
  },
  {
    name: 'it fails, works and fails again',
    reads: [new Error('gone'), 'a', new Error('gone')],
    used: [],
    failed: ['gone', 'gone'],
  },
  {
    name: 'new contents cannot be used',
    reads: ['bad', 'bad', 'bad', 'b', 'b', 'a', 'a'],
    used: ['b', 'a'],
    failed: ['bad cannot be used'],
  },
])('$name: uses $used', async ({ reads, used, failed }) => {
  const closing = new AbortController();
  const taken: string[] = [];
  const reported: string[] = [];
  const left = [...reads];
  await followContents({
    first: 'a',
    read() {
      const next = left.shift();
      if (left.length === 0) closing.abort();
      if (next instanceof Error) throw next;
      return next as string;
    },
    printOf: (content) => content,
    use(content) {
      if (content === 'bad') throw new Error('bad cannot be used');
      taken.push(content);
    },
    failed: (error) => reported.push((error as Error).message),
    signal: closing.signal,
    everyMs: 1,
  });
  expect(taken).toEqual(used);
  expect(reported).toEqual(failed);
});
