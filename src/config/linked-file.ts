// A file that sluice.yaml names: read relative to it, with mistakes shown where they stand.
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigFileError, type ConfigProblem } from './errors.ts';
import { readYamlFile, type YamlFile } from './yaml-file.ts';

export interface LinkedFile {
  /** Where to point further problems; the naming file when this one can't be read. */
  readonly file: YamlFile;
  /** What is wrong; the value counts only when nothing is. */
  readonly problems: readonly ConfigProblem[];
}

/** @param at the place in `main` that names the file; `what` it is, for the message */
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
