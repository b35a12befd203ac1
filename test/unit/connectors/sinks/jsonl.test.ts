// The JSONL sink on a real disk: lines, torn lines, moved files, killed processes, several at once.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSink } from '../../../../src/connectors/sinks/index.ts';
import type { Sent, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import type { SinkEvent } from '../../../../src/jobs/events/contract/envelope.ts';
import { buildOnce } from '../../../support/runner/build.ts';
import { type Child, runModule } from '../../../support/runner/child.ts';
import { publishedEvent } from './published-event.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-jsonl-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (path: string) =>
  openSink(
    { type: 'jsonl', path },
    { name: 'file', baseDir: dir, secret: () => Promise.reject(new Error('none')), log: () => undefined },
  );
const send = async (path: string, ...events: SinkEvent[]): Promise<readonly Sent[]> => {
  const sink = await open(path);
  const sent = await sink.send(events, { signal: new AbortController().signal });
  await sink.close();
  return sent;
};
const linesOf = async (path: string) => (await readFile(join(dir, path), 'utf8')).split('\n');
const idsOf = (lines: readonly string[]) =>
  lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as { id: string }).id);
const event = (n: number, body = 'hi') => publishedEvent({ n, conversation: n % 3, body });

describe('a batch', () => {
  it('becomes one line an event, in order, in a file next to the configuration that others can not read', async () => {
    const events = [1, 2, 3].map((n) => event(n, 'two\nlines, \u2028 and "quotes" 😀'));
    expect(await send('events.jsonl', ...events)).toEqual(events.map(() => ({ state: 'sent' })));
    await send('events.jsonl', event(4));
    const lines = await linesOf('events.jsonl');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual([...events, event(4)]);
    expect((await stat(join(dir, 'events.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('ends the line that a crash left behind: that one is broken, none is lost or glued to it', async () => {
    await writeFile(join(dir, 'a.jsonl'), `${JSON.stringify(event(1))}\n{"id":"acme/ha`);
    await send('a.jsonl', event(2));
    const [first, broken, second, ...rest] = await linesOf('a.jsonl');
    expect(idsOf([first as string, second as string])).toEqual([event(1).id, event(2).id]);
    expect(broken).toBe('{"id":"acme/ha');
    expect(rest).toEqual(['']);
  });

  it('goes into a new file when the old one was moved away', async () => {
    const sink = await open('a.jsonl');
    const { signal } = new AbortController();
    await sink.send([event(1)], { signal });
    await rename(join(dir, 'a.jsonl'), join(dir, 'a.jsonl.1'));
    await sink.send([event(2)], { signal });
    await sink.close();
    expect(idsOf(await linesOf('a.jsonl.1'))).toEqual([event(1).id]);
    expect(idsOf(await linesOf('a.jsonl'))).toEqual([event(2).id]);
  });

  it('of two sendings at once stays in lines', async () => {
    await writeFile(join(dir, 'a.jsonl'), 'torn');
    const sink = await open('a.jsonl');
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3, 4, 5].map((n) => sink.send([event(n)], { signal })));
    await sink.close();
    const [, ...lines] = await linesOf('a.jsonl');
    expect(lines).toHaveLength(6);
    expect(idsOf(lines)).toEqual([1, 2, 3, 4, 5].map((n) => event(n).id));
  });

  it('after close fails, and writes nothing', async () => {
    const sink = await open('a.jsonl');
    await sink.close();
    const sent = await sink.send([event(1)], { signal: new AbortController().signal });
    expect(sent).toMatchObject([{ state: 'failed', error: { code: 'CLOSED' } }]);
    await expect(stat(join(dir, 'a.jsonl'))).rejects.toThrow('ENOENT');
  });
});

describe('a file that can not be written', () => {
  const cases: [path: string, code: string, say: string][] = [
    ['missing/a.jsonl', 'ENOENT', 'its folder does not exist; create it'],
    ['folder', 'EISDIR', 'it is a folder'],
    ['plain/a.jsonl', 'ENOTDIR', 'a part of its folder is a file'],
    ['/dev/full', 'NOT_A_FILE', 'it is not a regular file'],
    [`${'x'.repeat(300)}.jsonl`, 'ENAMETOOLONG', 'its name is too long'],
  ];
  it.each(cases)('%s: all of the batch waits, and %s says what to do', async (path, code, say) => {
    await mkdir(join(dir, 'folder'));
    await writeFile(join(dir, 'plain'), '');
    const sent = await send(path, event(1), event(2));
    const error = { code, retryable: true, sinkWide: true };
    expect(sent).toMatchObject([
      { state: 'failed', error },
      { state: 'failed', error },
    ]);
    const { message } = (sent[0] as { error: SinkError }).error;
    expect(message).toContain(say);
    expect(message).not.toMatch(/5511987654321|Bia/);
  });
});

describe('a process', () => {
  let dist: string;
  beforeAll(async () => {
    dist = await buildOnce();
  });

  /** Appends batches of two events of `bytes` each for ever, and prints the ids that were acknowledged. */
  const appender = async (path: string, name: string, bytes: number): Promise<Child> => {
    return runModule(`
      import { jsonlSink } from ${JSON.stringify(join(dist, 'src/connectors/sinks/jsonl.js'))};
      const sink = jsonlSink({ type: 'jsonl', path: ${JSON.stringify(path)} }, ${JSON.stringify(dir)});
      const { signal } = new AbortController();
      for (let n = 0; ; n += 2) {
        const events = [n, n + 1].map((n) => ({ id: '${name}/' + n, partitionkey: 'a/1', body: 'x'.repeat(${bytes}) }));
        const sent = await sink.send(events, { signal });
        if (sent.some(({ state }) => state !== 'sent')) throw sent[0].error;
        for (const { id } of events) console.log(id);
      }`);
  };
  const readable = (lines: readonly string[]) =>
    lines
      .filter((line) => line !== '')
      .map((line) => (line.endsWith('}') ? idsOf([line])[0] : 'broken') as string);

  it('FAULTS 16: that is killed has every line on the disk that it acknowledged, and breaks one at most', async () => {
    const acknowledged: string[] = [];
    for (let round = 1; round <= 4; round++) {
      const child = await appender('a.jsonl', `r${round}`, 200_000);
      for (let n = 0; n < 3 * round; n++) acknowledged.push(await child.line());
      await child.kill();
    }
    await send('a.jsonl', event(1));
    const ids = readable(await linesOf('a.jsonl'));
    expect(ids.filter((id) => id === 'broken').length).toBeLessThanOrEqual(4);
    for (const id of acknowledged) expect(ids).toContain(id);
    expect(new Set(ids.filter((id) => id !== 'broken')).size).toBe(
      ids.filter((id) => id !== 'broken').length,
    );
  });

  it('beside others at the same file leaves their lines whole, and keeps its own in order', async () => {
    const names = ['a', 'b', 'c'];
    const children = await Promise.all(names.map((name) => appender('a.jsonl', name, 100_000)));
    for (const child of children) for (let n = 0; n < 20; n++) await child.line();
    for (const child of children) await child.kill();
    const lines = await linesOf('a.jsonl');
    const ids = readable(lines);
    expect(ids.filter((id) => id === 'broken').length).toBeLessThanOrEqual(names.length);
    for (const name of names) {
      const own = ids.filter((id) => id.startsWith(`${name}/`));
      expect(own.length).toBeGreaterThanOrEqual(20);
      expect(own).toEqual(own.map((_, n) => `${name}/${n}`));
    }
  });

  it('that can write half of a batch only says that none is sent; the next one starts on a new line', async () => {
    const code = `
      import { jsonlSink } from ${JSON.stringify(join(dist, 'src/connectors/sinks/jsonl.js'))};
      const sink = jsonlSink({ type: 'jsonl', path: 'a.jsonl' }, ${JSON.stringify(dir)});
      const events = ['1', '2'].map((id) => ({ id, partitionkey: 'a/1', body: 'x'.repeat(90_000) }));
      const sent = await sink.send(events, { signal: new AbortController().signal });
      console.log(JSON.stringify(sent.map(({ state, error }) => [state, error?.code])));`;
    // A limit to the size of files stands for the full disk: the system then writes what fits.
    const limited = [
      '-c',
      'ulimit -f 200; exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '-e',
      code,
    ];
    const { stdout } = await promisify(execFile)('sh', limited);
    expect(JSON.parse(stdout)).toEqual([
      ['failed', 'ENOSPC'],
      ['failed', 'ENOSPC'],
    ]);
    await send('a.jsonl', event(1));
    expect(readable(await linesOf('a.jsonl'))).toEqual(['1', 'broken', event(1).id]);
  });
});
