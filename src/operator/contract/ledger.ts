// Endpoints of the ledger's backup and restore.
import { z } from 'zod';
import { Count, endpoint, Time } from '../../core/endpoint.ts';

export const LEDGER = {
  'POST /ledger/backup': endpoint({
    role: 'admin',
    summary: 'Copy the embedded ledger into a folder below the state folder. Work waits for the copy.',
    input: z.strictObject({}),
    audit: [],
    output: z.object({
      /** On the machine of the process. */
      folder: z.string(),
      takenAt: Time,
    }),
  }),
  'POST /ledger/end-restore': endpoint({
    role: 'admin',
    summary: 'End a restore: from now on, Sluice trusts the ledger, and campaigns may be planned.',
    input: z.strictObject({}),
    audit: [],
    output: z.object({
      /** The moment of the backup. */
      restoredTo: Time,
      /** Events whose effects are still being read back. */
      openEvents: Count,
    }),
  }),
} as const;
