// Entry point of the `sluice` command: registers every group of commands and turns errors into exit codes.
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { registerConfig } from './config.ts';
import { registerDemo } from './demo.ts';
import { registerDev } from './dev.ts';
import { CliError, EXIT } from './exit.ts';
import { registerInit } from './init.ts';
import { registerSandbox } from './sandbox.ts';
import { registerSync } from './sync.ts';
import { describeError } from './describe-error.ts';

const program = new Command('sluice')
  .description('Integration middleware between your systems and a customer-messaging service.')
  .version(packageJson.version)
  .exitOverride()
  .showHelpAfterError('(see --help)');
