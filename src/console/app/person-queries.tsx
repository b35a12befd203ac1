// What viewers search people by stays in the memory of the page. The history of the tab, which browsers write to disk,
// has only a number that stands for it.
import { createContext, type ReactNode, use, useState } from 'react';

declare module '@tanstack/history' {
  interface HistoryState {
    /** Number of a search, see {@link usePersonQueries}. After a reload it stands for nothing. */
    readonly personSearch?: number;
  }
}

interface PersonQueries {
  /** @returns the state of a history entry that belongs to this search */
  stateOf(query: string): { readonly personSearch: number };
  /** The query of a history entry; empty if there is none. */
  queryOf(state: { readonly personSearch?: number }): string;
}

const Context = createContext<PersonQueries>({ stateOf: () => ({ personSearch: 0 }), queryOf: () => '' });

export const usePersonQueries = () => use(Context);

export function PersonQueriesProvider({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueries);
  return <Context value={queries}>{children}</Context>;
}

function createQueries(): PersonQueries {
  const queries = new Map<number, string>();
  const numbers = new Map<string, number>();
  // A reload keeps the numbers of the history: they must not stand for searches of the new page.
  const first = Math.floor(Math.random() * 1e12);
  return {
    stateOf(query) {
      const personSearch = numbers.get(query) ?? first + numbers.size;
      numbers.set(query, personSearch);
      queries.set(personSearch, query);
      return { personSearch };
    },
    queryOf: ({ personSearch }) => (personSearch === undefined ? '' : (queries.get(personSearch) ?? '')),
  };
}
