// The part `ledger` of sluice.yaml: encryption of what the ledger stores.
import { z } from 'zod';
import { encryptionKeys } from './encryption.ts';

export const LedgerConfig = z.strictObject({
  encryption: z
    .strictObject({
      keys: encryptionKeys(
        'Keys of AES-256-GCM. The first one encrypts; all of them decrypt. Add a new key at the end in every process before you move it to the front. Sluice then encrypts everything with it, and refuses to start without an old key until that is done. Default: []; values are not encrypted.',
      ),
    })
    .prefault({})
    .meta({
      description:
        'Encrypts contents in the ledger: mapped rows, requests of events, texts of messages, files, extra fields and variables. Numbers, names and e-mail addresses stay readable for the search. Default: off.',
    }),
});
export type LedgerConfig = z.infer<typeof LedgerConfig>;
