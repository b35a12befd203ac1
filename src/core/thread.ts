// A thread beside the one that serves: its work may cost what its limits allow, and nobody else waits. Loading its
// modules takes 0.3 s of computing, so it stays a while for the next work.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, Worker } from 'node:worker_threads';

export interface ThreadLimits {
  /**
   * Milliseconds from the first line of the work to its result. Loading the modules does not count: on a busy machine
   * it takes seconds.
   */
  readonly totalMs?: number;
  readonly memoryMb: number;
}

/** The work exceeded a limit, and its thread was ended. */
export class ThreadStoppedError extends Error {
  override name = 'ThreadStoppedError';
  /** In words, such as `5 s`. */
  readonly limit: string;

  constructor(limit: string) {
    super(`the work took more than ${limit}`);
    this.limit = limit;
  }
}

export interface Thread<Input, Output> {
  /** @throws ThreadStoppedError; whatever the work throws */
  run(input: Input, limits: ThreadLimits): Promise<Output>;
}

/**
 * @param file module of the thread, which calls `serveThread`
 * @param idleMs how long a thread waits for more work. It never keeps the process alive
 */
export function createThread<Input, Output>(file: URL, idleMs: number): Thread<Input, Output> {
  let idle: { readonly worker: Worker; readonly memoryMb: number; release(): void } | null = null;

  function take(memoryMb: number): Worker | null {
    if (idle?.memoryMb !== memoryMb) return null;
    const { worker, release } = idle;
    idle = null;
    release();
    worker.ref();
    return worker;
  }

  function keep(worker: Worker, memoryMb: number): void {
    if (idle !== null) return end(worker);
    const drop = () => {
      release();
      idle = null;
      end(worker);
    };
    const timer = setTimeout(drop, idleMs).unref();
    const release = () => {
      clearTimeout(timer);
      worker.off('error', drop).off('exit', drop);
    };
    worker.once('error', drop).once('exit', drop);
    worker.unref();
    idle = { worker, memoryMb, release };
  }

  return {
    async run(input, { totalMs, memoryMb }) {
      const waiting = take(memoryMb);
      const worker =
        waiting ??
        new Worker(file, {
          // What this process was started with, as --input-type, need not suit a file.
          execArgv: [],
          resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
        });
      const over = new AbortController();
      const { signal } = over;
      const message = async () => {
        const [answer] = await once(worker, 'message', { signal });
        return answer as Output;
      };
      const ended = async () => {
        const [code] = await once(worker, 'exit', { signal });
        throw new Error(`the thread ended with code ${code}`);
      };
      const late = async (ms: number) => {
        await delay(ms, undefined, { signal });
        throw new ThreadStoppedError(`${ms / 1000} s`);
      };
      try {
        if (waiting === null) await Promise.race([message(), ended()]);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(input);
        const answer = await Promise.race([
          message(),
          ended(),
          ...(totalMs === undefined ? [] : [late(totalMs)]),
        ]);
        keep(worker, memoryMb);
        return answer;
      } catch (error) {
        end(worker);
        const isFull = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
        throw isFull ? new ThreadStoppedError(`${memoryMb} MB of memory`) : error;
      } finally {
        over.abort();
      }
    },
  };
}

/** Not awaited: V8 may take long to end what the thread does. */
function end(worker: Worker): void {
  // It may still fail, for example of memory. That changes no result, and an `error` that nobody listens to would end
  // the process.
  worker.on('error', () => undefined);
  void worker.terminate();
}

/** What the module of a thread calls once: it says that it is loaded, and then answers each message. */
export function serveThread(work: (input: never) => unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  const say = (message: unknown) => parentPort?.postMessage(message);
  parentPort?.on('message', async (input) => say(await work(input as never)));
  say('ready');
}
