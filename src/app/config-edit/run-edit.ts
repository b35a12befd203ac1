// Parses and checks what users send for the configuration, in a thread with limits: YAML of 100 kB that is all mistakes
// takes the parser seconds, and nobody else is answered meanwhile if it runs in the thread of the server.
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { DraftProblem } from '../../jobs/campaigns/contract/campaign-drafts.ts';
import { OperatorError } from '../../operator/error.ts';
import type { ConfigEdit, DraftCheck, EditAnswer, EditInput } from './edits.ts';

export interface EditLimits {
  /** Milliseconds from the start of the parser to its result. */
  readonly totalMs: number;
  readonly memoryMb: number;
}

/** Measured: a valid campaign of 100 kB with 6,000 numbers to exclude takes 0.45 s and 66 MB. */
const LIMITS: EditLimits = { totalMs: 5000, memoryMb: 256 };

type Place = Omit<EditInput, 'work'>;

/**
 * @returns the text of the file with the edit, which is a valid configuration
 * @throws OperatorError (invalid) with every problem of the new text, or with the limit that it exceeds; (conflict)
 */
export async function editConfig(edit: ConfigEdit, place: Place, limits = LIMITS): Promise<string> {
  const answer = await runInThread({ ...place, work: edit }, limits);
  if (answer.kind === 'text') return answer.text;
  throw unexpected(answer);
}

/**
 * @returns the problems of a draft, see `checkDraft`
 * @throws OperatorError (invalid) when the file is no YAML, or the draft exceeds a limit
 */
export async function checkDraftOf(
  draft: Omit<DraftCheck, 'kind'>,
  place: Place,
  limits = LIMITS,
): Promise<DraftProblem[]> {
  const work = { kind: 'draft', campaign: draft.campaign, config: draft.config } as const;
  const answer = await runInThread({ ...place, work }, limits);
  if (answer.kind === 'problems') return answer.problems;
  throw unexpected(answer);
}

const KINDS: Readonly<Record<string, 'conflict' | 'notFound'>> = {
  NAME_TAKEN: 'conflict',
  NO_SUCH_CAMPAIGN: 'notFound',
  UNKNOWN_NAME: 'notFound',
  SYNC_ELSEWHERE: 'conflict',
  SYNC_SHARED: 'conflict',
};

function unexpected(answer: EditAnswer): Error {
  if (answer.kind !== 'refused') return new Error(`the thread answered ${answer.kind}`);
  const { code, message } = answer;
  return new OperatorError(KINDS[code] ?? 'invalid', message, { code });
}

async function runInThread(input: EditInput, { totalMs, memoryMb }: EditLimits): Promise<EditAnswer> {
  const stopped = (limit: string) =>
    new OperatorError(
      'invalid',
      `checking what you sent took more than ${limit}; nothing was written. Send less, or write it into ${input.file} on the machine of Sluice`,
      { code: 'EDIT_STOPPED' },
    );
  const waiting = takeIdle(memoryMb);
  const thread = waiting ?? startThread(memoryMb);
  const over = new AbortController();
  const { signal } = over;
  try {
    // On a busy machine its modules take seconds to load. No limit counts that time.
    if (waiting === null) await once(thread, 'message');
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(input);
    const answer = await Promise.race([
      once(thread, 'message', { signal }).then(([message]) => message as EditAnswer),
      once(thread, 'exit', { signal }).then(([code]) => {
        throw new Error(`the thread of an edit ended with code ${code}`);
      }),
      delay(totalMs, undefined, { signal }).then(() => {
        throw stopped(`${totalMs / 1000} s`);
      }),
    ]);
    await keepIdle(thread, memoryMb);
    return answer;
  } catch (error) {
    await thread.terminate();
    const isFull = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    throw isFull ? stopped(`${memoryMb} MB of memory`) : error;
  } finally {
    over.abort();
  }
}

function startThread(memoryMb: number): Worker {
  // Node runs the source of the thread as it is, so tests use the same thread.
  const file = `../../app/config-edit/edit-thread${extname(import.meta.url)}`;
  return new Worker(new URL(file, import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  });
}

/** Loading the modules of a thread takes 0.3 s of computing, so one stays for the next edit. */
const IDLE_MS = 60_000;
let idle: { readonly thread: Worker; readonly memoryMb: number; release(): void } | null = null;

function takeIdle(memoryMb: number): Worker | null {
  if (idle?.memoryMb !== memoryMb) return null;
  const { thread, release } = idle;
  idle = null;
  release();
  thread.ref();
  return thread;
}

async function keepIdle(thread: Worker, memoryMb: number): Promise<void> {
  if (idle !== null) return void (await thread.terminate());
  const end = () => {
    release();
    idle = null;
    void thread.terminate();
  };
  const timer = setTimeout(end, IDLE_MS).unref();
  const release = () => {
    clearTimeout(timer);
    thread.off('error', end).off('exit', end);
  };
  thread.once('error', end).once('exit', end);
  // The process may end while the thread waits.
  thread.unref();
  idle = { thread, memoryMb, release };
}
