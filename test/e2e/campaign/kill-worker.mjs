// A worker of triggers, as a process of its own, that kills itself at one point of the trigger of each member that it is
// told of. Says `ready` when it works.
import { Context } from '@temporalio/activity';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** @type {import('./kill.test.ts').KillWorker} */
const { dist, ledger, baseUrl, address, namespace, taskQueue, points } = JSON.parse(
  /** @type {string} */ (process.env.KILL_WORKER),
);
const load = (path) => import(`${dist}/${path}.js`);
const { createTriggerActivities } = await load('activities/campaign/trigger');
const { MessagingClient } = await load('src/api-client/client');
const { createGate } = await load('src/budget/gate');
const { createBudget } = await load('src/budget/slots');
const { openPostgres } = await load('src/ledger/database');

/** Where to die, for the member in hand. */
let point = null;
const reach = async (name) => {
  if (point !== name) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};

const RIGHT = /set state = 'sending'/;
const OUTCOME = /triggered_at = case/;

const postgres = await openPostgres(ledger, () => {});
const db = {
  ...postgres,
  async transaction(work) {
    let what = null;
    const result = await postgres.transaction((tx) =>
      work({
        async query(sql, params) {
          what = RIGHT.test(sql) ? 'right' : OUTCOME.test(sql) ? 'outcome' : what;
          if (RIGHT.test(sql)) await reach('before the right');
          const rows = await tx.query(sql, params);
          if (RIGHT.test(sql) || OUTCOME.test(sql)) await reach(`inside the ${what}`);
          return rows;
        },
      }),
    );
    if (what !== null) await reach(`after the ${what}`);
    return result;
  },
};

const client = new MessagingClient({ baseUrl, token: 'svc_test_house' });
const trigger = client.flows.trigger.bind(client.flows);
client.flows.trigger = async (...args) => {
  // The service takes longer to answer than that.
  if (point === 'during the call') setTimeout(() => reach('during the call'), 100);
  const answer = await trigger(...args);
  await reach('after the call');
  return answer;
};

const log = { info() {}, warn() {}, error: console.error };
const steps = createTriggerActivities({
  ...{ db, log, gate: createGate(new Map()), clock: { now: async () => Date.now() } },
  budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
  account: () => ({
    ...{ name: 'acme', tokens: [{ client, key: 'token', position: 1 }], tokenKey: 'token' },
    ...{ settleSeconds: 60, announce: [], optOut: { tags: [], words: [] } },
  }),
});

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  ...{ namespace, taskQueue, maxConcurrentActivityTaskExecutions: 1 },
  activities: {
    async triggerMember(input) {
      point = Context.current().info.attempt === 1 ? (points[input.member] ?? null) : null;
      const result = await steps.triggerMember(input);
      point = null;
      return result;
    },
  },
});
const running = worker.run();
console.log('ready');
await running;
