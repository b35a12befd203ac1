// The example of a team's own job, as its worker runs it: each person who is due gets one message, whatever breaks.
import { resolve } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createActivities } from '../../examples/nightly-job/activities.ts';
import type { nightlyJob } from '../../examples/nightly-job/workflows.ts';
import { noteOptOuts } from '../../src/core/store/opt-outs.ts';
import { createWorker, isOptedOut, type Sluice } from '../../workers/own/index.ts';
import { numberOf, type OwnContext, openOwnContext } from '../support/own-context.ts';

const DAY = '2026-11-27';
/** The first one opted out. */
const PEOPLE = 6;

let open: OwnContext;
beforeAll(async () => {
  open = await openOwnContext();
});
afterAll(() => open.close());

it('messages each person who is due once, though answers are lost and the activity dies after a call', async () => {
  const { temporal, db, config, env, url, panel } = open;
  for (let n = 0; n < PEOPLE; n++) await open.due(n, n, DAY);
  // Somebody with two appointments, and somebody who is not due.
  await open.due(50, 1, DAY);
  await open.due(51, 51, '2026-12-01');
  await noteOptOuts(db, 'acme', [numberOf(0)], 'operator', new Date());
  await panel.fault({ kind: 'reset-after', method: 'POST', path: '/v1/messages/send', times: 2 });
  let deaths = 0;
  /** The process dies after the third call: the activity ends before it hears of the answer. */
  const dying = (sluice: Sluice): Sluice => ({
    ...sluice,
    account(name, options) {
      const client = sluice.account(name, options);
      return {
        ...client,
        once: (kind, subject, write, find) =>
          client.once(
            kind,
            subject,
            async (own) => {
              const answer = await write(own);
              if (deaths++ === 0) throw new Error('the process died');
              return answer;
            },
            find,
          ),
      };
    },
  });
  const taskQueue = temporal.taskQueue('nightly');
  const worker = await createWorker({
    config,
    env,
    taskQueue,
    name: 'nightly',
    workflowsPath: resolve('examples/nightly-job/workflows.ts'),
    activities: (sluice) => createActivities(dying(sluice), { account: 'acme', database: url }),
  });
  const running = worker.run();
  try {
    const first: WorkflowHandle<typeof nightlyJob> = await temporal.client.workflow.start('nightlyJob', {
      workflowId: taskQueue,
      taskQueue,
      args: [DAY],
    });
    // The two lost answers and the one before the death are found by earlier attempts or by reading back.
    const counts = await first.result();
    expect(counts).toMatchObject({ optedOut: 1, unknown: 0 });
    expect(counts.sent + counts.repeated).toBe(PEOPLE - 1);
    expect(deaths).toBeGreaterThan(1);
    // The same night again: nobody gets a second message.
    const again: WorkflowHandle<typeof nightlyJob> = await temporal.client.workflow.start('nightlyJob', {
      workflowId: `${taskQueue}-again`,
      taskQueue,
      args: [DAY],
    });
    expect(await again.result()).toEqual({ sent: 0, repeated: PEOPLE - 1, optedOut: 1, unknown: 0 });
    const metrics = await (await fetch(`${worker.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/sluice_api_calls_total\{[^}]*lane="campaign"/);
  } finally {
    await worker.stop();
    await running;
  }
  const due = Array.from({ length: PEOPLE - 1 }, (_, n) => [numberOf(n + 1), 1]);
  expect(await open.messages()).toEqual(Object.fromEntries(due));
  const calls = await db.query(
    `select distinct run_id, lane, person_key is not null as person from calls where route = '/v1/messages/send'`,
  );
  expect(calls).toEqual([{ run_id: 'acme/=nightly/1', lane: 4, person: true }]);
});

it('refuses a send to somebody who opted out before a call, unless it says otherwise', async () => {
  const { temporal, db, config, env } = open;
  await noteOptOuts(db, 'acme', [numberOf(90)], 'operator', new Date());
  const before = await open.messages();
  const activities = (sluice: Sluice) => ({
    async messageDue() {
      const message = { number: numberOf(90), body: 'your code is 1234' };
      const refused = await sluice
        .account('acme')
        .messages.send(message)
        .then(
          () => false,
          (error: unknown) => isOptedOut(error),
        );
      await sluice.account('acme', { lane: 'reply', toOptedOut: true }).messages.send(message);
      return { refused, known: await sluice.optedOut('acme', `+${numberOf(90)}`) };
    },
  });
  const taskQueue = temporal.taskQueue('otp');
  const worker = await createWorker({
    config,
    env,
    taskQueue,
    workflowsPath: resolve('examples/nightly-job/workflows.ts'),
    activities,
  });
  const running = worker.run();
  try {
    const result = await temporal.client.workflow.execute('nightlyJob', { workflowId: taskQueue, taskQueue });
    expect(result).toEqual({ refused: true, known: true });
  } finally {
    await worker.stop();
    await running;
  }
  const sent = await open.messages();
  expect(sent[numberOf(90)]).toBe((before[numberOf(90)] ?? 0) + 1);
});

it.each([
  [
    'without TEMPORAL_ADDRESS',
    { TEMPORAL_ADDRESS: '' },
    {},
    /set `temporal.address` or TEMPORAL_ADDRESS: .*`sluice dev`/,
  ],
  ['without DATABASE_URL', { DATABASE_URL: '' }, {}, /set DATABASE_URL: /],
  ["on Sluice's own queue", {}, { taskQueue: 'sluice-api' }, /"sluice-api" is not one of your own/],
  ['with a name that no run can have', {}, { name: 'a/b' }, /"a\/b" .* letters, digits/],
])('refuses to start %s, and says what to do', async (_, env, over, message) => {
  const making = createWorker({
    config: open.config,
    taskQueue: 'own',
    activities: () => ({}),
    ...over,
    env: { ...open.env, ...env },
  });
  await expect(making).rejects.toThrow(message);
});
