// State that belongs into the address: filters, the tab, the chosen row. A link to it shows the same again.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** All values of the query are text: `?state=failed&sort=-startedAt`, readable in a message to a colleague. */
type UrlState = Readonly<Record<string, string>>;

type Change = Readonly<Record<string, string | null>>;

/**
 * All of the query, and a function that changes some of it. Null or '' removes a value.
 * @public
 */
export function useUrlState(): [
  UrlState,
  (change: Change, options?: { readonly replace?: boolean }) => void,
] {
  const state = useSearch({ strict: false }) as UrlState;
  const navigate = useNavigate();
  const change = useCallback(
    (values: Change, { replace = true }: { readonly replace?: boolean } = {}) => {
      const search = (before: UrlState) =>
        Object.fromEntries(
          Object.entries(Object.assign({}, before, values)).filter(
            ([, value]) => value !== null && value !== '',
          ),
        );
      void navigate({ to: '.', search: search as never, replace, resetScroll: false });
    },
    [navigate],
  );
  return [state, change];
}

/** One value: `const [tab, setTab] = useUrlValue('tab', 'rows')`. The fallback is not written into the address. */
export function useUrlValue<T extends string>(name: string, fallback: T): [T, (value: T) => void] {
  const [state, change] = useUrlState();
  const set = useCallback(
    (value: T) => change({ [name]: value === fallback ? null : value }),
    [change, name, fallback],
  );
  return [(state[name] as T | undefined) ?? fallback, set];
}
