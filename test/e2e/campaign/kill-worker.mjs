// A worker of trigger batches, as a process of its own, that kills itself at one point of the trigger of each member that it
// is told of: once for each member, whoever of several such workers comes to it first. Says `ready` when it works.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** @type {import('./kill.test.ts').KillWorker} */
const { dist, ledger, baseUrl, address, namespace, taskQueue, points, marks, spec, places } = JSON.parse(
  /** @type {string} */ (process.env.KILL_WORKER),
);
const load = (path) => import(`${dist}/${path}.js`);
const { createTriggerBatchActivities } = await load('activities/campaign/trigger/batch');
const { MessagingClient } = await load('src/api-client/client');
const { createCallCounter } = await load('activities/call-counter');
const { createBudget } = await load('src/budget/slots');
const { openPostgres } = await load('src/ledger/database');

/** The member whose right was asked for last: there is one place. */
let member = 0;
const reach = async (name, id = member) => {
  if (points[id] !== name) return;
  try {
    mkdirSync(join(marks, String(id)));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};

const TAKE = /set holder = \$8/;
const RIGHT = /set state = 'sending'/;
const OUTCOME = /triggered_at = case/;

const postgres = await openPostgres(ledger, () => {});
const db = {
  ...postgres,
  async query(sql, params) {
    if (RIGHT.test(sql)) {
      member = params[4];
      await reach('before the right');
    }
    const rows = await postgres.query(sql, params);
    if (TAKE.test(sql)) for (const { id } of rows) await reach('after it was taken', id);
    if (RIGHT.test(sql)) await reach('after the right');
    return rows;
  },
  async transaction(work) {
    let isOutcome = false;
    const result = await postgres.transaction((tx) =>
      work({
        async query(sql, params) {
          const rows = await tx.query(sql, params);
          isOutcome ||= OUTCOME.test(sql);
          if (OUTCOME.test(sql)) await reach('inside the outcome');
          return rows;
        },
      }),
    );
    if (isOutcome) await reach('after the outcome');
    return result;
  },
};

const client = new MessagingClient({ baseUrl, token: 'svc_test_house' });
const trigger = client.flows.trigger.bind(client.flows);
client.flows.trigger = async (...args) => {
  // The service takes longer to answer than that.
  setTimeout(() => reach('during the call'), 100);
  const answer = await trigger(...args);
  await reach('after the call');
  return answer;
};

const log = { info() {}, warn() {}, error: console.error };
const activities = createTriggerBatchActivities(
  {
    ...{ db, log, calls: createCallCounter(postgres), clock: { now: async () => Date.now() } },
    budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
    campaign: () => spec,
    account: () => ({
      ...{ name: 'acme', tokens: [{ client, key: 'token', position: 1 }], tokenKey: 'token' },
      ...{ settleSeconds: 60, announce: [], optOut: { tags: [], words: [] } },
    }),
  },
  { places },
);

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  ...{ namespace, taskQueue, maxConcurrentActivityTaskExecutions: 1 },
  ...{ maxHeartbeatThrottleInterval: 1000, defaultHeartbeatThrottleInterval: 1000 },
  activities,
});
const running = worker.run();
console.log('ready');
await running;
