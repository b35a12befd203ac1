// Who is logged in, and the client that speaks for them.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo } from 'react';
import type { OperatorClient } from '../../operator/client/client.ts';
import { browserClient, type Output } from './client.ts';
import { SESSION_KEY } from './query-client.ts';
import { ROLE_ORDER, type RoleName } from './roles.ts';

export type Session = Output<'GET /session'>;

const ClientContext = createContext<OperatorClient | null>(null);

/** Calls always carry the CSRF token of the newest session. */
export function ClientProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const client = useMemo(
    () => browserClient(() => queries.getQueryData<Session>(SESSION_KEY)?.csrfToken ?? null),
    [queries],
  );
  return <ClientContext value={client}>{children}</ClientContext>;
}

export function useClient(): OperatorClient {
  const client = use(ClientContext);
  if (client === null) throw new Error('useClient needs a ClientProvider above it');
  return client;
}

export function useSession() {
  const client = useClient();
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => client.call('GET /session', {}, { signal }),
    meta: { topics: ['session'] },
    staleTime: 60_000,
  });
}

/** Who is logged in, or was until the session expired: what they typed stays in the open screen meanwhile. */
export interface Viewer {
  readonly user: NonNullable<Session['user']>;
  /** Call it at a logout: nothing of what this viewer saw or typed stays for the next one. */
  leave(): void;
}

export const ViewerContext = createContext<Viewer | null>(null);

export function useViewer(): Viewer | null {
  return use(ViewerContext);
}

/** Whether the viewer may use what needs the role `least`. The server decides; this only spares useless buttons. */
export function useMay(least: RoleName): boolean {
  const role = useViewer()?.user.role;
  return role !== undefined && ROLE_ORDER.indexOf(role) >= ROLE_ORDER.indexOf(least);
}
