// Reads a password: without echo in a terminal, else the first line of stdin.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliError, EXIT } from '../exit.ts';

/** @throws CliError (usage) when nothing was entered */
export async function readSecret(question: string, signal: AbortSignal): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: MUTE, terminal: isTerminal });
  const ended = new Promise<string>((done) => lines.once('close', () => done('')));
  try {
    const secret = await Promise.race([lines.question('', { signal }), ended]);
    if (secret !== '') return secret;
    throw new CliError(EXIT.usage, 'nothing was entered; write it to stdin, or type it in a terminal');
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}

/** What is typed is not shown. */
const MUTE = new Writable({
  write(_chunk, _encoding, done) {
    done();
  },
});
