// Starts what a document expects: a folder made by `sluice init`, a sandbox, a Kafka broker, a PostgreSQL.
import pg from 'pg';
import { startBroker } from '../../test/support/kafka/kafka-broker.ts';
import { startPostgres } from '../../test/support/postgres/postgres.ts';

export interface Services {
  /** The text of a block, with the addresses of documents replaced by those of the servers that run. */
  place(text: string): string;
  sql(text: string): Promise<void>;
  start(need: 'kafka' | 'postgres'): Promise<void>;
  stop(): Promise<void>;
}

/** The addresses that documents write. */
const KAFKA = /\b(?:127\.0\.0\.1|localhost|kafka-1):9092\b/g;
const POSTGRES = /postgres(?:ql)?:\/\/[^\s'"]+/g;

export function createServices(): Services {
  const running: { stop(): Promise<void> }[] = [];
  let broker: string | null = null;
  let database: string | null = null;
  return {
    place(text) {
      const placed = broker === null ? text : text.replace(KAFKA, broker);
      return database === null ? placed : placed.replace(POSTGRES, database);
    },
    async sql(text) {
      if (database === null) throw new Error('a block of SQL needs <!-- run: setup postgres -->');
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      try {
        await client.query(text);
      } finally {
        await client.end();
      }
    },
    async start(need) {
      if (need === 'postgres') {
        const server = await startPostgres();
        running.push(server);
        database = server.url;
        return;
      }
      const server = await startBroker();
      if (server === null)
        throw new Error('no Kafka broker can be started here: install Docker, or Java and Maven');
      running.push(server);
      broker = server.brokers[0] as string;
    },
    async stop() {
      for (const server of running.toReversed()) await server.stop();
    },
  };
}

/** Commands that stand for what a document takes for granted. */
export const SETUP: Readonly<Record<string, { command: string; until: RegExp | null }>> = {
  init: {
    command: 'npx sluice init --dir ../my-crm && cd ../my-crm && export ACME_TOKEN=svc_test_local',
    until: null,
  },
  sandbox: {
    command: 'npx sluice sandbox --port 4010 --fixture sandbox.yaml --rate 3000',
    until: /"baseUrl"/,
  },
};
