// Replaces the configuration file by a valid one, and never overwrites an edit that somebody else made meanwhile.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { ConfigError, nameProblem } from '../../core/config/errors.ts';
import { OperatorError } from '../../operator/error.ts';
import { CONFIG_CHECKS } from '../config-checks.ts';
import { type ConfigEdit, NO_SECRETS } from './edits.ts';
import { editConfig } from './run-edit.ts';

/**
 * @param edit what a user sent. It reaches this thread as the text of a valid configuration only
 * @param accept throws when the new configuration is valid, and must not be written all the same
 * @param check throws when the text of the file, before the edit, is not the one that the edit is for
 * @returns the new configuration
 * @throws OperatorError (invalid) naming every problem of the new text; (conflict) when the file was changed meanwhile
 */
export async function writeConfig(
  file: string,
  edit: ConfigEdit,
  {
    check = () => undefined,
    accept = () => undefined,
  }: { readonly check?: (text: string) => void; readonly accept?: (next: LoadedConfig) => void } = {},
): Promise<LoadedConfig> {
  const before = await readFile(file, 'utf8');
  check(before);
  const { mode } = await stat(file);
  const text = await editConfig(edit, { file, text: before });
  const draft = join(dirname(file), `.sluice-${randomUUID()}.yaml`);
  try {
    await writeFile(draft, text, { mode: mode & 0o777, flag: 'wx' });
    const loaded = await loadConfig(draft, { ...NO_SECRETS, ...CONFIG_CHECKS }).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      const message = error.problems.map(nameProblem).join('\n').replaceAll(draft, 'the configuration file');
      throw new OperatorError('invalid', message, { code: 'CONFIG', cause: error });
    });
    accept(loaded);
    // Without a pause between the two: another edit in this process would be overwritten.
    if (readFileSync(file, 'utf8') !== before)
      throw new OperatorError(
        'conflict',
        'the configuration file was changed at the same moment; nothing was written, so try again',
        { code: 'CONFIG_CHANGED' },
      );
    renameSync(draft, file);
    return loaded;
  } finally {
    await rm(draft, { force: true });
  }
}
