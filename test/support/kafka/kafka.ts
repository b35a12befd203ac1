// How a test file gets a Kafka broker: out of the pool of its run, or one of its own outside such a run.
import { startBroker, type TestKafka } from './kafka-broker.ts';
import { leaseKafka, POOL_VARIABLE, type StartKafkaOptions } from './kafka-pool.ts';

export type { TestKafka } from './kafka-broker.ts';

/**
 * A broker of the test run's pool, which outlives the file: start and end take seconds. Null, with one line on stderr
 * saying why, when there is none to be had: skip the test then.
 */
export async function startKafka(options: StartKafkaOptions = {}): Promise<TestKafka | null> {
  const pool = process.env[POOL_VARIABLE];
  return pool === undefined ? await startBroker() : await leaseKafka(pool, options);
}
