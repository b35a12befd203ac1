// The thread that parses and checks edits of the configuration that users sent, one at a time. See run-edit.ts.
import { parentPort } from 'node:worker_threads';
import { answerEdit, type EditAnswer, type EditInput } from './edits.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (message: 'ready' | EditAnswer) => parentPort?.postMessage(message);
parentPort?.on('message', async (input: EditInput) => say(await answerEdit(input)));
say('ready');
