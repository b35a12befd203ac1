#!/usr/bin/env node
// Entry point of the `sluice` command: parses the command line and turns errors into exit codes.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { exitInterrupted } from '../core/shutdown.ts';
import { hasColor } from '../observe/color.ts';
import { ASK } from './completion/scripts.ts';
import { createFront } from './front.ts';
import { endWithNpm } from './lib/connect/orphan.ts';
import { describePlain, errorReport } from './lib/describe-plain.ts';
import { EXIT } from './lib/exit.ts';
import { moveLeadingOptions } from './lib/leading-options.ts';
import type { CommandShape } from './lib/shape.ts';
import { guardStream } from './lib/terminal/terminal.ts';
import { zoneOf } from './lib/zone.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// What this process, its threads and its children write is personal: files for this user alone (0600, folders 0700).
process.umask(0o077);
endWithNpm(process.env);
// kafkajs writes "at once" as a negative time, of which Node 24 warns. It changes nothing.
const { emitWarning } = process;
process.emitWarning = (...warning: [string, ...unknown[]]) => {
  if (warning[1] !== 'TimeoutNegativeWarning') Reflect.apply(emitWarning, process, warning);
};
// A reader that closes the pipe, as `| head` does, is no error: what is written from then on goes nowhere.
// A disk that is full is one: what was written is cut off.
for (const [name, stream] of [['stdout', process.stdout] as const, ['stderr', process.stderr] as const]) {
  guardStream(stream, hasColor(stream, process.env));
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    if (name === 'stdout') process.stderr.write(`sluice: stdout can't be written (${code ?? message})\n`);
    process.exit(1);
  });
}
// A command that closes something listens itself. Any other ends here, with the exit code that README gives.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) exitInterrupted();
  });
const words = moveLeadingOptions(process.argv.slice(2));
const argv = [...process.argv.slice(0, 2), ...words].map((word, at) =>
  at === 2 && word === '-V' ? '--version' : word,
);
const ends = argv.indexOf('--');
const appearance = { version, json: argv.slice(2, ends < 0 ? undefined : ends).includes('--json') };
const runGroup = async (word: string) => {
  const { createProgram } = await import('./program.ts');
  await (await createProgram(appearance, process.env, word)).parseAsync(argv);
};

try {
  const shapes = readShapes();
  if (argv[2] === ASK) {
    const { answerShell } = await import('./completion/completion.ts');
    process.stdout.write(answerShell(shapes ?? [], argv.slice(3), process.env));
  } else if (shapes === null) await runGroup(argv[2] ?? '');
  else {
    const run = async (word: string, command: Command) => {
      const zone = zoneOf(command, process.env);
      // Node then formats times in this zone, also those of libraries.
      if (zone !== null) process.env.TZ = zone;
      await runGroup(word);
    };
    await createFront(shapes, appearance, process.env, run).parseAsync(argv);
  }
} catch (error) {
  const described = describePlain(error) ?? (await import('./lib/describe-error.ts')).describeError(error);
  const { message, exitCode } = described;
  if (appearance.json && exitCode !== EXIT.ok)
    process.stderr.write(`${JSON.stringify(errorReport(error, described))}\n`);
  else if (message !== null) process.stderr.write(`sluice: ${message}\n`);
  process.exitCode = exitCode;
}
// Everything is closed by now. A connection that was still opening must not keep the process alive. An error of an
// earlier write is announced before the next phase of the event loop.
process.stdout.write('', () =>
  setImmediate(() => (process.exitCode === EXIT.interrupted ? exitInterrupted() : process.exit())),
);

/** The tree of commands that the build wrote; null before its end. */
function readShapes(): CommandShape[] | null {
  try {
    return JSON.parse(readFileSync(new URL('./commands.json', import.meta.url), 'utf8')) as CommandShape[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
