// A broker for the tests of a file, with a client that checks it; tests are skipped where there is none.
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startKafka, type TestKafka } from '../../support/kafka/kafka.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';

/** Call it once, at the top of a test file. */
export function kafkaContext() {
  let kafka: TestKafka | null;
  let client: Kafka;
  let admin: Admin;
  beforeAll(async () => {
    kafka = await startKafka();
    if (kafka === null) return;
    client = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING });
    admin = client.admin();
    await admin.connect();
    // The first run ever fetches the jars.
  }, 300_000);
  afterAll(async () => {
    await admin?.disconnect();
    await kafka?.stop();
  });
  beforeEach(({ skip }) => {
    if (kafka === null) skip(NO_KAFKA);
  });
  return {
    get broker() {
      return kafka as TestKafka;
    },
    get client() {
      return client;
    },
    get admin() {
      return admin;
    },
  };
}
