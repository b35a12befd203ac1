// Converts a Kafka record to a delivery with a stable name.
import type { KafkaMessage } from 'kafkajs';
import { readHeaders } from '../../../../connectors/kafka/headers.ts';
import type { Delivery } from '../intake.ts';

/**
 * Location of a record. A topic that is created again counts from 0, so only the time distinguishes its records from
 * the old ones.
 */
export interface Origin {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Kafka timestamp in milliseconds since 1970. */
  readonly timestamp: string;
}

/** Returns the stable name of a record, the same for each redelivery. */
export function nameOf({ topic, partition, offset, timestamp }: Origin): string {
  return `kafka:${topic}/${partition}/${offset}/${timestamp}`;
}

/** Header of a record that was replayed from a dead letter: the name of the first record. */
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
    // A replay that was interrupted and repeated is in the topic twice, but it is one event.
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

/** Headers by lower-case name. For a repeated header, the last value. */
export function textHeaders(headers: object | undefined): Record<string, string> {
  const texts: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(readHeaders(headers))) {
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
