// Opens a sink from its configuration.

import { NO_TRACING, type Tracing } from '../../core/tracing.ts';
import type { SinkConfig } from './config.ts';
import { httpSink } from './http.ts';
import { jsonlSink } from './jsonl.ts';
import { kafkaSink } from './kafka.ts';
import { postgresSink } from './postgres.ts';
import type { Sink } from './sink.ts';
import { readKey } from './webhook-signature.ts';

export interface OpenSinkOptions {
  /** Name of the sink in the configuration, for messages. */
  readonly name: string;
  /** Resolves env:NAME and file:path. */
  readonly secret: (ref: string) => Promise<string>;
  /** Folder that relative paths start from: the folder of the configuration file. */
  readonly baseDir: string;
  /** Receives what drivers log on their own. */
  readonly log: (fields: object, message: string) => void;
  /** @default nothing is traced */
  readonly tracing?: Tracing;
}

/**
 * Returns the sink that `config` describes. It resolves the sink's secrets now and connects at the first event.
 * @throws what `secret` throws; SinkError `BAD_SECRET` for a secret in the wrong form
 */
export async function openSink(config: SinkConfig, options: OpenSinkOptions): Promise<Sink> {
  const { name, secret, baseDir, log, tracing = NO_TRACING } = options;
  switch (config.type) {
    case 'kafka': {
      const password = config.sasl === undefined ? undefined : await secret(config.sasl.password);
      return kafkaSink(config, { password, log, tracing });
    }
    case 'http': {
      const keys: Buffer[] = [];
      for (const ref of config.secrets)
        keys.push(readKey(await secret(ref), `sink ${name}: the secret ${ref}`));
      return httpSink(config, { keys, tracing });
    }
    case 'jsonl':
      return jsonlSink(config, baseDir);
    case 'postgres':
      return postgresSink(config, { name, url: await secret(config.url), log });
  }
}
