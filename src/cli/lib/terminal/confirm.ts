// Asks before a command that reaches far. In a script, `--yes` answers.
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { CliError, EXIT } from '../exit.ts';

/** Where questions are asked: the terminal of the process, or one of a test. */
export interface Dialog {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

const TERMINAL: Dialog = { input: process.stdin, output: process.stderr };

export interface Confirmation {
  /** What the command will do, line by line. */
  readonly what: readonly string[];
  /** `--yes` was given. */
  readonly yes: boolean;
  /** Ends the wait for an answer. */
  readonly signal?: AbortSignal;
}

export function withYes(command: Command, help = 'do it without asking; needed without a terminal'): Command {
  return command.option('--yes', help, false);
}

export function canAsk({ input, output }: Dialog = TERMINAL): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/**
 * Refuses at once what could not be confirmed later.
 * @throws CliError (usage) without `--yes` and without a terminal
 */
export function requireAnswer(yes: boolean, dialog: Dialog = TERMINAL): void {
  if (yes || canAsk(dialog)) return;
  throw new CliError(EXIT.usage, 'this command asks before it acts, and there is no terminal; add --yes');
}

/**
 * Shows what will happen, on stderr, and returns after a yes.
 * @throws CliError (usage) without `--yes` and without a terminal; (error) when the answer is no
 */
export async function confirm({ what, yes, signal }: Confirmation, dialog: Dialog = TERMINAL): Promise<void> {
  for (const line of what) dialog.output.write(`${line}\n`);
  if (yes) return;
  requireAnswer(yes, dialog);
  const lines = createInterface({ input: dialog.input, output: dialog.output, terminal: false });
  const closed = new AbortController();
  // The end of the input is no answer.
  lines.once('close', () => closed.abort());
  try {
    const either = AbortSignal.any([closed.signal, ...(signal === undefined ? [] : [signal])]);
    const answer = await lines.question('Continue? [y/N] ', { signal: either }).catch(() => '');
    if (!/^\s*(?:y|yes|s|sim)\s*$/i.test(answer)) throw new CliError(EXIT.error, 'nothing was changed');
  } finally {
    lines.close();
  }
}
