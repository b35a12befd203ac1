// The `sluice` commands in the code blocks of documents, as words.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';

const ROOT = resolve(import.meta.dirname, '../../..');

/** README, CONTRIBUTING, SECURITY and all of docs/. */
export async function allDocuments(): Promise<string[]> {
  const folder = await readdir(join(ROOT, 'docs'), { recursive: true });
  const pages = folder.filter((path) => path.endsWith('.md')).map((path) => join('docs', path));
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages];
}

export async function readDocument(path: string): Promise<string> {
  return await readFile(join(ROOT, path), 'utf8');
}

export interface ShownCommand {
  /** As the document has it, for messages. */
  readonly text: string;
  /** What follows `sluice`, without quotes and redirections. */
  readonly words: readonly string[];
  /** The run comment before the block, such as `exit=2`; empty without one. */
  readonly directions: string;
}

const BLOCK = /(?:^[ \t]*<!--\s*run:\s*(.*?)\s*-->\s*\n\s*)?^([ \t]*)```(sh|text)\n([\s\S]*?)^\2```/gm;

/** Commands of blocks of the shell, and of texts that a reader copies into one. */
export function commandsIn(markdown: string): ShownCommand[] {
  return [...markdown.matchAll(BLOCK)].flatMap(([, directions = '', , language, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .filter((line) => language === 'sh' || isCommand(line))
      .flatMap((line) => simpleCommands(line))
      .flatMap((words) => {
        const at = words.findIndex(
          (word, index) => word === 'sluice' && words.slice(0, index).every(isBefore),
        );
        return at < 0 ? [] : [{ text: words.join(' '), words: words.slice(at + 1), directions }];
      }),
  );
}

/** A line of text that begins like a command, and not like what one prints. */
function isCommand(line: string): boolean {
  return /^\s*(?:[A-Z_]+=\S+ )*(?:npx )?sluice [a-z]/.test(line);
}

/** What may stand before the program: `npx`, and variables of this command. */
function isBefore(word: string): boolean {
  return word === 'npx' || /^[A-Z_]+=/.test(word);
}

/** The commands of a line, each as words. Comments, redirections and the signs between commands are no words. */
function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  const token =
    /\s*(?:(#.*$)|(\$\(|&&|\|\||[|;&()])|([<>]+&?\s*\S+)|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"|;&()<>\\])+))/y;
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    const [, comment, separator, redirection, word] = match;
    if (comment !== undefined) break;
    if (separator !== undefined) commands.push([]);
    else if (redirection === undefined) commands.at(-1)?.push(unquoted(word ?? ''));
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
    (_, single?: string, double?: string) => single ?? double ?? '',
  );
}

export interface Resolved {
  readonly command: Command;
  /** What follows the names of the command. */
  readonly rest: readonly string[];
}

/** @returns the name that no command has, when there is one */
export function resolveCommand(
  program: Command,
  words: readonly string[],
): Resolved | { readonly unknown: string } {
  const rest = [...words];
  let command = program;
  while (command.commands.length > 0 && /^[a-z]/.test(rest[0] ?? '')) {
    const name = rest.shift() ?? '';
    const next = command.commands.find((each) => each.name() === name || each.aliases().includes(name));
    if (next === undefined) return { unknown: name };
    command = next;
  }
  return { command, rest };
}

/** What is wrong with the words after `sluice`; null when nothing is. */
export function mistakeIn(program: Command, words: readonly string[]): string | null {
  const line = words.join(' ');
  const found = resolveCommand(program, words);
  if ('unknown' in found) return `\`sluice ${line}\`: there is no command "${found.unknown}"`;
  const options = new Set(found.command.options.flatMap(({ short, long }) => [short, long]));
  const unknown = found.rest
    .map((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0])
    .filter((word) => word !== undefined && word !== '--help' && !options.has(word));
  return unknown.length === 0 ? null : `\`sluice ${line}\`: there is no option ${unknown.join(', ')}`;
}
