// The values of a form, which survive a reload, "back" and an expired session.
import { useEffect, useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { dropDraft, isSame, keepDraft, readDraft } from './kept-draft.ts';

export interface Draft<T> {
  readonly value: T;
  set(change: (now: T) => T): void;
  /** When the restored values were typed, in ISO 8601; null when nothing was restored. */
  readonly restoredAt: string | null;
  /** Discards what was typed. */
  startOver(): void;
  /** What was typed is sent: the tab forgets it, and the form continues from `change` of it. */
  done(change?: (now: T) => T): void;
}

/**
 * Holds the values of a form as plain data. The tab keeps them for this user until `done` or `startOver`. Give the
 * component a React key that changes with `name`.
 * @param name of the screen and of what the form is about: `campaigns/volta`
 * @param initial values of an untouched form
 * @param mayKeep false for values that must not stay in the browser, for example phone numbers
 */
export function useDraft<T>(name: string, initial: T, mayKeep: (value: T) => boolean = () => true): Draft<T> {
  const identity = useSession().data?.user?.identity ?? '';
  // A session that expires while the form is open takes nothing from its owner.
  const [key] = useState(`${identity}:${name}`);
  const [kept] = useState(() => readDraft<T>(sessionStorage, key));
  const [base, setBase] = useState(initial);
  const [value, setValue] = useState(kept === null ? initial : kept.value);
  const [restoredAt, setRestoredAt] = useState(kept?.at ?? null);
  const isWorthKeeping = !isSame(value, base) && mayKeep(value);
  useEffect(() => {
    if (isWorthKeeping) keepDraft(sessionStorage, key, value, new Date());
    else dropDraft(sessionStorage, key);
  }, [isWorthKeeping, key, value]);
  const forget = (next: T) => {
    dropDraft(sessionStorage, key);
    setBase(next);
    setValue(next);
    setRestoredAt(null);
  };
  return {
    value,
    set: (change) => setValue(change),
    restoredAt,
    startOver: () => forget(initial),
    done: (change = (now) => now) => forget(change(value)),
  };
}
