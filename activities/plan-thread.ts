// A thread that reads and maps the pages of a file while the thread beside it works on the ledger. It keeps two pages
// ahead: each message it gets allows one more.
import { parentPort, workerData } from 'node:worker_threads';
import type { RunSpec } from '../src/contracts/run.ts';
import { type SourceCursor, SourceError, type SourceErrorCode } from '../src/contracts/source.ts';
import { compileMapping } from '../src/mapping/index.ts';
import { openSource } from '../src/sources/index.ts';
import { type MappedPage, readMappedPage } from './plan-page.ts';
import { pageTools } from './plan-tools.ts';

export interface ThreadInput {
  readonly spec: RunSpec;
  readonly baseDir: string;
  readonly cursor: SourceCursor;
  readonly since: SourceCursor | null;
  readonly limit: number;
}

export type ThreadAnswer =
  | { readonly kind: 'page'; readonly page: Omit<MappedPage, 'good'>; readonly good: GoodColumns }
  | { readonly kind: 'source'; readonly code: SourceErrorCode; readonly message: string }
  | { readonly kind: 'error'; readonly error: Error };

/** The good rows column by column: half the work of handing over as many objects. */
export interface GoodColumns {
  readonly rows: readonly number[];
  readonly keys: readonly string[];
  readonly hashes: readonly string[];
  readonly stages: readonly string[];
  readonly jsons: readonly string[];
}

const PAGES_AHEAD = 2;

async function main(): Promise<void> {
  const { spec, baseDir, since, limit, ...input } = workerData as ThreadInput;
  const port = parentPort;
  if (port === null) throw new Error('this module is the entry point of a thread');
  const room = { pages: PAGES_AHEAD };
  let wake = () => {};
  port.on('message', () => {
    room.pages++;
    wake();
  });
  const say = (answer: ThreadAnswer) => port.postMessage(answer);
  try {
    const tools = pageTools(spec, {
      openSource: (source) => openSource(source, { baseDir }),
      compileMapping,
    });
    let cursor: SourceCursor | null = input.cursor;
    while (cursor !== null) {
      const { good, ...page }: MappedPage = await readMappedPage(tools, { cursor, since, limit });
      say({
        kind: 'page',
        page,
        good: {
          rows: good.map(({ row }) => row),
          keys: good.map(({ key }) => key),
          hashes: good.map(({ hashes }) => hashes),
          stages: good.map(({ stage }) => stage),
          jsons: good.map(({ json }) => json),
        },
      });
      cursor = page.next;
      room.pages--;
      while (room.pages <= 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } catch (error) {
    if (error instanceof SourceError) say({ kind: 'source', code: error.code, message: error.message });
    else say({ kind: 'error', error: error as Error });
  } finally {
    port.close();
  }
}

await main();
