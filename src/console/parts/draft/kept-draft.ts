// What somebody typed into a form, kept by the tab of the browser until it is sent or discarded.

/** Kept values of an older shape are not read: raise it when the shape of a form's values changes. */
const PREFIX = 'sluice:draft:1:';

export interface KeptDraft<T> {
  /** When it was typed, in ISO 8601. */
  readonly at: string;
  readonly value: T;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function readDraft<T>(store: Store, key: string): KeptDraft<T> | null {
  const text = store.getItem(PREFIX + key);
  return text === null ? null : (JSON.parse(text) as KeptDraft<T>);
}

/** A value that is kept already keeps its time. */
export function keepDraft(store: Store, key: string, value: unknown, now: Date): void {
  const kept = readDraft(store, key);
  if (kept !== null && isSame(kept.value, value)) return;
  store.setItem(PREFIX + key, JSON.stringify({ at: now.toISOString(), value }));
}

export function dropDraft(store: Store, key: string): void {
  store.removeItem(PREFIX + key);
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
