// The Kafka sink. It opens one idempotent producer for each batch and closes it afterwards.

import { deadlineSignal } from '../../core/deadline.ts';
import { NO_TRACING, type SpanDraft, type TraceContext, type Tracing } from '../../core/tracing.ts';
import type { ClusterAccess } from '../kafka/client.ts';
import { codeOf, rootOf } from '../kafka/error-code.ts';
import { type Message, produce } from '../kafka/produce.ts';
import { TLS_HELP } from '../kafka/tls-help.ts';
import type { KafkaSink } from './config.ts';
import { type CloudEvent, EVENT_CONTENT_TYPE } from './event.ts';
import { failed, SENT, sinkOf } from './sending.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';

export interface KafkaSinkOptions {
  /** Password that the reference `sasl.password` resolves to. */
  readonly password?: string | undefined;
  /**
   * Receives the log lines of kafkajs at the level in KAFKAJS_LOG_LEVEL. Without that variable kafkajs logs nothing.
   */
  readonly log: (fields: object, message: string) => void;
  /** Time for the brokers to acknowledge a batch. After it, the sink counts them as unreachable. @default 15_000 */
  readonly deadlineMs?: number;
  /** Each send gets a span, whose context its records have. @default nothing is traced */
  readonly tracing?: Tracing;
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
  const { password, log, deadlineMs = DEADLINE_MS, tracing = NO_TRACING } = options;
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

  async function writeAll(messages: readonly Message[], signal: AbortSignal): Promise<Sent[]> {
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
  }

  return sinkOf({
    kind: 'Kafka',
    deliver(events, signal) {
      const draft: SpanDraft = {
        name: `send ${topic}`,
        kind: 'producer',
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': topic,
          'messaging.batch.message_count': events.length,
        },
      };
      return tracing.within(draft, async ({ context, fail }) => {
        const sent = await writeAll(
          events.map((event) => messageOf(event, context)),
          signal,
        );
        const first = sent.find((each) => each.state === 'failed');
        if (first?.state === 'failed') fail(first.error.code);
        return sent;
      });
    },
  });
}

function messageOf(event: CloudEvent, context: TraceContext | null): Message {
  return {
    key: event.partitionkey,
    value: JSON.stringify(event),
    headers: { 'content-type': EVENT_CONTENT_TYPE, ...context },
  };
}

interface Place {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** Errors about one event, not about the topic. */
const TOO_LARGE: Readonly<Record<string, string>> = {
  MESSAGE_TOO_LARGE: 'the event is larger than max.message.bytes of the topic; raise that setting',
  RECORD_LIST_TOO_LARGE: 'the event is larger than segment.bytes of the topic; raise that setting',
};

/**
 * Refusals that last until somebody changes something. All others (leaders, replicas, restarts, a missing topic) may
 * end on their own.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  ...TOO_LARGE,
  TOPIC_AUTHORIZATION_FAILED: 'the user may not write to the topic; grant WRITE and DESCRIBE',
  CLUSTER_AUTHORIZATION_FAILED:
    'the user may not write idempotently; grant IDEMPOTENT_WRITE on the cluster (brokers before 3.0 require it)',
  SASL_AUTHENTICATION_FAILED:
    'the brokers reject the login; check username, password and mechanism of `sasl`',
  UNSUPPORTED_SASL_MECHANISM: 'the brokers do not offer this `sasl.mechanism`',
  INVALID_TOPIC_EXCEPTION: 'the brokers reject the name of the topic',
};

const HINTS: Readonly<Record<string, string>> = {
  ...TLS_HELP,
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic does not exist; create it (Sluice never does)',
  TIMEOUT: 'no answer in time; the event may still have arrived',
};

/**
 * Converts any error of a send to `place` into a SinkError. kafkajs says "not retriable" about errors after which it
 * only stopped trying.
 */
export function kafkaError(error: unknown, place: Place): SinkError {
  const root = rootOf(error);
  const code = codeOf(root);
  const why = REFUSALS[code] ?? HINTS[code] ?? textOf(root);
  const message = `topic "${place.topic}" on ${place.brokers.join(', ')} did not acknowledge the event: ${why}`;
  return new SinkError(code, message, {
    retryable: !Object.hasOwn(REFUSALS, code),
    sinkWide: !Object.hasOwn(TOO_LARGE, code),
    cause: error,
  });
}

/** Returns whether the brokers rejected the event for its size. Another event may still be accepted. */
function isTooLarge({ code }: SinkError): boolean {
  return Object.hasOwn(TOO_LARGE, code);
}

function textOf(root: unknown): string {
  return root instanceof Error ? root.message : String(root);
}
