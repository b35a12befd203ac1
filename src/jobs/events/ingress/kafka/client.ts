// Sends queries to a cluster, each over a connection of its own.
import type { Admin } from 'kafkajs';
import { type ClusterAccess, openClient } from '../../../../connectors/kafka/client.ts';

export { type ClusterAccess, openClient } from '../../../../connectors/kafka/client.ts';

/**
 * Runs a query over a new connection (measured: 13–20 ms). A persistent connection wakes the process every millisecond,
 * and kafkajs does not always notice that it was cut (tulios/kafkajs#1751, #919).
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
