// The part `temporal` of sluice.yaml: encryption of what Temporal stores.
import { z } from 'zod';
import { encryptionKeys } from './encryption.ts';

export const TemporalConfig = z.strictObject({
  encryption: z
    .strictObject({
      keys: encryptionKeys(
        'Keys of AES-256-GCM. The first one encrypts; all of them decrypt. Add a new key at the end in every process before you move it to the front, and keep an old one for as long as Temporal keeps workflows. Default: []; payloads are not encrypted.',
      ),
    })
    .prefault({})
    .meta({
      description:
        'Encrypts inputs, results, heartbeats and failure texts of workflows before they leave the process. Default: off.',
    }),
});
export type TemporalConfig = z.infer<typeof TemporalConfig>;
