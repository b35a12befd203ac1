// A worker as a process of its own, that kills itself at one point of the work at each item that it is given a point for: once
// for each item, whichever of several such workers comes to it first. Prints `ready` when it works.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** @type {import('./kill-context.ts').KillWorker} */
const { work, dist, config, ledger, address, namespace, taskQueue, points, marks, concurrencyLimit } =
  JSON.parse(/** @type {string} */ (process.env.KILL_WORKER));
const load = (path) => import(`${dist}/${path}.js`);
const { createApiActivities, createEventActivities } = await load('activities/index');
const { createTriggerBatchActivities } = await load('activities/campaigns/trigger/batch');
const { loadConfig } = await load('src/config/load');
const { openPostgres } = await load('src/core/sql/database');
const { createDeps } = await load('workers/compose');

/** The item that is under way: there is one place. */
let item = /** @type {unknown} */ (0);
const reach = async (name, id = item) => {
  if (points[id] !== name) return;
  try {
    mkdirSync(join(marks, String(id)));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};

const RIGHT = /insert into intents .* 'sent'/s;

/** What the ledger is asked for at each point of a work, and which calls it makes. */
const WORKS = {
  sync: {
    async before(sql, params) {
      if (/set sent_at = coalesce/.test(sql)) {
        item = RIGHT.test(sql) ? params[6] : params[0];
        await reach('before it is marked as sent');
      }
      if (/attempts = 0/.test(sql)) await reach('before the outcome', params[0]);
    },
    async after(sql, _, rows) {
      if (/set holder = \$3/.test(sql)) for (const { id } of rows) await reach('after it was taken', id);
      if (RIGHT.test(sql)) await reach('after the right to make its card');
    },
    calls: [
      ['contacts', 'upsert', 'after the call of its contact'],
      ['cards', 'create', 'after the call of its card'],
    ],
    activities(deps) {
      const activities = createApiActivities(deps);
      const { syncBatch } = activities;
      activities.syncBatch = async (input) => {
        const result = await syncBatch(input);
        await reach('before the result', 0);
        return result;
      };
      return activities;
    },
  },
  trigger: {
    async before(sql, params) {
      if (!/set state = 'sending'/.test(sql)) return;
      item = params[4];
      await reach('before the right');
    },
    async after(sql, _, rows) {
      if (/set holder = \$8/.test(sql)) for (const { id } of rows) await reach('after it was taken', id);
      if (/set state = 'sending'/.test(sql)) await reach('after the right');
      if (/triggered_at = case/.test(sql)) await reach('inside the outcome');
    },
    async committed(sql) {
      if (/triggered_at = case/.test(sql)) await reach('after the outcome');
    },
    calls: [['flows', 'trigger', 'after the call', 'during the call']],
    activities: (deps) => createTriggerBatchActivities(deps, { concurrencyLimit }),
  },
  event: {
    async before(sql) {
      if (RIGHT.test(sql)) await reach('before the intent');
      if (/update events set state = 'ended'/.test(sql)) await reach('before the outcome');
    },
    async after(sql) {
      if (RIGHT.test(sql)) await reach('after the right');
    },
    async committed(sql) {
      if (/block_code = nullif/.test(sql)) await reach('after it was begun');
    },
    calls: [
      ['contacts', 'upsert', 'after the call of its contact'],
      ['cards', 'create', 'after the call'],
      ['flows', 'trigger', 'after the call'],
      ['messages', 'send', 'after the call'],
    ],
    activities(deps) {
      const { workEvent } = createEventActivities(deps);
      return {
        workEvent: async (input) => {
          item = input.event;
          return await workEvent(input);
        },
      };
    },
  },
};
const { before, after, committed, calls, activities } = WORKS[work];

const postgres = await openPostgres(ledger, () => {});
const hooked = (inner, done = /** @type {string[]} */ ([])) => ({
  async query(sql, params) {
    await before(sql, params);
    const rows = await inner.query(sql, params);
    done.push(sql);
    await after(sql, params, rows);
    return rows;
  },
});
const db = {
  ...postgres,
  ...hooked(postgres),
  async transaction(inside) {
    const done = /** @type {string[]} */ ([]);
    const result = await postgres.transaction((tx) => inside(hooked(tx, done)));
    for (const sql of done) await committed?.(sql);
    return result;
  },
};

const log = { info() {}, warn() {}, error: console.error };
const { deps } = await createDeps({
  config: await loadConfig(config, { env: { TOKEN: 'svc_test_token' } }),
  db,
  log,
});
const [{ client }] = deps.account('acme').tokens;
for (const [resource, method, name, during] of calls) {
  const call = client[resource][method].bind(client[resource]);
  client[resource][method] = async (...args) => {
    // The service takes longer to answer than that.
    if (during !== undefined) setTimeout(() => reach(during), 100);
    const answer = await call(...args);
    await reach(name);
    return answer;
  };
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  namespace,
  taskQueue,
  maxConcurrentActivityTaskExecutions: 1,
  maxHeartbeatThrottleInterval: 1000,
  defaultHeartbeatThrottleInterval: 1000,
  activities: activities(deps),
});
const running = worker.run();
console.log('ready');
await running;
