// The live connection: the server announces topics that changed, and what shows them is read again.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { invalidateTopics } from './query-client.ts';
import { useSession } from './session.tsx';

export type LiveState = 'connecting' | 'live' | 'reconnecting';

const LiveContext = createContext<LiveState>('connecting');
const CHANGES = '/api/v1/changes';
/** After an answer that is not a stream the browser gives up. It is tried again at this interval. */
const RETRY_MS = 5000;
/** The viewer has opened too many tabs at once. Whichever they return to connects at once. */
const REPLACED_MS = 60_000;

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const user = useSession().data?.user;
  // Until then the server announces nothing.
  const identity = user?.needsSecondFactor === true ? undefined : user?.identity;
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    if (identity === undefined) return;
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasLost = false;
    const reconnectIn = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(connect, ms);
    };
    const connect = () => {
      clearTimeout(timer);
      source = new EventSource(CHANGES);
      source.addEventListener('open', () => {
        setState('live');
        // Announcements may have been missed.
        if (wasLost) invalidateTopics(queries, null);
        wasLost = false;
      });
      source.addEventListener('change', (event) => invalidateTopics(queries, topicsIn(event)));
      source.addEventListener('error', () => {
        wasLost = true;
        setState('reconnecting');
        if (source.readyState === EventSource.CLOSED) {
          invalidateTopics(queries, ['session']);
          reconnectIn(RETRY_MS);
        }
      });
      source.addEventListener('replaced', () => {
        source.close();
        wasLost = true;
        setState('reconnecting');
        reconnectIn(REPLACED_MS);
      });
    };
    // Browsers open six connections to a server over HTTP/1.1, so tabs in the background must not keep one each.
    const followVisibility = () => {
      if (document.visibilityState === 'hidden') {
        clearTimeout(timer);
        source.close();
        wasLost = true;
      } else if (source.readyState === EventSource.CLOSED) connect();
    };
    connect();
    document.addEventListener('visibilitychange', followVisibility);
    return () => {
      document.removeEventListener('visibilitychange', followVisibility);
      clearTimeout(timer);
      source.close();
    };
  }, [queries, identity]);
  return <LiveContext value={state}>{children}</LiveContext>;
}

export const useLive = () => use(LiveContext);

function topicsIn(event: MessageEvent<string>): readonly string[] {
  return (JSON.parse(event.data) as { readonly topics: readonly string[] }).topics;
}
