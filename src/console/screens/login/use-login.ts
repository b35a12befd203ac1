// A call that may log the viewer in.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Output } from '../../api/client.ts';
import { SESSION_KEY } from '../../api/query-client.ts';
import { useClient } from '../../api/session.tsx';

/** @param onPending a code is asked for; it is never asked for twice */
export function useLogin(
  call: (client: OperatorClient) => Promise<Output<'POST /login'>>,
  onPending?: (pending: string) => void,
) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(client),
    onSuccess: async ({ pending }) => {
      if (pending !== null) {
        onPending?.(pending);
        return;
      }
      // What an earlier viewer of this tab saw is not for this one.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
}
