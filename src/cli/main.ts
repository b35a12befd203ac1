#!/usr/bin/env node
// Entry point of the `sluice` command: registers the groups of commands and turns errors into exit codes.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT } from './exit.ts';
import { endWithNpm } from './orphan.ts';
import { guardStream } from './terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Adds a group of commands to `program`; `env` is the environment that they read. */
type Register = (program: Command, env: NodeJS.ProcessEnv) => void;

// By the first word of a command. Only the group that is called is loaded: all of them take a second of computing.
const GROUPS = new Map<string, () => Promise<Register>>([
  ['init', async () => (await import('./init.ts')).registerInit],
  ['config', async () => (await import('./config.ts')).registerConfig],
  ['sync', async () => (await import('./sync.ts')).registerSync],
  ['campaign', async () => (await import('./campaign.ts')).registerCampaign],
  ['dev', async () => (await import('./dev.ts')).registerDev],
  ['worker', async () => (await import('./dev.ts')).registerWorker],
  ['dlq', async () => (await import('./dlq.ts')).registerDlq],
  ['ingress', async () => (await import('./ingress.ts')).registerIngress],
  ['events', async () => (await import('./events.ts')).registerEvents],
  ['message', async () => (await import('./message.ts')).registerMessage],
  ['poll', async () => (await import('./poll.ts')).registerPoll],
  ['outbox', async () => (await import('./outbox.ts')).registerOutbox],
  ['asyncapi', async () => (await import('./asyncapi.ts')).registerAsyncapi],
  ['doctor', async () => (await import('./doctor.ts')).registerDoctor],
  ['sandbox', async () => (await import('./sandbox.ts')).registerSandbox],
  ['demo', async () => (await import('./demo.ts')).registerDemo],
]);

// What this process, its threads and its children write is personal: files for this user alone (0600, folders 0700).
process.umask(0o077);
endWithNpm(process.env);
// A reader that closes the pipe, as `| head` does, is no error: what is written from then on goes nowhere.
// A disk that is full is one: what was written is cut off.
for (const [name, stream] of [['stdout', process.stdout] as const, ['stderr', process.stderr] as const]) {
  guardStream(stream);
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    if (name === 'stdout') process.stderr.write(`sluice: stdout can't be written (${code ?? message})\n`);
    process.exit(1);
  });
}
// A command that closes something listens itself. Any other ends here, with the exit code that README gives.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(EXIT.interrupted);
  });
const program = new Command('sluice')
  .description('Integration middleware between your systems and a customer-messaging service')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(see --help)')
  .configureHelp({ sortSubcommands: true });
// Commands made from here on inherit these settings. Help, and what to say of a mistyped word, take all of them.
const called = GROUPS.get(process.argv[2] ?? '');
for (const load of called === undefined ? GROUPS.values() : [called]) (await load())(program, process.env);

try {
  await program.parseAsync();
} catch (error) {
  const { describeError } = await import('./describe-error.ts');
  const { message, exitCode } = describeError(error);
  if (message !== null) process.stderr.write(`sluice: ${message}\n`);
  process.exitCode = exitCode;
}
// Everything is closed by now; a connection that was still being opened must not hold the process.
process.stdout.write('', () => process.exit());
