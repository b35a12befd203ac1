// The folder of downloaded programs, for all projects of a user.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** `$XDG_CACHE_HOME/sluice`, else `~/.cache/sluice`. A relative XDG_CACHE_HOME is ignored, as its standard requires. */
export function cacheDirOf(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env.XDG_CACHE_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'sluice');
}

/** Where downloads go if the folder of `cacheDirOf` cannot be written to. */
export const spareDirOf = (stateDir: string): string => join(stateDir, 'downloads');
