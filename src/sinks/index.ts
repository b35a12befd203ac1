// Opens a sink from its configuration.
import type { SinkConfig } from '../contracts/config.ts';
import { kafkaSink } from './kafka.ts';
import type { Sink } from './sink.ts';

export interface OpenSinkOptions {
  /** Its name in the configuration, for messages. */
  readonly name: string;
  /** Resolves env:NAME and file:path. */
  readonly secret: (ref: string) => Promise<string>;
  /** Folder that relative paths begin at: the one of the configuration file. */
  readonly baseDir: string;
  /** Hears what drivers say by themselves. */
  readonly log: (fields: object, message: string) => void;
}

/**
 * The sink that `config` describes; its secrets are resolved now, nothing connects before the first event.
 * @throws what `secret` throws; SinkError `BAD_SECRET` for a secret of the wrong form
 */
export async function openSink(config: SinkConfig, options: OpenSinkOptions): Promise<Sink> {
  const { name, secret, log } = options;
  switch (config.type) {
    case 'kafka': {
      const password = config.sasl === undefined ? undefined : await secret(config.sasl.password);
      return kafkaSink(config, { password, log });
    }
    case 'http':
    case 'jsonl':
    case 'postgres':
      throw new Error(`sink ${name}: sinks of the type ${config.type} are not built yet`);
  }
}
