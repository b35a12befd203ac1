// The HTTP source.
import type { HttpSource } from '../contracts/config.ts';
import { type Source, SourceError } from '../contracts/source.ts';
import type { SecretOf } from './secret.ts';

export function httpSource(config: HttpSource, _secret: SecretOf): Source {
  return {
    read: async () => {
      throw new SourceError('bad_config', `source ${config.url}: not there yet`);
    },
  };
}
