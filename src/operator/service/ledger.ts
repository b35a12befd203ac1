// Backup of the ledger, and the end of a restore.

import { openRestore, endRestore as setEnded } from '../../protect/restore/restores.ts';
import type { LEDGER } from '../contract/ledger.ts';
import { OperatorError } from '../error.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

export function ledgerHandlers({ db, tools }: OperatorDeps): Handlers<keyof typeof LEDGER> {
  return {
    'POST /ledger/backup': async () => {
      if (db.kind === 'postgres')
        throw new OperatorError(
          'conflict',
          'the ledger is on PostgreSQL: back it up with the tools of that server, for example pg_dump',
          { code: 'LEDGER_SHARED' },
        );
      return await tools.backUpLedger();
    },
    'POST /ledger/end-restore': async (_, { identity }) => {
      const restore = await openRestore(db);
      if (restore === null || !(await setEnded(db, identity)))
        throw new OperatorError('notFound', 'the ledger is not a restored one, or its restore has ended', {
          code: 'NOT_RESTORED',
        });
      const [row] = await db.query<{ n: number }>(
        "select count(*)::int as n from events where state <> 'ended' and received_at < $1",
        [restore.at],
      );
      return { restoredTo: restore.restoredTo, openEvents: row?.n ?? 0 };
    },
  };
}
