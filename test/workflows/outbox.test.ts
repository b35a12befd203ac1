// The outbox at work: woken, idle, a worker lost in the middle, and `sluice outbox` as operators type it.

import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import { outboxWorkflowId, WORK_QUEUE } from '../../src/core/ids.ts';
import type { Database } from '../../src/core/sql/database.ts';
import { shortHash } from '../../src/core/sql/short-hash.ts';
import { registerOutbox } from '../../src/jobs/outbox/commands/outbox.ts';
import type { SinkStatus } from '../../src/jobs/outbox/contract/operator.ts';
import { wakeSignal } from '../../workflows/messages.ts';
import { openTestOperator, type TestOperator } from '../support/operator/operator.ts';
import { emptyLedger, testLedger } from '../support/postgres/ledger.ts';
import { runHere } from '../support/runner/run-here.ts';
import { connectTestTemporal, type TestTemporal } from '../support/temporal/temporal.ts';
import { workflowBundle } from '../support/temporal/workflow-bundle.ts';
import { until } from '../support/until.ts';
import {
  DOWN,
  type MemorySink,
  memorySink,
  outboxContext,
  published,
  put,
  REFUSED,
} from '../unit/activities/outbox/outbox-context.ts';

/** A configuration that has this sink. */
const WITH_BUS = { config: { sinks: { bus: {} } } } as unknown as LoadedConfig;

let operator: TestOperator;
let temporal: TestTemporal;
let db: Database;
let bus: MemorySink;
let worker: Worker;
let ended: Promise<void>;

beforeAll(async () => {
  [temporal, db] = await Promise.all([connectTestTemporal(), testLedger()]);
  operator = await openTestOperator({ db, temporal: temporal.client, config: WITH_BUS });
  bus = memorySink();
  const context = outboxContext(db, { bus }, { now: async () => new Date(), takeMs: 1000 });
  const { nativeConnection: connection, namespace } = temporal;
  worker = await Worker.create({
    connection,
    namespace,
    taskQueue: WORK_QUEUE,
    ...workflowBundle(),
    activities: context.activities,
  });
  ended = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await ended;
  await temporal?.close();
  await operator?.close();
});
beforeEach(async () => {
  await emptyLedger(db);
  bus.ids.length = 0;
  bus.rule = () => null;
});

const many = (count: number, streams: number, from = 0) =>
  Array.from({ length: count }, (_, n) => published(n % streams, from + n));
const handle = () => temporal.client.workflow.getHandle(outboxWorkflowId('bus'));

/** As an activity does it (activities/shared/wake.ts). */
async function wake(): Promise<void> {
  await temporal.client.workflow.signalWithStart('outboxDelivery', {
    workflowId: outboxWorkflowId('bus'),
    taskQueue: WORK_QUEUE,
    args: [{ sink: 'bus' }],
    signal: wakeSignal,
    signalArgs: [],
  });
}

const arrived = (count: number) => until(`${count} events arrived`, () => bus.ids.length >= count);

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

async function sluice(args: string) {
  const argv = ['outbox', ...args.split(' '), '--server', operator.server];
  const ended = await runHere((program) => registerOutbox(program, {}), argv);
  return { ...ended, sinks: () => linesOf(ended.stdout).map((line) => JSON.parse(line) as SinkStatus) };
}

