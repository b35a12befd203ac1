// Opens a sink from its configuration.
import type { SinkConfig } from '../contracts/config.ts';
import { type KafkaSinkOptions, kafkaSink } from './kafka.ts';
import type { Sink } from './sink.ts';

/** The sink that `config` describes; nothing connects before the first event. */
export function openSink(config: SinkConfig, options: KafkaSinkOptions): Sink {
  switch (config.type) {
    case 'kafka':
      return kafkaSink(config, options);
  }
}
