// `sluice init`: a folder that works at once, and teaches while it is read.
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { configJsonSchema } from '../../config/json-schema.ts';
import { makeFolder } from '../../core/lock/make-folder.ts';
import { PRESETS } from '../../recognize/presets.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { describeCsvInit, reportOf } from './describe-csv.ts';
import { initFromCsv } from './init-csv.ts';
import { ENV_EXAMPLE, GIT_IGNORE, INIT_TOKEN, LEADS_CSV, SANDBOX_YAML, SLUICE_YAML } from './init-files.ts';
import { projectFiles } from './init-project.ts';

const IGNORE_FILE = '.gitignore';

interface Options {
  readonly dir: string;
  readonly force: boolean;
  readonly csv?: string;
  readonly preset?: string;
  readonly json: boolean;
}

export function registerInit(program: Command): void {
  program
    .command('init')
    .description('create a configuration with a sample export that works with the sandbox')
    .option('--dir <dir>', 'folder to create the files in', '.')
    .option('--force', 'overwrite existing files', false)
    .option('--csv <file>', 'recognize this export, and write a mapping for it')
    .addOption(
      new Option('--preset <name>', 'with --csv: mapping of a CRM (default: the recognized one)').choices([
        ...PRESETS,
        'none',
      ]),
    )
    .option('--json', 'print what was written as JSON, and with --csv what was recognized', false)
    .action(async (options: Options, command: Command) => {
      const { dir, force, csv, preset, json } = options;
      if (csv === undefined && preset !== undefined)
        throw new CliError(EXIT.usage, '--preset is for --csv: it names the CRM that wrote the export');
      const out = (text: string) => command.configureOutput().writeOut?.(`${text}\n`);
      const say = (text: string) => command.configureOutput().writeErr?.(`${text}\n`);
      if (csv === undefined) {
        const written = await initFolder(dir, { force });
        if (json) out(JSON.stringify({ dir, written }));
        else say(nextSteps(dir, written, 'run').join('\n'));
        return;
      }
      const made = await initFromCsv(dir, csv, preset);
      const project = projectFiles(dir, { hasSample: false });
      const written = await writeFiles(dir, { ...made.files, ...schemaFile() }, project, { force });
      if (json) out(JSON.stringify({ dir, written, ...reportOf(made) }));
      else {
        out(describeCsvInit(made).join('\n'));
        say(['', ...nextSteps(dir, written, 'plan')].join('\n'));
      }
    });
}

function schemaFile(): Readonly<Record<string, string>> {
  return { 'sluice.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n` };
}

function files(): Readonly<Record<string, string>> {
  return {
    'sluice.yaml': SLUICE_YAML,
    ...schemaFile(),
    'sandbox.yaml': SANDBOX_YAML,
    'data/leads.csv': LEADS_CSV,
    '.env.example': ENV_EXAMPLE,
    [IGNORE_FILE]: GIT_IGNORE,
  };
}

/**
 * Writes the sample and the files of a project around it. All or nothing: when one file of the sample is there already
 * and `force` is not set, none is written. A `.gitignore` and files of a project that exist are kept.
 * @returns paths relative to `dir`
 * @throws CliError (conflict) naming the files in the way
 * @throws FolderPathError when there can be no such folder
 */
async function initFolder(dir: string, options: { force: boolean }): Promise<string[]> {
  return await writeFiles(dir, files(), projectFiles(dir, { hasSample: true }), options);
}

async function writeFiles(
  dir: string,
  contents: Readonly<Record<string, string>>,
  project: Readonly<Record<string, string>>,
  options: { force: boolean },
): Promise<string[]> {
  const own = Object.entries(contents).filter(([path]) => path !== IGNORE_FILE);
  if (!options.force) {
    const taken: string[] = [];
    for (const [path] of own) if (await exists(join(dir, path))) taken.push(join(dir, path));
    if (taken.length > 0) {
      const verb = taken.length === 1 ? 'is' : 'are';
      const out = 'nothing was written; use --force to overwrite, or --dir for another folder';
      throw new CliError(EXIT.conflict, `${taken.join(', ')} ${verb} there already: ${out}`);
    }
  }
  // What a repository has of its own is kept, with its dependencies and its rules.
  const around: [string, string][] = [];
  for (const [path, text] of Object.entries({ [IGNORE_FILE]: contents[IGNORE_FILE] ?? '', ...project }))
    if (!(await exists(join(dir, path)))) around.push([path, text]);
  for (const [path, text] of own) await write(path, text, options.force ? 'w' : 'wx');
  for (const [path, text] of around) await write(path, text, 'wx');
  return [...own, ...around].map(([path]) => path);

  // wx: a file that appeared since the check above is not overwritten either.
  async function write(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
    const target = join(dir, path);
    await makeFolder(dirname(target));
    await writeFile(target, text, { flag });
  }
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

/** How to call this very program from `dir`: npx finds it inside its own folder, and where it is installed. */
function commandFrom(dir: string): string {
  const root = resolve(import.meta.dirname, '../../../..');
  const inside = !relative(root, resolve(dir)).startsWith('..');
  return inside || isInstalled(resolve(dir))
    ? 'npx sluice'
    : `node ${join(import.meta.dirname, '../main.js')}`;
}

function isInstalled(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules/sluice/package.json'))) return true;
  return folder !== dirname(folder) && isInstalled(dirname(folder));
}

function nextSteps(dir: string, written: readonly string[], first: 'run' | 'plan'): string[] {
  const sluice = commandFrom(dir);
  return [
    ...written.map((path) => `wrote ${join(dir, path)}`),
    '',
    'Try it:',
    ...(dir === '.' ? [] : [`  cd ${dir}`]),
    `  ${sluice} sandbox --port 4010 --fixture sandbox.yaml    # in a terminal of its own`,
    `  export ACME_TOKEN=${INIT_TOKEN}`,
    `  ${sluice} config check`,
    `  ${sluice} sync ${first} leads`,
    '',
    written.includes(IGNORE_FILE)
      ? '.gitignore keeps secrets, state and exports of customers out of git.'
      : 'Keep .env, .sluice/ and exports of customers out of version control.',
  ];
}
