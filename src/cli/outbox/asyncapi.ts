// `sluice asyncapi`: the AsyncAPI document of the events that sinks receive.
import type { Command } from 'commander';
import { ConfigFileError } from '../../config/errors.ts';
import type { ResolvedConfig } from '../../config/load.ts';
import { describeEvents } from '../../sinks/asyncapi.ts';
import { say } from '../lib/lifetime.ts';
import { openConfig } from '../lib/session.ts';

interface Options {
  readonly config?: string;
}

export function registerAsyncapi(program: Command, env: NodeJS.ProcessEnv): void {
  program
    .command('asyncapi')
    .description('print the AsyncAPI 3.0 document of the events that sinks receive')
    .option(
      '--config <file>',
      'configuration whose sinks become channels (default: $SLUICE_CONFIG, otherwise sluice.yaml if it exists)',
    )
    .action(async (options: Options, command: Command) => {
      const config = await configOf(options, env);
      if (config === null)
        say('there is no sluice.yaml here, so the document has messages and schemas without channels');
      const document = describeEvents(program.version() ?? '0.0.0', config);
      command.configureOutput().writeOut?.(`${JSON.stringify(document, null, 2)}\n`);
    });
}

/** Null when no configuration was named and the folder has none. */
async function configOf(options: Options, env: NodeJS.ProcessEnv): Promise<ResolvedConfig | null> {
  try {
    return (await openConfig(options.config, env)).config;
  } catch (error) {
    const asked = options.config !== undefined || env.SLUICE_CONFIG !== undefined;
    if (asked || !(error instanceof ConfigFileError) || error.code !== 'not_found') throw error;
    return null;
  }
}
