// Asks before a far-reaching command: says what it will do, and takes a reason for the audit log.
import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useRef, useState } from 'react';
import type { Answer, Question } from './confirm-dialog.tsx';

type Ask = (question: Question) => Promise<Answer | null>;

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx'));
const ConfirmContext = createContext<Ask>(() => Promise.resolve(null));

/** `const answer = await confirm({ … }); if (answer !== null) cancel.run({ run, reason: answer.reason })` */
export const useConfirm = () => use(ConfirmContext);

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null);
  /** Number of the question: each begins with an empty reason. */
  const [number, setNumber] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const settle = useRef<(answer: Answer | null) => void>(() => undefined);
  const ask = useCallback<Ask>((asked) => {
    setQuestion(asked);
    setNumber((before) => before + 1);
    setOpen(true);
    return new Promise((resolve) => {
      settle.current = resolve;
    });
  }, []);
  const close = (answer: Answer | null) => {
    setOpen(false);
    settle.current(answer);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      {question !== null && (
        <Suspense>
          <ConfirmDialog key={number} question={question} isOpen={isOpen} onAnswer={close} />
        </Suspense>
      )}
    </ConfirmContext>
  );
}
