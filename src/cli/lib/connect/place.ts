// Finds the configuration and the state folder of a command, also from a subfolder.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';

const CONFIG_NAME = 'sluice.yaml';
const STATE_NAME = '.sluice';

export interface Given {
  /** Value of `--config`. */
  readonly config?: string | undefined;
  /** Value of `--state`. */
  readonly state?: string | undefined;
}

export interface Place {
  /** Path as people read it, relative to `cwd` where it was searched; null when no folder has a sluice.yaml. */
  readonly config: string | null;
  /** Path of the state folder. It may not exist. */
  readonly state: string;
  /** Folders that were searched for a sluice.yaml; empty when an option or a variable names the file. */
  readonly searched: readonly string[];
}

/**
 * An option comes first, then SLUICE_CONFIG and SLUICE_STATE, then the nearest folder upward that has a sluice.yaml.
 * The state folder is beside the configuration, so that a command in a subfolder uses the same ledger.
 */
export function findPlace(given: Given, env: NodeJS.ProcessEnv, cwd = process.cwd()): Place {
  const named = given.config ?? (env.SLUICE_CONFIG || undefined);
  const { found, searched } = named === undefined ? searchUp(cwd) : { found: named, searched: [] };
  const folder = found === null ? cwd : dirname(resolve(cwd, found));
  return {
    config: found === null || found === named ? found : relative(cwd, found),
    state: given.state ?? (env.SLUICE_STATE || undefined) ?? (relative(cwd, join(folder, STATE_NAME)) || '.'),
    searched,
  };
}

function searchUp(cwd: string): { found: string | null; searched: readonly string[] } {
  const searched: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME);
    searched.push(folder);
    if (existsSync(file) && statSync(file).isFile()) return { found: file, searched };
    if (folder === dirname(folder)) return { found: null, searched };
  }
}

/**
 * Fills `--state` of a command that is about to run, when the command line does not name it. `--config` stays as the
 * user gave it; {@link findPlace} finds the file again.
 */
export function fillState(command: Command, env: NodeJS.ProcessEnv): void {
  const hasState = command.options.some((option) => option.attributeName() === 'state');
  if (!hasState || command.getOptionValueSource('state') !== undefined) return;
  const { config } = command.opts<Given>();
  command.setOptionValueWithSource('state', findPlace({ config }, env).state, 'implied');
}

/** Where a sluice.yaml was searched, for a message. */
export function describeSearch({ searched }: Place): string {
  const [nearest, ...above] = searched;
  if (nearest === undefined) return '';
  const count = above.length === 1 ? 'folder' : `${above.length} folders`;
  return above.length === 0 ? nearest : `${nearest} and the ${count} above it`;
}
