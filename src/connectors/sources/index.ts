// Opens a source from its configuration.

import type { Source } from '../../core/source.ts';
import type { SourceConfig } from './config.ts';
import { csvSource } from './csv/csv.ts';
import { httpSource } from './http/http.ts';
import { jsonlSource } from './jsonl.ts';
import { postgresSource } from './postgres/postgres.ts';

/**
 * Returns the source that `config` describes. It opens nothing before the first `read`.
 * @param options.baseDir folder that relative paths start from: the folder of the configuration file
 * @param options.secret resolves env:NAME and file:path when a read needs one
 */
export function openSource(
  config: SourceConfig,
  options: { baseDir: string; secret?: (ref: string) => Promise<string> },
): Source {
  const secret = options.secret ?? noSecret;
  switch (config.type) {
    case 'csv':
      return csvSource(config, options.baseDir);
    case 'jsonl':
      return jsonlSource(config, options.baseDir);
    case 'postgres':
      return postgresSource(config, secret);
    case 'http':
      return httpSource(config, secret);
  }
}

async function noSecret(ref: string): Promise<never> {
  throw new Error(`${ref} can't be resolved here`);
}
