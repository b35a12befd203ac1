// Parses and checks what users send for the configuration, in a thread with limits: YAML of 100 kB that is all mistakes
// takes the parser seconds, and nobody else is answered meanwhile if it runs in the thread of the server.
import { extname } from 'node:path';
import { createThread, type ThreadLimits, ThreadStoppedError } from '../../core/thread.ts';
import type { DraftProblem } from '../../jobs/campaigns/contract/campaign-drafts.ts';
import { OperatorError } from '../../operator/error.ts';
import type { ConfigEdit, DraftCheck, EditAnswer, EditInput } from './edits.ts';

/** Measured: a valid campaign of 100 kB with 6,000 numbers to exclude takes 0.45 s and 66 MB. */
const LIMITS: ThreadLimits = { totalMs: 5000, memoryMb: 256 };

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

// Node runs the source of the thread as it is, so tests use the same thread.
const THREAD = new URL(`../../app/config-edit/edit-thread${extname(import.meta.url)}`, import.meta.url);
const IDLE_MS = 60_000;
const thread = createThread<EditInput, EditAnswer>(THREAD, IDLE_MS);

async function runInThread(input: EditInput, limits: ThreadLimits): Promise<EditAnswer> {
  try {
    return await thread.run(input, limits);
  } catch (error) {
    if (!(error instanceof ThreadStoppedError)) throw error;
    throw new OperatorError(
      'invalid',
      `checking what you sent took more than ${error.limit}; nothing was written. Send less, or write it into ${input.file} on the machine of Sluice`,
      { code: 'EDIT_STOPPED', cause: error },
    );
  }
}
