// Questions to a cluster, each over a connection of its own.
import type { Admin } from 'kafkajs';
import { type ClusterAccess, openClient } from '../../kafka/client.ts';

export { type ClusterAccess, openClient } from '../../kafka/client.ts';

/**
 * Asks the cluster something over a connection of its own (measured: 13–20 ms): a kept one wakes the process every
 * millisecond, and does not always know that it is severed (tulios/kafkajs#1751, #919).
 * @throws what kafkajs throws; see `describeKafkaError`
 */
export async function ask<T>(access: ClusterAccess, question: (admin: Admin) => Promise<T>): Promise<T> {
  const client = openClient(access);
  const admin = client.kafka.admin();
  try {
    await admin.connect();
    const answer = await question(admin);
    await admin.disconnect();
    return answer;
  } finally {
    client.end();
  }
}
