// The thread that evaluates the expressions of one request. See confined.ts.
import { parentPort } from 'node:worker_threads';
import { ValueError } from '../errors.ts';
import { compileJsonata, type Evaluate } from './jsonata.ts';

export interface ConfinedQuestion {
  readonly id: number;
  readonly source: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export type ConfinedAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly code: string; readonly reason: string };

const compiled = new Map<string, Evaluate>();

function evaluatorOf(source: string): Evaluate {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const made = compileJsonata(source, []);
  compiled.set(source, made);
  return made;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (answer: ConfinedAnswer) => parentPort?.postMessage(answer);

async function answer({ id, source, values }: ConfinedQuestion): Promise<void> {
  try {
    say({ id, value: await evaluatorOf(source)(values) });
  } catch (error) {
    if (error instanceof ValueError) return say({ id, code: error.code, reason: error.message });
    // A result that cannot leave the thread, such as a function inside an object. The message may quote the row.
    say({ id, code: 'expression_failed', reason: 'the JSONata expression gives no plain value on this row' });
  }
}

parentPort?.on('message', (question: ConfinedQuestion) => void answer(question));
