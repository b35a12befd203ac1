// The Kafka sink: one idempotent producer for one batch, gone again after it.
import type { KafkaSink } from '../contracts/config/config.ts';
import { deadlineSignal } from '../contracts/deadline.ts';
import { EVENT_CONTENT_TYPE, type SinkEvent } from '../contracts/wire/events.ts';
import type { ClusterAccess } from '../kafka/client.ts';
import { type Message, produce } from '../kafka/produce.ts';
import { isTooLarge, kafkaError } from './kafka-error.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import type { Sent, Sink, SinkError } from './sink.ts';

export interface KafkaSinkOptions {
  /** What the reference `sasl.password` stands for. */
  readonly password?: string | undefined;
  /** Hears kafkajs itself, at the level in KAFKAJS_LOG_LEVEL; nothing without that variable. */
  readonly log: (fields: object, message: string) => void;
  /** Brokers that have not acknowledged a batch by then are away. @default 15_000 */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 15_000;

/**
 * Sends each event as a structured-mode CloudEvent with `partitionkey` as the Kafka key, acknowledged by all
 * replicas in sync. Topics are never created, whatever the brokers allow. Nothing connects before the first event, and
 * nothing stays connected after a batch. Longer outages than a leader that moves are for the caller to wait out.
 *
 * What the brokers had acknowledged before a failure is `sent`; of the rest nobody knows, and all of it fails, but for a record
 * that the topic is too small for: that fails alone, and those behind it are sent.
 */
export function kafkaSink(config: KafkaSink, options: KafkaSinkOptions): Sink {
  const { brokers, tls, sasl, topic } = config;
  const { password, log, deadlineMs = DEADLINE_MS } = options;
  const access: ClusterAccess = { connection: { brokers, tls, sasl }, password, log: { debug: log } };

  /** Writes what it can; answers how many are acknowledged, and the error that kept the next one from it. */
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
      // The brokers refuse a group of records as one. Once that has happened, each goes alone, so that they name the one.
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
