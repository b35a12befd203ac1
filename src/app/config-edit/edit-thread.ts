// The thread that parses and checks one edit of the configuration that a user sent. See run-edit.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { answerEdit, type EditAnswer, type EditInput } from './edits.ts';

export type ThreadMessage = { readonly kind: 'began' } | EditAnswer;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (message: ThreadMessage) => parentPort?.postMessage(message);
// From here on the time limit counts: on a busy machine the modules above take seconds to load.
say({ kind: 'began' });
say(await answerEdit(workerData as EditInput));
