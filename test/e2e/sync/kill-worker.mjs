// A worker of sync batches, as a process of its own, that kills itself at one point of the work at each record that it is told
// of: once for each record, whoever of several such workers comes to it first. Says `ready` when it works.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** @type {import('./kill.test.ts').KillWorker} */
const { dist, config, ledger, address, namespace, taskQueue, points, marks } = JSON.parse(
  /** @type {string} */ (process.env.KILL_WORKER),
);
const load = (path) => import(`${dist}/${path}.js`);
const { createApiActivities } = await load('activities/index');
const { loadConfig } = await load('src/config/load');
const { openPostgres } = await load('src/ledger/database');
const { createDeps } = await load('workers/compose');

/** The record that a call was last made for: there is one place. */
let record = 0;
const reach = async (name, id = record) => {
  if (points[id] !== name) return;
  try {
    mkdirSync(join(marks, String(id)));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};

const TAKE = /set holder = \$3/;
const MARK_SENT = /set sent_at = coalesce/;
const RIGHT = /insert into intents .* 'sent'/s;
const OUTCOME = /attempts = 0/;

const postgres = await openPostgres(ledger, () => {});
const hooked = (inner) => ({
  async query(sql, params) {
    if (MARK_SENT.test(sql)) {
      record = RIGHT.test(sql) ? params[6] : params[0];
      await reach('before it is marked as sent');
    }
    if (OUTCOME.test(sql)) await reach('before the outcome', params[0]);
    const rows = await inner.query(sql, params);
    if (TAKE.test(sql)) for (const { id } of rows) await reach('after it was taken', id);
    if (RIGHT.test(sql)) await reach('after the right to make its card');
    return rows;
  },
});
const db = {
  ...postgres,
  ...hooked(postgres),
  transaction: (work) => postgres.transaction((tx) => work(hooked(tx))),
};

const log = { info() {}, warn() {}, error: console.error };
const { deps } = await createDeps({
  config: await loadConfig(config, { env: { TOKEN: 'svc_test_house' } }),
  ...{ db, log },
});
const [{ client }] = deps.account('acme').tokens;
for (const [resource, method, name] of [
  [client.contacts, 'upsert', 'after the call of its contact'],
  [client.cards, 'create', 'after the call of its card'],
]) {
  const call = resource[method].bind(resource);
  resource[method] = async (...args) => {
    const answer = await call(...args);
    await reach(name);
    return answer;
  };
}
const activities = createApiActivities(deps);
const { syncBatch } = activities;
activities.syncBatch = async (input) => {
  const result = await syncBatch(input);
  await reach('before the result', 0);
  return result;
};

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  ...{ namespace, taskQueue, activities, maxConcurrentActivityTaskExecutions: 1 },
  ...{ maxHeartbeatThrottleInterval: 1000, defaultHeartbeatThrottleInterval: 1000 },
});
const running = worker.run();
console.log('ready');
await running;
