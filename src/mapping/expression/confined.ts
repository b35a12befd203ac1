// Evaluates JSONata that a user sent with a request in a thread of its own. All expressions of the request share one
// time limit and one memory limit. An expression that never ends, or fills the memory, ends the thread and nothing else.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MappingStoppedError, ValueError } from '../errors.ts';
import type { ConfinedAnswer, ConfinedQuestion } from './confined-thread.ts';
import { type Evaluate, sharedJsonata } from './jsonata.ts';

export interface Confined {
  /** As `sharedJsonata`. The result rejects with MappingStoppedError once a limit is reached. */
  compile(source: string, at: readonly string[]): Evaluate;
  close(): Promise<void>;
}

export interface ConfinedLimits {
  /** Milliseconds for all evaluations of the request together. */
  readonly totalMs: number;
  readonly memoryMb: number;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

// Node runs the source of the thread as it is, so tests use the same thread.
const THREAD = `./confined-thread${extname(import.meta.url)}`;

export function openConfined({ totalMs, memoryMb }: ConfinedLimits): Confined {
  const check = sharedJsonata();
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let ended: Error | null = null;
  let questions = 0;
  let left = totalMs;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  const tooSlow = () =>
    new MappingStoppedError(
      `the expressions of this request took more than ${totalMs / 1000} s together; make them simpler`,
    );
  const tooMuch = () =>
    new MappingStoppedError(
      `the expressions of this request took more than ${memoryMb} MB of memory; make them simpler`,
    );

  function end(error: Error): void {
    ended ??= error;
    clearTimeout(timer);
    void worker?.terminate();
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  }

  function begin(): void {
    since = performance.now();
    timer = setTimeout(() => end(tooSlow()), Math.max(0, left));
  }

  /** Time counts while the thread has work, not while the rows are read. */
  function pause(): void {
    clearTimeout(timer);
    left -= performance.now() - since;
  }

  function open(): Worker {
    const opened = new Worker(new URL(THREAD, import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
    });
    opened.on('message', (answer: ConfinedAnswer) => {
      const asked = waiting.get(answer.id);
      if (!waiting.delete(answer.id)) return;
      if (waiting.size === 0) pause();
      if ('value' in answer) asked?.resolve(answer.value);
      else asked?.reject(new ValueError(answer.code, answer.reason, undefined));
    });
    opened.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : error),
    );
    opened.on('exit', () => end(tooMuch()));
    return opened;
  }

  return {
    compile(source, at) {
      // Parsed here as well: whatever is wrong with the expression is reported before any row.
      check(source, at);
      return (values) =>
        new Promise((resolve, reject) => {
          if (ended !== null) return reject(ended);
          worker ??= open();
          const question: ConfinedQuestion = { id: questions++, source, values };
          try {
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
            worker.postMessage(question);
          } catch (error) {
            return reject(error as Error);
          }
          waiting.set(question.id, { resolve, reject });
          if (waiting.size === 1) begin();
        });
    },
    async close() {
      ended ??= new MappingStoppedError('the request is over');
      clearTimeout(timer);
      await worker?.terminate();
    },
  };
}
