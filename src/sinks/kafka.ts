// The Kafka sink. It opens one idempotent producer for each batch and closes it afterwards.
import type { KafkaSink } from '../contracts/config/config.ts';
import { deadlineSignal } from '../contracts/deadline.ts';
import { EVENT_CONTENT_TYPE, type SinkEvent } from '../contracts/wire/events.ts';
import type { ClusterAccess } from '../kafka/client.ts';
import { type Message, produce } from '../kafka/produce.ts';
import { isTooLarge, kafkaError } from './kafka-error.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import type { Sent, Sink, SinkError } from './sink.ts';

export interface KafkaSinkOptions {
  /** Password that the reference `sasl.password` resolves to. */
  readonly password?: string | undefined;
  /**
   * Receives the log lines of kafkajs at the level in KAFKAJS_LOG_LEVEL. Without that variable kafkajs logs nothing.
   */
  readonly log: (fields: object, message: string) => void;
  /** Time for the brokers to acknowledge a batch. After it, the sink counts them as unreachable. @default 15_000 */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 15_000;

/**
 * Sends each event as a structured-mode CloudEvent with `partitionkey` as the Kafka key. All in-sync replicas
 * acknowledge it. The sink never creates a topic, even if the brokers allow it. It connects at the first event and
 * keeps no connection after a batch. The caller waits out outages longer than the move of a leader.
 *
 * Events that the brokers acknowledged before a failure are `sent`. The outcome of the rest is uncertain, and all of it
 * fails. The exception is a record larger than the topic allows: that record fails alone, and the sink sends those
 * after it.
 */
export function kafkaSink(config: KafkaSink, options: KafkaSinkOptions): Sink {
  const { brokers, tls, sasl, topic } = config;
  const { password, log, deadlineMs = DEADLINE_MS } = options;
  const access: ClusterAccess = { connection: { brokers, tls, sasl }, password, log: { debug: log } };

  /** Writes as many as it can. Returns how many are acknowledged, and the error that stopped the next one. */
  async function write(messages: readonly Message[], signal: AbortSignal, alone: boolean) {
    let written = 0;
    const within = AbortSignal.any([signal, deadlineSignal(deadlineMs)]);
    try {
      await produce(access, topic, messages, within, {
        alone,
        onWritten: (count) => {
          written = count;
        },
      });
      return { written: messages.length, error: null };
    } catch (error) {
      if (signal.aborted) return { written, error: signal.reason as SinkError };
      return { written, error: kafkaError(within.aborted ? within.reason : error, config) };
    }
  }

  return sinkOf({
    kind: 'Kafka',
    async deliver(events, signal) {
      const messages = events.map(messageOf);
      const sent: Sent[] = [];
      // The brokers reject a group of records as one. After that, each record goes alone, so that the brokers name the
      // one.
      let alone = messages.length === 1;
      while (sent.length < messages.length) {
        const { written, error } = await write(messages.slice(sent.length), signal, alone);
        sent.push(...messages.slice(0, written).map(() => SENT));
        if (error === null) break;
        if (!isTooLarge(error)) sent.push(...messages.slice(sent.length).map(() => failed(error)));
        else if (alone) sent.push(failed(error));
        else alone = true;
      }
      return sent;
    },
  });
}

function messageOf(event: SinkEvent): Message {
  return {
    key: event.partitionkey,
    value: JSON.stringify(event),
    headers: { 'content-type': EVENT_CONTENT_TYPE },
  };
}
