// Returns the mapped pages of a run one after the other and prepares the next one meanwhile. It uses a separate
// thread when the source is a file of more than one page.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type SourceCursor, SourceError } from '../../../src/core/source.ts';
import type { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { MappingStoppedError } from '../../../src/mapping/index.ts';
import { type MappedPage, type MappedRow, type PageTools, readMappedPage } from './plan-page.ts';
import type { GoodColumns, ThreadAnswer, ThreadInput } from './plan-thread.ts';

export interface PageReader {
  /** @param more whether the following page will be requested too */
  next(more: boolean): Promise<MappedPage>;
  close(): Promise<void>;
}

export interface ReaderOptions {
  readonly spec: RunSpec;
  readonly tools: PageTools;
  readonly cursor: SourceCursor | null;
  readonly since: SourceCursor | null;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** Base folder for the paths of file sources. When set, pages after the first are mapped in a separate thread. */
  readonly baseDir?: string | undefined;
}

export function openPageReader(options: ReaderOptions): PageReader {
  const { tools, since, limit, signal, spec, baseDir } = options;
  const threaded = baseDir !== undefined && (spec.source.type === 'csv' || spec.source.type === 'jsonl');
  let cursor = options.cursor;
  let thread: ThreadReader | null = null;
  let ahead: Promise<MappedPage> | null = null;
  const read = (from: SourceCursor | null) => readMappedPage(tools, { cursor: from, since, limit, signal });
  const inThread = (from: SourceCursor) =>
    (thread ??= new ThreadReader({
      spec,
      baseDir: baseDir ?? '',
      cursor: from,
      since,
      limit,
      slow: tools.slow.rows,
    }));

  return {
    async next(more) {
      const page =
        threaded && cursor !== null ? await inThread(cursor).next() : await (ahead ?? read(cursor));
      ahead = null;
      cursor = page.next;
      if (more && cursor !== null) {
        if (threaded) inThread(cursor);
        else {
          ahead = read(cursor);
          // The error is reported when the page is requested.
          ahead.catch(() => undefined);
        }
      }
      return page;
    },
    async close() {
      await thread?.close();
      await ahead?.catch(() => undefined);
    },
  };
}

// Node runs the source of the thread as it is, so tests use the same thread.
const THREAD = `./plan-thread${extname(import.meta.url)}`;
const MEMORY_MB = 192;
const TOO_MUCH_MEMORY: ThreadAnswer = {
  kind: 'stopped',
  message: `mapping a page of rows took more than ${MEMORY_MB} MB of memory: an expression of the mapping makes a value that is too large, or the cells of the source are`,
};

/** This thread's side of plan-thread.ts. */
class ThreadReader {
  readonly #worker: Worker;
  readonly #answers: ThreadAnswer[] = [];
  #wake: (() => void) | null = null;

  constructor(input: ThreadInput) {
    this.#worker = new Worker(new URL(THREAD, import.meta.url), {
      workerData: input,
      // Options of this process, such as --input-type, may not suit a file.
      execArgv: [],
      // Measured: pages of 4,000 rows need 60 MB; unbounded, V8 lets garbage grow to 400 MB.
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 },
    });
    const put = (answer: ThreadAnswer) => {
      this.#answers.push(answer);
      this.#wake?.();
    };
    this.#worker.on('message', put);
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      put(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_MUCH_MEMORY : { kind: 'error', error }),
    );
    this.#worker.on('exit', (code) =>
      put({ kind: 'error', error: new Error(`the thread that reads the source ended with code ${code}`) }),
    );
  }

  async next(): Promise<MappedPage> {
    while (this.#answers.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const answer = this.#answers.shift() as ThreadAnswer;
    if (answer.kind === 'source') throw new SourceError(answer.code, answer.message);
    if (answer.kind === 'stopped') throw new MappingStoppedError(answer.message);
    if (answer.kind === 'error') throw answer.error;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage('taken');
    return { ...answer.page, good: toRows(answer.good) };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** @see GoodColumns */
function toRows({ rows, shapes, stages, ...texts }: GoodColumns): MappedRow[] {
  const [keys, hashes, jsons] = [texts.keys, texts.hashes, texts.jsons].map((text) => text.split('\n'));
  return stages.map((stage, n) => ({
    row: rows[n] as number,
    key: keys?.[n] as string,
    hashes: hashes?.[n] as string,
    stage,
    json: jsons?.[n] as string,
    shape: shapes[n] as number,
  }));
}
