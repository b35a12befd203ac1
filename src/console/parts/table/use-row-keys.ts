// Moves between the rows of a table by keyboard. One row is in the tab order; arrows move on from there.
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';

/** Rows of a page that Page Up and Page Down skip. */
const PAGE_ROWS = 10;

export function useRowKeys(
  view: RefObject<HTMLElement | null>,
  count: number,
  scrollTo: (index: number) => void,
) {
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);
  // The row may come into being some renders after the scroll to it.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = view.current?.querySelector<HTMLElement>(
      `[data-index="${wanted.current}"] [data-row-button]`,
    );
    if (row === null || row === undefined) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  const focus = (index: number) => {
    wanted.current = index;
    setActive(index);
    scrollTo(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).hasAttribute('data-row-button')) return;
    const step = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE_ROWS,
      PageUp: -PAGE_ROWS,
      Home: -count,
      End: count,
    }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    focus(Math.min(count - 1, Math.max(0, active + step)));
  };
  return { active: Math.min(active, Math.max(0, count - 1)), setActive, onKeyDown };
}
