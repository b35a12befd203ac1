// The configuration file as it is now, which may be newer than what is in use.

import type { LoadedConfig } from '../config/load.ts';
import { ConfigError, ConfigFileError } from '../core/config/errors.ts';

/** The file as it is now; what is in use when the file is broken. */
export async function onDisk(loaded: LoadedConfig): Promise<LoadedConfig> {
  return await loaded.reload().catch((error: unknown) => {
    if (error instanceof ConfigError || error instanceof ConfigFileError) return loaded;
    throw error;
  });
}
