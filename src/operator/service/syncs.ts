// Syncs as operators see and steer them.
import type { SYNCS } from '../../contracts/operator/syncs.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

export function syncHandlers({ config }: OperatorDeps): Handlers<keyof typeof SYNCS> {
  return {
    'GET /syncs/{sync}/runs': async ({ sync }) => {
      config().spec(sync);
      return { runs: [], next: null };
    },
  };
}
