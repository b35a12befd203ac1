// When a running process loads a changed configuration.
import { z } from 'zod';
import { durationWithin } from '../../core/config/base.ts';

export const ReloadConfig = z.strictObject({
  watch: z.boolean().default(true).meta({
    description:
      'Whether a running process loads the configuration by itself when one of its files, or a secret in a file, has changed. false: only on SIGHUP and on `sluice config reload`. Default: true.',
  }),
  every: durationWithin('500ms', '10m').default('2s').meta({
    description:
      'Time between two checks of the files, 500ms to 10m. A changed file must be the same in two checks, so that a file which is being written is not loaded. Default: 2s.',
  }),
  commands: durationWithin('10s', '1d').default('5m').meta({
    description:
      'Time between two runs of each command: secret, 10s to 1d. A new value is used at once; the last one stays in use when a command fails. Default: 5m.',
  }),
});
export type ReloadConfig = z.infer<typeof ReloadConfig>;
