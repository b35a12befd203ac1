// Keeps answers, and reads them again when the server announces a change.
import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { OperatorError } from '../../operator/error.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { readonly topics?: readonly string[] };
  }
}

/** Waits for the next announcement; without a live connection an answer is read again at this age. */
const STALE_MS = 15_000;
const RETRIES = 2;
/** What failed because a server was away is read again after this time, until it answers. */
const AGAIN_MS = 3000;

export const SESSION_KEY = ['GET /session', {}] as const;

export function createQueryClient(): QueryClient {
  // The frame shows the login or the enrolment, and comes back to this place.
  const showFrame = (error: unknown) => {
    if (error instanceof OperatorError && needsFrame(error))
      void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: showFrame }),
    mutationCache: new MutationCache({ onError: showFrame }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (failures, error) => isTransient(error) && failures < RETRIES,
        refetchOnWindowFocus: true,
        refetchInterval: againIfAway,
      },
      mutations: { retry: false },
    },
  });
  return client;
}

/** The session has expired, or needs a second factor from now on. */
function needsFrame({ kind, code }: OperatorError): boolean {
  return kind === 'unauthenticated' || code === 'SECOND_FACTOR_REQUIRED';
}

/** For queries that are not read at an interval of their own. */
export function againIfAway({
  state: { error },
}: {
  readonly state: { readonly error: Error | null };
}): number | false {
  return error !== null && isTransient(error) ? AGAIN_MS : false;
}

function isTransient(error: Error): boolean {
  return !(error instanceof OperatorError) || error.kind === 'unavailable';
}

/** Lists of more pages are not read again by themselves: that would be one call a page. The table offers it. */
const AUTO_PAGES = 5;

export function isLongList(data: unknown): boolean {
  const pages = (data as { readonly pages?: readonly unknown[] } | undefined)?.pages;
  return Array.isArray(pages) && pages.length > AUTO_PAGES;
}

/** Reads again whatever shows one of these topics. Null: everything, for example after a lost connection. */
export function invalidateTopics(client: QueryClient, topics: readonly string[] | null): void {
  const shows = ({ meta }: Query) =>
    topics === null || (meta?.topics?.some((topic) => topics.includes(topic)) ?? false);
  void client.invalidateQueries({ predicate: (query) => shows(query) && !isLongList(query.state.data) });
  void client.invalidateQueries({
    predicate: (query) => shows(query) && isLongList(query.state.data),
    refetchType: 'none',
  });
}
