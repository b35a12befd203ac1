// The example of a team's own job, whose worker is killed in the middle of a call, twice: each person who is due gets one
// message.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { numberOf, type OwnContext, openOwnContext } from '../../support/own-context.ts';
import { effects } from '../../support/panel.ts';
import { type Child, runModule } from '../../support/runner/child.ts';
import { until } from '../../support/until.ts';

const DAY = '2026-11-27';
const PEOPLE = 20;
const SEND = { method: 'POST', path: '/v1/messages/send' };

let open: OwnContext;
const children: Child[] = [];
beforeAll(async () => {
  open = await openOwnContext();
});
afterAll(async () => {
  for (const child of children) await child.kill();
  await open.close();
});

const moduleOf = (path: string) => JSON.stringify(pathToFileURL(resolve(path)).href);

function startWorker(taskQueue: string): Child {
  const code = `
    const { createWorker } = await import(${moduleOf('workers/own/index.ts')});
    const { createActivities } = await import(${moduleOf('examples/nightly-job/activities.ts')});
    const worker = await createWorker({
      config: ${JSON.stringify(open.config)},
      taskQueue: ${JSON.stringify(taskQueue)},
      workflowsPath: ${JSON.stringify(resolve('examples/nightly-job/workflows.ts'))},
      activities: (sluice) => createActivities(sluice, { account: 'acme', database: ${JSON.stringify(open.url)} }),
    });
    await worker.run();`;
  const child = runModule(code, open.env);
  children.push(child);
  return child;
}

async function sent(): Promise<number> {
  return effects(await open.panel.requests(), SEND.method, /\/messages\/send$/).length;
}

it('messages each person who is due once, though its worker is killed during calls and the service is busy', async () => {
  const { temporal, panel } = open;
  for (let n = 0; n < PEOPLE; n++) await open.due(n, n, DAY);
  const taskQueue = temporal.taskQueue('nightly');
  const handle = await temporal.client.workflow.start('nightlyJob', {
    workflowId: taskQueue,
    taskQueue,
    args: [DAY],
  });
  for (const before of [3, 9]) {
    // The service takes the message, and its answer does not come before the worker is dead.
    const child = startWorker(taskQueue);
    await until(`${before} messages are sent`, async () => (await sent()) >= before);
    await panel.fault({ ...SEND, kind: 'delay', ms: 2000, times: 1 });
    await until('a call is held', () => panel.fired());
    await child.kill();
    await panel.clearFaults();
  }
  const busy = { error: 'slow down', code: 'ERR_RATE_LIMITED' };
  await panel.fault({
    ...SEND,
    kind: 'status',
    status: 429,
    body: busy,
    headers: { 'Retry-After': '1' },
    times: 2,
  });
  startWorker(taskQueue);
  expect(await handle.result()).toMatchObject({ optedOut: 0, unknown: 0 });
  const due = Array.from({ length: PEOPLE }, (_, n) => [numberOf(n), 1]);
  expect(await open.messages()).toEqual(Object.fromEntries(due));
});
