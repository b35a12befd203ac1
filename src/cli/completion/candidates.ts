// What may follow on a command line that is being typed: commands, options, and names of the configuration.
import { kindOfArgument, type NameKind } from '../lib/names.ts';
import type { CommandShape, OptionShape } from '../lib/shape.ts';

export interface Candidate {
  readonly text: string;
  readonly description: string;
}

/** Words to choose from, or the shell's own completion of paths. */
export type Completion = readonly Candidate[] | 'files' | 'folders';

/** The names of a configuration; `config` is the value of `--config`. */
type NamesOf = (kind: NameKind, config: string | undefined) => readonly string[];

/** What was typed before the current word. */
interface Typed {
  /** Words of the command: `['sync', 'run']`. */
  readonly path: readonly string[];
  /** Null before the first word: the program itself. */
  readonly command: CommandShape | null;
  /** Number of arguments that are complete. */
  readonly given: number;
  readonly options: ReadonlyMap<OptionShape, string | undefined>;
  /** The option whose value comes next. */
  readonly open: OptionShape | null;
  /** `--` ended the options. */
  readonly onlyArguments: boolean;
}

const HELP: OptionShape = optionOf('-h, --help', 'show the help of a command');
const VERSION: OptionShape = optionOf('-v, --version', 'print the version');

/** @param words what was typed after the name of the program; the last one is being typed and may be empty */
export function completionOf(
  shapes: readonly CommandShape[],
  words: readonly string[],
  namesOf: NamesOf,
): Completion {
  const current = words.at(-1) ?? '';
  const isHelp = words.length > 1 && words[0] === 'help';
  const typed = read(shapes, words.slice(isHelp ? 1 : 0, -1));
  if (isHelp) return beginning(current, commandsOf(shapes, typed));
  const valueOf = (option: OptionShape) =>
    valuesOf(option, [...typed.options].find(([{ flags }]) => longOf(flags) === '--config')?.[1], namesOf);
  if (typed.open !== null) return beginning(current, valueOf(typed.open));
  const assigned = /^(--[\w-]+)=(.*)$/.exec(current);
  if (assigned !== null && !typed.onlyArguments) {
    const option = findOption(typed, assigned[1] ?? '');
    return option === null ? [] : beginning(assigned[2] ?? '', valueOf(option));
  }
  if (current.startsWith('-') && !typed.onlyArguments) return beginning(current, optionsOf(typed));
  const next = beginning(current, nextOf(shapes, typed, namesOf));
  const isKnown = typed.command !== null || typed.given === 0;
  const isNone = next.length === 0 && current === '' && isKnown && !typed.onlyArguments;
  return isNone ? optionsOf(typed) : next;
}

function read(shapes: readonly CommandShape[], words: readonly string[]): Typed {
  let typed: Typed = {
    path: [],
    command: null,
    given: 0,
    options: new Map(),
    open: null,
    onlyArguments: false,
  };
  for (const word of words) typed = after(shapes, typed, word);
  return typed;
}

function after(shapes: readonly CommandShape[], typed: Typed, word: string): Typed {
  const { open, options, onlyArguments, given } = typed;
  if (open !== null) return { ...typed, open: null, options: new Map([...options, [open, word]]) };
  if (word === '--') return { ...typed, onlyArguments: true };
  if (word.startsWith('-') && !onlyArguments) {
    const [flag = '', ...value] = word.split('=');
    const option = findOption(typed, flag);
    if (option === null) return typed;
    if (takesValue(option) && value.length === 0) return { ...typed, open: option };
    return { ...typed, options: new Map([...options, [option, value.join('=')]]) };
  }
  const inner =
    given > 0 || onlyArguments ? undefined : below(shapes, typed).find(({ name }) => name === word);
  if (inner === undefined) return { ...typed, given: given + 1 };
  return { ...typed, path: [...typed.path, word], command: inner };
}

function below(shapes: readonly CommandShape[], { command }: Typed): readonly CommandShape[] {
  return command === null ? shapes : command.commands;
}

function commandsOf(shapes: readonly CommandShape[], typed: Typed): Candidate[] {
  if (typed.given > 0) return [];
  return below(shapes, typed).map(({ name, description }) => ({ text: name, description }));
}

/** Commands, or what the next argument may be. */
function nextOf(shapes: readonly CommandShape[], typed: Typed, namesOf: NamesOf): Completion {
  const { command, given, path, options, onlyArguments } = typed;
  const commands = onlyArguments ? [] : commandsOf(shapes, typed);
  if (command === null)
    return given > 0 ? [] : [...commands, { text: 'help', description: 'show the help of a command' }];
  const argument = command.arguments[given] ?? variadicOf(command);
  if (argument === undefined) return commands;
  if (argument.choices !== null) return [...commands, ...wordsOf(argument.choices)];
  const kind = kindOfArgument(path[0] ?? '', nameIn(argument.flags));
  if (kind === null) return commands.length > 0 ? commands : pathsOf(nameIn(argument.flags));
  const config = [...options].find(([{ flags }]) => longOf(flags) === '--config')?.[1];
  return [...commands, ...wordsOf(namesOf(kind, config))];
}

function variadicOf({ arguments: all }: CommandShape) {
  const last = all.at(-1);
  return last?.flags.includes('...') === true ? last : undefined;
}

function optionsOf({ command, options }: Typed): Candidate[] {
  const all = command === null ? [VERSION, HELP] : [...command.options, HELP];
  return all
    .filter((option) => !option.hidden && (!options.has(option) || Array.isArray(option.default)))
    .map(({ flags, description }) => ({ text: longOf(flags), description }));
}

function findOption({ command }: Typed, flag: string): OptionShape | null {
  const all = command === null ? [VERSION, HELP] : [...command.options, HELP];
  return all.find(({ flags }) => flags.split(/[ ,]+/).includes(flag)) ?? null;
}

function valuesOf(option: OptionShape, config: string | undefined, namesOf: NamesOf): Completion {
  if (option.choices !== null) return wordsOf(option.choices);
  if (longOf(option.flags) === '--account') return wordsOf(namesOf('account', config));
  return pathsOf(nameIn(option.flags));
}

function pathsOf(name: string): Completion {
  if (name === 'file') return 'files';
  return name === 'dir' ? 'folders' : [];
}

function beginning(current: string, completion: Completion): Completion {
  return typeof completion === 'string'
    ? completion
    : completion.filter(({ text }) => text.startsWith(current));
}

const wordsOf = (texts: readonly string[]): Candidate[] => texts.map((text) => ({ text, description: '' }));
const longOf = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;
const nameIn = (flags: string): string => /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
const takesValue = ({ flags }: OptionShape): boolean => flags.includes('<');

function optionOf(flags: string, description: string): OptionShape {
  return { flags, description, default: null, mandatory: false, hidden: false, choices: null };
}
