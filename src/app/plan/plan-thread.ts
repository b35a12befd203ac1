// The thread in which a dry run works. The main thread listens to signals and can end it anywhere: in an
// endless expression, in a statement of the ledger, or while a source does not answer.
import { parentPort, workerData } from 'node:worker_threads';
import { answerOf, type PlanAnswer } from './plan-answer.ts';
import { type PlanInput, planHere } from './plan-here.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (answer: PlanAnswer) => parentPort?.postMessage(answer);
try {
  await planHere(workerData as PlanInput, ({ read, share }) => say({ kind: 'progress', read, share }), {
    plan: async (plan) => say({ kind: 'plan', plan }),
    problems: (problems) =>
      new Promise((taken) => {
        parentPort?.once('message', () => taken());
        say({ kind: 'problems', problems });
      }),
  });
} catch (error) {
  say(answerOf(error));
}
