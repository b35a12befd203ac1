// The front of the command line: it answers help and mistyped words and names from the tree of commands as data, and
// loads the code of a command only to run it.
import { Command } from 'commander';
import { UnknownNameError } from '../core/config/errors.ts';
import { groupCommands } from './command-groups.ts';
import { addExamples } from './examples.ts';
import { findPlace, type Given } from './lib/connect/place.ts';
import { checkName, kindOfArgument, readNames } from './lib/names.ts';
import { addShape, type CommandShape } from './lib/shape.ts';
import { type Appearance, dressProgram } from './program.ts';

/** Runs a command whose words, options and names are right. */
type Run = (group: string, command: Command) => Promise<void>;

export function createFront(
  shapes: readonly CommandShape[],
  appearance: Appearance,
  env: NodeJS.ProcessEnv,
  run: Run,
): Command {
  const program = dressProgram(new Command('sluice'), appearance);
  for (const shape of shapes)
    addShape(program, shape, async (command) => {
      await checkNames(command, env);
      await run(shape.name, command);
    });
  groupCommands(program);
  addExamples(program);
  for (const [word, meant] of Object.entries(SYNONYMS)) addSynonym(program, word, meant);
  return program;
}

/** Words that people try, and the command that they mean. */
const SYNONYMS: Readonly<Record<string, string>> = { errors: 'failures', problems: 'failures' };

function addSynonym(program: Command, word: string, meant: string): void {
  program
    .command(word, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() =>
      program.error(`error: unknown command '${word}'\n(Did you mean ${meant}?)`, {
        code: 'commander.unknownCommand',
      }),
    );
}

/** Commands that also know what has left the configuration. */
const OF_LEDGER: Readonly<Record<string, readonly string[]>> = {
  events: ['list', 'retry'],
  outbox: ['list', 'retry'],
  poll: ['status', 'gaps'],
  sync: ['schedule'],
  campaign: ['list', 'status', 'audit', 'export', 'schedule'],
};

/** @throws UnknownNameError before anything is started */
async function checkNames(command: Command, env: NodeJS.ProcessEnv): Promise<void> {
  const options = command.opts<Given & { readonly server?: unknown }>();
  // A server elsewhere has a configuration of its own.
  if (options.server !== undefined || env.SLUICE_SERVER) return;
  try {
    checkOwnNames(command, env);
  } catch (error) {
    if (!(error instanceof UnknownNameError && (await isServed(options, env)))) throw error;
  }
}

/** Whether a process answers for the state folder: it may use another configuration, so it knows better. */
async function isServed(given: Given, env: NodeJS.ProcessEnv): Promise<boolean> {
  // Imported here: names that are right need no lock.
  const { readFolderLock } = await import('../core/lock/folder-lock.ts');
  const holder = await readFolderLock(findPlace(given, env).state);
  return typeof holder?.operator === 'string';
}

/** @throws UnknownNameError when the configuration of this folder does not have a name */
function checkOwnNames(command: Command, env: NodeJS.ProcessEnv): void {
  const options = command.opts<Given & { readonly account?: unknown }>();
  const [group = '', verb = ''] = wordsOf(command);
  const isOfLedger = OF_LEDGER[group]?.includes(verb) === true;
  // A command that reads no configuration knows its names from the ledger.
  const readsConfig = command.options.some((option) => option.attributeName() === 'config');
  if (!readsConfig || isOfLedger) return;
  const kind = kindOfArgument(group, command.registeredArguments[0]?.name() ?? '');
  const wanted =
    kind === null ? [] : [command.processedArgs[0]].flat().filter((name) => typeof name === 'string');
  if (wanted.length === 0 && typeof options.account !== 'string') return;
  const { config } = findPlace(options, env);
  const names = config === null ? null : readNames(config);
  if (names === null) return;
  if (typeof options.account === 'string') checkName(names, 'account', options.account);
  // The id of a run has slashes, and so has a poller with its account.
  for (const name of wanted) if (kind !== null && !name.includes('/')) checkName(names, kind, name);
}

/** `['sync', 'schedule', 'list']`. */
export function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}
