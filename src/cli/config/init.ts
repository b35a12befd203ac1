// `sluice init`: a folder that works at once, and teaches while it is read.
import { stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { configJsonSchema } from '../../config/json-schema.ts';
import { makeFolder } from '../../runtime/lock/make-folder.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { ENV_EXAMPLE, INIT_TOKEN, LEADS_CSV, SANDBOX_YAML, SLUICE_YAML } from './init-files.ts';

interface Options {
  readonly dir: string;
  readonly force: boolean;
}

export function registerInit(program: Command): void {
  program
    .command('init')
    .description('create a configuration with a sample export that works with the sandbox')
    .option('--dir <dir>', 'folder to create the files in', '.')
    .option('--force', 'overwrite existing files', false)
    .action(async ({ dir, force }: Options, command: Command) => {
      const written = await initFolder(dir, { force });
      command.configureOutput().writeErr?.(`${nextSteps(dir, written).join('\n')}\n`);
    });
}

function files(): Readonly<Record<string, string>> {
  return {
    'sluice.yaml': SLUICE_YAML,
    'sluice.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'sandbox.yaml': SANDBOX_YAML,
    'data/leads.csv': LEADS_CSV,
    '.env.example': ENV_EXAMPLE,
  };
}

/**
 * Writes the sample. All or nothing: when one file is there already and `force` is not set, none is written.
 * @returns paths relative to `dir`
 * @throws CliError (conflict) naming the files in the way
 * @throws FolderPathError when there can be no such folder
 */
export async function initFolder(dir: string, options: { force: boolean }): Promise<string[]> {
  const all = Object.entries(files());
  if (!options.force) {
    const taken: string[] = [];
    for (const [path] of all) if (await exists(join(dir, path))) taken.push(join(dir, path));
    if (taken.length > 0) {
      const verb = taken.length === 1 ? 'is' : 'are';
      const out = 'nothing was written; use --force to overwrite, or --dir for another folder';
      throw new CliError(EXIT.conflict, `${taken.join(', ')} ${verb} there already: ${out}`);
    }
  }
  for (const [path, text] of all) {
    const target = join(dir, path);
    await makeFolder(dirname(target));
    // wx: a file that appeared since the check above is not overwritten either.
    await writeFile(target, text, { flag: options.force ? 'w' : 'wx' });
  }
  return all.map(([path]) => path);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

/** How to call this very program from `dir`: npx knows it only inside its own folder. */
function commandFrom(dir: string): string {
  const root = resolve(import.meta.dirname, '../../../..');
  const inside = !relative(root, resolve(dir)).startsWith('..');
  return inside ? 'npx sluice' : `node ${join(import.meta.dirname, '../main.js')}`;
}

function nextSteps(dir: string, written: readonly string[]): string[] {
  const sluice = commandFrom(dir);
  return [
    ...written.map((path) => `wrote ${join(dir, path)}`),
    '',
    'Try it:',
    ...(dir === '.' ? [] : [`  cd ${dir}`]),
    `  ${sluice} sandbox --port 4010 --fixture sandbox.yaml    # in a terminal of its own`,
    `  export ACME_TOKEN=${INIT_TOKEN}`,
    `  ${sluice} config check`,
    `  ${sluice} sync run leads`,
    '',
    'Keep .env and .sluice/ out of version control.',
  ];
}
