// `sluice asyncapi`: the AsyncAPI document of the events that sinks receive.
import type { Command } from 'commander';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { findPlace } from '../../../cli/lib/connect/place.ts';
import { openConfig, withConfig } from '../../../cli/lib/connect/session.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import { describeEvents } from '../asyncapi/asyncapi.ts';

interface Options {
  readonly config?: string;
}

export function registerAsyncapi(program: Command, env: NodeJS.ProcessEnv): void {
  withConfig(program.command('asyncapi'))
    .description(
      'print the AsyncAPI 3.0 document of the events that sinks receive; the sinks of a configuration become channels',
    )
    .action(async (options: Options, command: Command) => {
      const config = await configOf(options, env);
      if (config === null)
        say('there is no sluice.yaml here, so the document has messages and schemas without channels');
      const document = describeEvents(program.version() ?? '0.0.0', config);
      command.configureOutput().writeOut?.(`${JSON.stringify(document, null, 2)}\n`);
    });
}

/** Null when no configuration was named and no folder has one. */
async function configOf(options: Options, env: NodeJS.ProcessEnv): Promise<LoadedConfig['config'] | null> {
  if (findPlace(options, env).config === null) return null;
  return (await openConfig(options.config, env)).config;
}
