// A client without a wire, for a command that has opened the ledger itself.
import type { Caller } from '../service/caller.ts';
import type { Dispatch } from '../service/dispatch.ts';
import type { OperatorClient } from './client.ts';

export function localClient(dispatch: Dispatch, caller: Caller): OperatorClient {
  return {
    call: async (route, input) => (await dispatch(route, input, caller)) as never,
  };
}
