// Reads a Kafka topic from its beginning to what is its end now.
import { randomUUID } from 'node:crypto';
import kafkajs, { type Kafka, type KafkaMessage } from 'kafkajs';
import { until } from '../../support/until.ts';

export interface ReadMessage extends Pick<KafkaMessage, 'offset'> {
  readonly partition: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

/** Everything in the topic, partition by partition in order. */
export async function readTopic(kafka: Kafka, topic: string): Promise<ReadMessage[]> {
  let left = await until(`topic ${topic} has a leader`, async () => await countMessages(kafka, topic));
  if (left === 0n) return [];
  const messages: ReadMessage[] = [];
  const consumer = kafka.consumer({ groupId: randomUUID(), allowAutoTopicCreation: false });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    // A broker that has just started may be "loading": kafkajs then begins anew by itself.
    consumer.on('consumer.crash', ({ payload }) => {
      if (!payload.restart) reject(payload.error);
    });
    const eachMessage: Parameters<typeof consumer.run>[0] = {
      eachMessage: async ({ partition, message }) => {
        messages.push({
          partition,
          offset: message.offset,
          key: message.key === null ? null : message.key.toString(),
          headers: Object.fromEntries(
            Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
          ),
          value: String(message.value),
        });
        left -= 1n;
        if (left === 0n) resolve();
      },
    };
    consumer.run(eachMessage).catch(reject);
  });
  await consumer.disconnect();
  return messages.sort((a, b) => a.partition - b.partition || Number(a.offset) - Number(b.offset));
}

/** How many messages the topic holds now; null while a broker that has just started doesn't lead its partitions yet. */
async function countMessages(kafka: Kafka, topic: string): Promise<bigint | null> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const bounds = await admin.fetchTopicOffsets(topic);
    return bounds.reduce((sum, { high, low }) => sum + BigInt(high) - BigInt(low), 0n);
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSError && error.retriable) return null;
    throw error;
  } finally {
    await admin.disconnect();
  }
}
