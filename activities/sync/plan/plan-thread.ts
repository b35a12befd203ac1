// A thread that reads and maps the pages of a file while the main thread works on the ledger. It keeps two pages
// ahead: each message that it receives allows one more.
import { parentPort, workerData } from 'node:worker_threads';
import { openSource } from '../../../src/connectors/sources/index.ts';
import { type SourceCursor, SourceError, type SourceErrorCode } from '../../../src/core/source.ts';
import type { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { compileMapping, MappingStoppedError } from '../../../src/mapping/index.ts';
import { type MappedPage, type MappedRow, readMappedPage } from './plan-page.ts';
import type { SlowRow } from './plan-slow.ts';
import { pageTools } from './plan-tools.ts';

export interface ThreadInput {
  readonly spec: RunSpec;
  readonly baseDir: string;
  readonly cursor: SourceCursor;
  readonly since: SourceCursor | null;
  readonly limit: number;
  readonly slow: readonly SlowRow[];
}

export type ThreadAnswer =
  | { readonly kind: 'page'; readonly page: Omit<MappedPage, 'good'>; readonly good: GoodColumns }
  | { readonly kind: 'source'; readonly code: SourceErrorCode; readonly message: string }
  | { readonly kind: 'stopped'; readonly message: string }
  | { readonly kind: 'error'; readonly error: Error };

/**
 * The valid rows column by column, with one text for many values. That costs less to transfer than one object per
 * row.
 */
export interface GoodColumns {
  readonly rows: Int32Array<ArrayBuffer>;
  readonly shapes: Int32Array<ArrayBuffer>;
  readonly stages: readonly string[];
  /** One value per line. None of them contains a line break. */
  readonly keys: string;
  readonly hashes: string;
  readonly jsons: string;
}

function toColumns(good: readonly MappedRow[]): GoodColumns {
  return {
    rows: Int32Array.from(good, ({ row }) => row),
    shapes: Int32Array.from(good, ({ shape }) => shape),
    stages: good.map(({ stage }) => stage),
    keys: good.map(({ key }) => key).join('\n'),
    hashes: good.map(({ hashes }) => hashes).join('\n'),
    jsons: good.map(({ json }) => json).join('\n'),
  };
}

const PAGES_AHEAD = 2;

async function main(): Promise<void> {
  const { spec, baseDir, since, limit, ...input } = workerData as ThreadInput;
  const port = parentPort;
  if (port === null) throw new Error('this module is the entry point of a thread');
  const capacity = { pages: PAGES_AHEAD };
  let wake = () => {};
  port.on('message', () => {
    capacity.pages++;
    wake();
  });
  const say = (answer: ThreadAnswer) => port.postMessage(answer);
  try {
    const makers = {
      openSource: (source: RunSpec['source']) => openSource(source, { baseDir }),
      compileMapping,
    };
    const tools = pageTools(spec, makers, input.slow);
    let cursor: SourceCursor | null = input.cursor;
    while (cursor !== null) {
      const { good, ...page }: MappedPage = await readMappedPage(tools, { cursor, since, limit });
      say({ kind: 'page', page, good: toColumns(good) });
      cursor = page.next;
      capacity.pages--;
      while (capacity.pages <= 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } catch (error) {
    if (error instanceof SourceError) say({ kind: 'source', code: error.code, message: error.message });
    else if (error instanceof MappingStoppedError) say({ kind: 'stopped', message: error.message });
    else say({ kind: 'error', error: error as Error });
  } finally {
    port.close();
  }
}

await main();
