// The Kafka sink: one producer for one event, gone again after it.
import type { KafkaSink } from '../contracts/config.ts';
import { EVENT_CONTENT_TYPE, type SinkEvent } from '../contracts/events.ts';
import type { ClusterAccess } from '../kafka/client.ts';
import { produce } from '../kafka/produce.ts';
import { kafkaError } from './kafka-error.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';

export interface KafkaSinkOptions {
  /** What the reference `sasl.password` stands for. */
  readonly password?: string | undefined;
  /** Hears kafkajs itself, at the level in KAFKAJS_LOG_LEVEL; nothing without that variable. */
  readonly log: (fields: object, message: string) => void;
}

/**
 * Sends each event as a structured-mode CloudEvent with `partitionkey` as the Kafka key, acknowledged by all
 * replicas in sync. Topics are never created, whatever the brokers allow. Nothing connects before the first event, and
 * nothing stays connected after one. Longer outages than a leader that moves are for the caller to wait out.
 */
export function kafkaSink(config: KafkaSink, { password, log }: KafkaSinkOptions): Sink {
  const { brokers, tls, sasl } = config;
  const access: ClusterAccess = { connection: { brokers, tls, sasl }, password, log: { debug: log } };
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  return {
    async send(events, { signal }) {
      const sent: Sent[] = [];
      for (const event of events) {
        const sending = deliver(access, config, event, AbortSignal.any([signal, closing.signal]));
        underWay.add(sending);
        try {
          await sending;
          sent.push({ state: 'sent' });
        } catch (error) {
          if (!(error instanceof SinkError)) throw error;
          sent.push({ state: 'failed', error });
        } finally {
          underWay.delete(sending);
        }
      }
      return sent;
    },
    async close() {
      closing.abort(new SinkError('CLOSED', 'the Kafka sink has been closed', { retryable: true }));
      await Promise.allSettled(underWay);
    },
  };
}

async function deliver(
  access: ClusterAccess,
  config: KafkaSink,
  event: SinkEvent,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const message = {
    key: event.partitionkey,
    value: JSON.stringify(event),
    headers: { 'content-type': EVENT_CONTENT_TYPE },
  };
  try {
    await produce(access, config.topic, [message], signal);
  } catch (error) {
    throw isGivingUp(signal) ? signal.reason : kafkaError(signal.aborted ? signal.reason : error, config);
  }
}

/** Aborted by whoever called or by `close`, not by a deadline: that one is the brokers' doing. */
function isGivingUp(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Error)?.name !== 'TimeoutError';
}
