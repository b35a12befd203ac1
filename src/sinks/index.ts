// Opens a sink from its configuration.
import type { SinkConfig } from '../contracts/config.ts';
import { type KafkaSinkOptions, kafkaSink } from './kafka.ts';
import type { Sink } from './sink.ts';

/** The sink that `config` describes; nothing connects before the first event. */
export function openSink(config: SinkConfig, options: KafkaSinkOptions): Sink {
  switch (config.type) {
    case 'kafka':
      return kafkaSink(config, options);
    case 'http':
    case 'jsonl':
    case 'postgres':
      throw new Error(`sinks of the type ${config.type} are not built yet`);
  }
}
