// Reads a Kafka topic from its beginning to what is its end now.
import { randomUUID } from 'node:crypto';
import type { Kafka, KafkaMessage } from 'kafkajs';

export interface ReadMessage extends Pick<KafkaMessage, 'offset'> {
  readonly partition: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

/** Everything in the topic, partition by partition in order. */
export async function readTopic(kafka: Kafka, topic: string): Promise<ReadMessage[]> {
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  let left = ends.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  if (left === 0) return [];
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
        left -= 1;
        if (left === 0) resolve();
      },
    };
    consumer.run(eachMessage).catch(reject);
  });
  await consumer.disconnect();
  return messages.sort((a, b) => a.partition - b.partition || Number(a.offset) - Number(b.offset));
}
