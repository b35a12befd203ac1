// Reads a file that sluice.yaml names. Its path is relative to sluice.yaml, and problems point into the file itself.
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigFileError, type ConfigProblem } from '../core/config/errors.ts';
import { readYamlFile, type YamlFile } from '../core/config/yaml-file.ts';

export interface LinkedFile {
  /** The file that further problems point to; the naming file when this one is unreadable. */
  readonly file: YamlFile;
  /** Problems so far; the value is valid only when there are none. */
  readonly problems: readonly ConfigProblem[];
}

/** @param at path in `main` that names the file @param what kind of file, for the message */
export async function readLinked(
  main: YamlFile,
  dir: string,
  at: readonly string[],
  path: string,
  what: string,
): Promise<LinkedFile> {
  try {
    const file = await readYamlFile(resolve(dir, path), join(dirname(main.file), path));
    return { file, problems: file.problems };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    const hint = `${what} is a file relative to ${basename(main.file)}`;
    const problem = main.problemAt(at, error.message, hint);
    return { file: main, problems: [{ ...problem, missingFile: error.code === 'not_found' }] };
  }
}