describe('the workflow of a sink', () => {
  it('is woken for new events, also while it sends, and is idle in between', async () => {
    let woken: Promise<void> | undefined;
    bus.rule = () => {
      // Added and announced while the batch is in progress, too late for the group that it sends.
      woken ??= put(db, ['bus'], many(5, 2, 1000)).then(wake);
      return null;
    };
    await put(db, ['bus'], many(20, 3));
    await wake();
    await arrived(25);
    await woken;
    expect(new Set(bus.ids).size).toBe(25);
    const quiet = await until('it waits', async () => {
      const { raw, historyLength } = await handle().describe();
      return (raw.pendingActivities ?? []).length === 0 && historyLength;
    });
    await put(db, ['bus'], many(1, 1, 2000));
    await wake();
    await arrived(26);
    // A wake, one batch and a timer: some ten events each.
    expect(quiet).toBeLessThan(60);
  });

  it('continues after a worker was lost, and after it was terminated', async () => {
    await put(db, ['bus'], many(10, 2));
    // A lost batch has its lease. The last batch of the previous test may still end.
    await db.query(
      `insert into sink_states (sink, claimed_by, claimed_until) values ('bus', 'lost', now() + interval '1 second')
         on conflict (sink) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until`,
    );
    await wake();
    await arrived(10);
    await handle().terminate('somebody did');
    await put(db, ['bus'], many(3, 1, 100));
    await wake();
    await arrived(13);
  });
});

describe('sluice outbox', () => {
  it('shows a failing sink; a retry probes it at once, also if its workflow has ended', async () => {
    bus.rule = () => DOWN;
    await put(db, ['bus'], many(4, 2));
    await wake();
    await until('the circuit is open', async () => {
      const [sink] = (await sluice('status --json')).sinks();
      return sink?.circuit === 'open' && sink;
    });
    expect(await sluice('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^bus: left alone, .*; 4 waiting, the oldest for .*; 0 sent\n {2}nobody answers \[UNREACHABLE\]\n$/,
      ),
    });
    await handle().terminate('somebody did');
    await db.query(`update sink_states set open_until = now() + interval '1 hour'`);
    bus.rule = () => null;
    expect(await sluice('retry --yes')).toMatchObject({ code: 0, stderr: '0 events tried again\n' });
    await arrived(4);
    // The sink takes an event before the ledger knows.
    await until('no event waits', async () => (await sluice('status --json')).sinks()[0]?.waiting === 0);
    expect((await sluice('status --json')).sinks()).toMatchObject([{ sink: 'bus', circuit: 'closed' }]);
  });

  it('lists dead events without their content, retries them, and discards them', async () => {
    bus.rule = ({ id }) => (/\/1$|\/2$/.test(id) ? REFUSED : null);
    await put(db, ['bus'], many(4, 4));
    await wake();
    await arrived(2);
    const dead = await until('two are dead', async () => {
      const { stdout } = await sluice('list --dead --sink bus --json');
      const rows = stdout
        .split('\n')
        .filter(Boolean)
        .map((row) => JSON.parse(row) as { id: string });
      return rows.length === 2 && rows;
    });
    expect(dead).toEqual([
      expect.objectContaining({
        id: 'bus/2',
        eventId: `message.status/acme/1/${shortHash('acme/1/1')}`,
        state: 'dead',
        code: 'REFUSED',
        attempts: 1,
      }),
      expect.objectContaining({
        id: 'bus/3',
        eventId: `message.status/acme/2/${shortHash('acme/2/2')}`,
        state: 'dead',
      }),
    ]);
    const shown = await sluice('show bus/2');
    expect(shown.stdout).toMatch(/^why +no such thing \[REFUSED\]$/m);
    expect(shown.stdout + JSON.stringify(dead)).not.toContain('conversationId');

    expect(await sluice('list --waiting')).toMatchObject({ stdout: '', stderr: '0 events\n' });
    expect((await sluice('retry')).code).toBe(2);
    expect((await sluice('retry bus/2 bus/99')).code).toBe(3);
    expect((await sluice('show nonsense')).code).toBe(3);
    expect((await sluice('discard bus/2')).code).toBe(2);
    bus.rule = () => null;
    expect(await sluice('retry bus/2')).toMatchObject({ code: 0, stderr: '1 event tried again\n' });
    await arrived(3);
    expect(bus.ids.at(-1)).toBe('acme/1/1');
    expect(await sluice('discard bus/3 --yes')).toMatchObject({
      code: 0,
      stderr: '1 event will be discarded for good: bus/3\n1 event discarded\n',
    });
    expect(await db.query('select 1 from outbox')).toEqual([]);
  });
});
