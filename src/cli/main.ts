#!/usr/bin/env node
// Entry point of the `sluice` command: registers every group of commands and turns errors into exit codes.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerAsyncapi } from './asyncapi.ts';
import { registerConfig } from './config.ts';
import { registerDemo } from './demo.ts';
import { describeError } from './describe-error.ts';
import { registerDev } from './dev.ts';
import { registerDlq } from './dlq.ts';
import { registerDoctor } from './doctor.ts';
import { registerEvents } from './events.ts';
import { registerIngress } from './ingress.ts';
import { registerInit } from './init.ts';
import { registerMessage } from './message.ts';
import { endWithNpm } from './orphan.ts';
import { registerOutbox } from './outbox.ts';
import { registerPoll } from './poll.ts';
import { registerSandbox } from './sandbox.ts';
import { registerSync } from './sync.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('sluice')
  .description('Integration middleware between your systems and a customer-messaging service')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(see --help)')
  .configureHelp({ sortSubcommands: true });
// Commands made from here on inherit these settings.
registerInit(program);
registerConfig(program, process.env);
registerSync(program, process.env);
registerDev(program, process.env);
registerDlq(program, process.env);
registerIngress(program, process.env);
registerEvents(program, process.env);
registerMessage(program, process.env);
registerPoll(program, process.env);
registerOutbox(program, process.env);
registerAsyncapi(program, process.env);
registerDoctor(program, process.env);
registerSandbox(program);
registerDemo(program, process.env);

endWithNpm(process.env);
try {
  await program.parseAsync();
} catch (error) {
  const { message, exitCode } = describeError(error);
  if (message !== null) process.stderr.write(`sluice: ${message}\n`);
  process.exitCode = exitCode;
}
// Everything is closed by now; a connection that was still being opened must not hold the process.
process.stdout.write('', () => process.exit());
