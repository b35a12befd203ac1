// `sluice completion`: prints the script for a shell. And the answer to that script, at each Tab.
import { Argument, type Command } from 'commander';
import { findPlace } from '../lib/connect/place.ts';
import { type ConfigNames, type NameKind, readNames } from '../lib/names.ts';
import type { CommandShape } from '../lib/shape.ts';
import { completionOf } from './candidates.ts';
import { PATHS, SHELLS, type Shell, scriptOf } from './scripts.ts';

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the script that completes commands, options and names in a shell')
    .addArgument(new Argument('<shell>', 'shell that you use').choices(SHELLS))
    .action((shell: Shell) => {
      process.stdout.write(scriptOf(shell, process.argv.slice(0, 2)));
    });
}

/**
 * Lines for a script: a word and its description, with a tab between them; or one line that asks for paths.
 * @param asked the shell, and the words that were typed after `sluice`
 */
export function answerShell(
  shapes: readonly CommandShape[],
  asked: readonly string[],
  env: NodeJS.ProcessEnv,
): string {
  const [shell, ...words] = asked;
  const joined = shell === 'bash' ? joinAssigned(words) : words;
  const found = completionOf(shapes, joined, (kind, config) => namesOf(kind, config, env));
  if (typeof found === 'string') return `${PATHS[found]}\n`;
  // bash replaces what follows "=", other shells the whole word.
  const prefix = shell === 'bash' ? '' : (/^--[\w-]+=/.exec(joined.at(-1) ?? '')?.[0] ?? '');
  return found
    .map(({ text, description }) => {
      const about = firstPart(description);
      return `${prefix}${text}${about === '' ? '' : `\t${about}`}\n`;
    })
    .join('');
}

/** `--config`, `=`, `a.yaml` → `--config=a.yaml`. */
function joinAssigned(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const isPart = word === '=' || words[at - 1] === '=';
    const before = joined.at(-1);
    if (isPart && before?.startsWith('--') === true) joined[joined.length - 1] = before + word;
    else joined.push(word);
  }
  return joined;
}

function namesOf(kind: NameKind, config: string | undefined, env: NodeJS.ProcessEnv): readonly string[] {
  const place = findPlace({ config }, env);
  const found: ConfigNames | null = place.config === null ? null : readNames(place.config);
  return found?.names[kind] ?? [];
}

/** A menu has one line a word. */
function firstPart(description: string): string {
  return description.split(/[;(]/)[0]?.trim() ?? '';
}
