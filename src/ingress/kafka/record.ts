// A Kafka record as the rest of Sluice sees it: a delivery, with a name that stays its own.
import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { Delivery } from '../intake.ts';

/** Where a record stands. A topic that is made anew counts from 0 again: only its time tells its records apart then. */
export interface Origin {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Milliseconds since 1970, as Kafka has it. */
  readonly timestamp: string;
}

/** Stable name of a record, the same at each redelivery. */
export function nameOf({ topic, partition, offset, timestamp }: Origin): string {
  return `kafka:${topic}/${partition}/${offset}/${timestamp}`;
}

/** Header of a record that was produced again out of a dead letter: the name of the first one. */
export const REPLAY_OF = 'sluice-replay-of';

export function deliveryOf(
  topic: string,
  partition: number,
  message: Pick<KafkaMessage, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>,
): Delivery {
  const { offset, timestamp, key, value } = message;
  const headers = textHeaders(message.headers);
  return {
    via: 'kafka',
    headers,
    body: value ?? new Uint8Array(0),
    // A replay that was cut off and repeated stands twice in the topic, and is one event all the same.
    fallbackKey: headers[REPLAY_OF] ?? nameOf({ topic, partition, offset, timestamp }),
    about: {
      topic,
      partition,
      offset: Number(offset),
      timestamp: isoTime(timestamp),
      key: key === null ? null : key.toString('utf8'),
    },
  };
}

/** By name in lower case; of a header that comes several times the last. */
export function textHeaders(headers: IHeaders | undefined): Record<string, string> {
  const texts: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined && last !== null) texts[name.toLowerCase()] = String(last);
  }
  return texts;
}

/** Records older than format 1 have no time: -1. */
export function isoTime(timestamp: string): string | null {
  const time = Number(timestamp);
  return time >= 0 && time <= 8.64e15 ? new Date(time).toISOString() : null;
}
