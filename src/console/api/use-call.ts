// Reading: `useCall` for one answer, `usePages` for a list that the server gives in pages.
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Input, Output, Route } from './client.ts';
import { againIfAway, isLongList } from './query-client.ts';
import { useClient } from './session.tsx';
import { topicsOf } from './topics.ts';

export interface CallSettings {
  /** False: not yet, for example because nothing was chosen. */
  readonly enabled?: boolean;
  /** Topics of changes that make the answer old, besides the route's own. */
  readonly topics?: readonly string[];
  /** Reads again after this many milliseconds, for figures that no change announces. */
  readonly everyMs?: number;
}

/** `const { data, error } = useCall('GET /syncs/{sync}/runs', { sync })`: stays up to date while it is shown. */
export function useCall<R extends Route>(
  route: R,
  input: Input<R>,
  { enabled = true, topics = [], everyMs }: CallSettings = {},
) {
  const client = useClient();
  return useQuery({
    queryKey: [route, input],
    queryFn: ({ signal }) => client.call(route, input, { signal }),
    enabled,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    meta: { topics: [...topicsOf(route), ...topics] },
  });
}

const NO_PAGES: readonly never[] = [];

/** The lists of an answer by name: `runs` of `{ runs, next }`. */
type ListsOf<T> = { [K in keyof T]: T[K] extends readonly unknown[] ? K : never }[keyof T];
type ItemOf<T, K extends keyof T> = T[K] extends readonly (infer I)[] ? I : never;

export interface PageSettings extends CallSettings {
  /** Field of the input that takes the `next` of the page before. */
  readonly cursor?: string;
}

/**
 * A list of any length: `usePages('GET /syncs/{sync}/runs', { sync }, 'runs')`. Give it to DataTable.
 * @public
 */
export function usePages<R extends Route, K extends ListsOf<Output<R>>>(
  route: R,
  input: Input<R>,
  list: K,
  { enabled = true, topics = [], everyMs, cursor = 'before' }: PageSettings = {},
) {
  const client = useClient();
  const queries = useQueryClient();
  const key = [route, input, 'pages'];
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ signal, pageParam }) =>
      client.call(route, withCursor(input, cursor, pageParam) as Input<R>, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { readonly next?: string | null }).next ?? null,
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: (current) =>
      isLongList(current.state.data) ? false : (everyMs ?? againIfAway(current)),
    refetchOnWindowFocus: (current) => !isLongList(current.state.data),
    refetchOnReconnect: (current) => !isLongList(current.state.data),
    meta: { topics: [...topicsOf(route), ...topics] },
  });
  const rows = (query.data?.pages ?? []).flatMap((page) => page[list] as readonly ItemOf<Output<R>, K>[]);
  return {
    rows,
    /** Fields of the first page besides the list, for example a total. */
    first: query.data?.pages[0],
    /** All pages, for what goes with the rows of each. */
    pages: query.data?.pages ?? NO_PAGES,
    isLoading: query.isLoading,
    isRefreshing: query.isFetching && !query.isFetchingNextPage,
    /** The list is too long to be read again by itself, and may have changed. */
    isOutdated: query.isStale && isLongList(query.data),
    isLoadingMore: query.isFetchingNextPage,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    error: query.error,
    retry: () => void query.refetch(),
    /** Reads the first page again, and drops the others. */
    restart: () => void queries.resetQueries({ queryKey: key }),
  };
}

export interface Pages<T> {
  readonly rows: readonly T[];
  readonly isLoading: boolean;
  readonly isRefreshing: boolean;
  readonly isOutdated: boolean;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  loadMore(): void;
  readonly error: Error | null;
  retry(): void;
  restart(): void;
}

function withCursor(input: object, name: string, cursor: string | null): object {
  return cursor === null ? input : Object.assign({}, input, { [name]: cursor });
}
