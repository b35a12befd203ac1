// kill -9 at every step of a trigger, with everything real: PostgreSQL, Temporal, the service over HTTP, a worker as a process.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { createMemberSteps } from '../../../activities/campaign/trigger/member.ts';
import { createCampaignRunActivities } from '../../../activities/campaign/waves/run.ts';
import {
  createApiActivities,
  createEventActivities,
  createLedgerActivities,
} from '../../../activities/index.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { CampaignSpec } from '../../../src/contracts/campaign.ts';
import { LANES } from '../../../src/contracts/run.ts';
import { toJson } from '../../../src/contracts/stored-json.ts';
import { catchUp } from '../../../src/ledger/campaign-results.ts';
import { campaignSyncName, digestOfSpec, lockCampaign } from '../../../src/ledger/campaigns.ts';
import { type Database, openPostgres } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations.ts';
import { noteOptOuts } from '../../../src/ledger/opt-outs.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { createDeps } from '../../../workers/compose.ts';
import { apiQueue, eventQueue } from '../../../workflows/policies.ts';
import { buildOnce } from '../../support/build.ts';
import { campaignHouse, numberOf, winback } from '../../support/campaign-room.ts';
import { type Child, runModule } from '../../support/child.ts';
import { SEARCH_ATTRIBUTES } from '../../support/house.ts';
import { panelOf } from '../../support/panel.ts';
import { startPostgres } from '../../support/postgres.ts';
import { connectTestTemporal } from '../../support/temporal.ts';
import { until } from '../../support/until.ts';
import { startWorkflowWorker } from '../../support/workflow-worker.ts';

/** What the worker process is told. */
export interface KillWorker {
  readonly dist: string;
  readonly ledger: string;
  readonly baseUrl: string;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Member → where to die. */
  readonly points: Readonly<Record<number, string>>;
  /** Folder of the members for whom a worker has died. */
  readonly marks: string;
  readonly spec: CampaignSpec;
  /** Members under way at once. */
  readonly places: number;
}

/** Where a worker dies, what becomes of the member then, and whether its flow ran. */
const POINTS = [
  ['after it was taken', 'triggered', 1],
  ['before the right', 'triggered', 1],
  ['after the right', 'unknown', 0],
  ['during the call', 'unknown', 0],
  ['after the call', 'unknown', 1],
  ['inside the outcome', 'unknown', 1],
  ['after the outcome', 'triggered', 1],
] as const;
const OTHERS = 3;
const CONTACTS = 160;

const ends: (() => Promise<unknown>)[] = [];
let room: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  room = await open();
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

async function open() {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-kill-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const { account } = campaignHouse(CONTACTS);
  const [postgres, temporal, sandbox, dist] = await Promise.all([
    startPostgres(),
    connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES }),
    startSandbox({ port: 0, dataDir: join(dir, 'sandbox'), fixture: { accounts: [account] }, rate: 0 }),
    buildOnce(),
  ]);
  ends.push(
    () => postgres.stop(),
    () => temporal.close(),
    () => sandbox.close(),
  );
  const db = await openPostgres(postgres.url, () => {});
  ends.push(() => db.close());
  await migrate(db);
  const file = join(dir, 'sluice.yaml');
  const both = {
    acme: {
      baseUrl: sandbox.baseUrl,
      tokens: ['env:TOKEN'],
      callsPerMinute: 60_000,
      timeZone: 'America/Sao_Paulo',
    },
  };
  await writeFile(
    file,
    stringify({
      version: 1,
      accounts: both,
      campaigns: {
        // What follows a trigger is lost by no death.
        winback: winback({ after: { tags: ['vip'] } }),
        ...Object.fromEntries(['one', 'two', 'three', 'pair'].map((name) => [name, winback()])),
      },
    }),
  );
  const config = await loadConfig(file, { env: { TOKEN: 'svc_test_house' } });
  const { deps, close } = await createDeps({
    config,
    db,
    log: { info() {}, warn() {}, error: console.error },
  });
  ends.push(close);
  return { dir, postgres, temporal, sandbox, dist, db, deps, panel: panelOf(sandbox.panelUrl) };
}

/** A running campaign to these contacts. @returns its run, and its members in their order */
async function running(campaign: string, contacts: readonly number[]) {
  const { db, deps } = room;
  const spec = deps.campaign('acme', campaign);
  const sync = campaignSyncName(campaign);
  const run = `acme/${sync}/1`;
  await db.query(
    "insert into runs (id, account, sync, seq, spec, kind, status) values ($1, 'acme', $2, 1, $3, 'campaign', 'syncing')",
    [run, sync, toJson(spec)],
  );
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, started_at)
     values ($1, 'acme', $2, $3, 'running', now(), 'ana', now())`,
    [run, campaign, digestOfSpec(spec)],
  );
  const rows = await db.query<{ id: number }>(
    `insert into campaign_members (run_id, key, number, contact_id, part, zones, variables, state, place)
     select $1, number, number, contact, 0, 'America/Sao_Paulo', '{}', 'waiting', n
       from unnest($2::int[], $3::text[]) with ordinality as m(contact, number, n) order by n returning id`,
    [run, contacts, contacts.map(numberOf)],
  );
  return { run, members: rows.map(({ id }) => id) };
}

const activity = () => new MockActivityEnvironment({ priority: { priorityKey: LANES.campaign } });

/** Flows that ran, by contact. */
async function flowRuns(): Promise<Map<number, number>> {
  const answer = await fetch(`${room.sandbox.panelUrl}/flow-runs`);
  const { runs } = (await answer.json()) as { runs: { contactId: number }[] };
  const counts = new Map<number, number>();
  for (const { contactId } of runs) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
  return counts;
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

/** Starts the campaign's workflow, with workers for all but its batches, which `more` brings later. */
async function begun(campaign: string, run: string) {
  const { deps, temporal } = room;
  const { namespace, nativeConnection: connection } = temporal;
  const { workQueue, stop } = await startWorkflowWorker(temporal);
  ends.push(stop);
  const work = async (taskQueue: string, activities: object) => {
    const made = await Worker.create({ connection, namespace, taskQueue, activities });
    const done = made.run();
    ends.push(async () => {
      made.shutdown();
      await done;
    });
  };
  await work(workQueue, {
    ...createLedgerActivities(deps),
    ...createCampaignRunActivities(deps, { flightSeconds: 2 }),
  });
  const start = () =>
    temporal.client.workflow.start('reactivationCampaign', {
      ...{ workflowId: `${workQueue}/${campaign}`, taskQueue: workQueue },
      args: [{ account: 'acme', campaign, run, by: 'ana' }],
    });
  await work(eventQueue(workQueue), createEventActivities(deps));
  return { workQueue, start, more: () => work(apiQueue(workQueue), createApiActivities(deps)) };
}

function workerOf(campaign: string, workQueue: string, told: Pick<KillWorker, 'points' | 'places'>): Child {
  const { dir, dist, deps, postgres, sandbox, temporal } = room;
  const settings: KillWorker = {
    ...{ dist, ledger: postgres.url, baseUrl: sandbox.baseUrl, marks: dir },
    ...{ address: inject('temporalAddress'), namespace: temporal.namespace },
    ...{ taskQueue: apiQueue(workQueue), spec: deps.campaign('acme', campaign), ...told },
  };
  const child = runModule(`await import(${JSON.stringify(join(import.meta.dirname, 'kill-worker.mjs'))})`, {
    KILL_WORKER: JSON.stringify(settings),
  });
  ends.push(() => child.kill());
  return child;
}

it('FAULTS 16: a worker dies at each step of a trigger: one flow a member at most, and unknown is what can not be known', async () => {
  const { db, panel } = room;
  const contacts = range(1, POINTS.length + OTHERS);
  const { run, members } = await running('winback', contacts);
  // So that a worker can die while its call is under way, however late its clock is read on a busy machine.
  await panel.fault({ method: 'POST', path: '/v1/flows/trigger', kind: 'delay', ms: 1000 });
  const { workQueue, start, more } = await begun('winback', run);
  const points = Object.fromEntries(POINTS.map(([point], n) => [members[n] as number, point]));
  // One a point: each takes one member at a time, and dies with the first that has a point.
  const children: Child[] = POINTS.map(() => workerOf('winback', workQueue, { points, places: 1 }));
  await Promise.all(children.map((child) => child.line()));
  const handle = await start();
  const deaths = await Promise.all(children.map((child) => child.ended()));
  expect(deaths).toEqual(POINTS.map(() => ({ code: null, signal: 'SIGKILL' })));
  await panel.clearFaults();
  // Another worker goes on with what they left.
  await more();
  expect(await handle.result()).toMatchObject({ run, state: 'finished' });
  const states = await db.query<{ state: string; code: string | null; sends: number; touched: boolean }>(
    `select state, code, sends, exists (select 1 from campaign_touches where member_id = m.id) as touched
       from campaign_members m where run_id = $1 order by id`,
    [run],
  );
  const runs = await flowRuns();
  const seen = states.map((row, n) => ({
    ...{ died: POINTS[n]?.[0] ?? 'not at all', ...row, runs: runs.get(n + 1) ?? 0 },
  }));
  const expected = contacts.map((_, n) => {
    const [died, state, ran] = POINTS[n] ?? ['not at all', 'triggered', 1];
    const code = state === 'unknown' ? 'TRIGGER_AMBIGUOUS' : null;
    return { died, state, code, sends: 1, touched: true, runs: ran };
  });
  expect(seen).toEqual(expected);
  // Nothing that follows a trigger is lost with the batch that was to hand it over.
  const triggered = expected.filter(({ state }) => state === 'triggered').length;
  await until('what follows the triggers is done', async () => {
    const done = "select 1 from events where route = '+winback' and state = 'ended' and outcome <> 'failed'";
    return (await db.query(done)).length === triggered;
  });
  // On a busy machine the processes take their time to start; then five seconds pass until each is missed.
}, 180_000);

it('two workers, and one is killed in the middle: the other one goes on, and only what was under way is unknown', async () => {
  const { db, panel } = room;
  const { run } = await running('pair', range(61, 100));
  await panel.fault({ method: 'POST', path: '/v1/flows/trigger', kind: 'delay', ms: 300 });
  const { workQueue, start } = await begun('pair', run);
  const told = { points: {}, places: 4 };
  const [one, other] = [workerOf('pair', workQueue, told), workerOf('pair', workQueue, told)];
  await Promise.all([one.line(), other.line()]);
  const handle = await start();
  const holders = () =>
    db.query("select 1 from campaign_members where run_id = $1 and state = 'sending' group by holder", [run]);
  await until('both have a batch', async () => (await holders()).length === 2);
  await one.kill();
  expect(await handle.result()).toMatchObject({ run, state: 'finished' });
  await panel.clearFaults();
  const [sum] = await db.query<{ triggered: number; unknown: number }>(
    `select count(*) filter (where state = 'triggered')::int as triggered,
            count(*) filter (where state = 'unknown')::int as unknown from campaign_members where run_id = $1`,
    [run],
  );
  const { triggered = 0, unknown = 0 } = sum ?? {};
  expect(triggered + unknown).toBe(100);
  expect(unknown).toBeLessThanOrEqual(4);
  const ran = await flowRuns();
  const counts = range(61, 100).map((contact) => ran.get(contact) ?? 0);
  expect(Math.max(...counts)).toBe(1);
  expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(unknown);
}, 120_000);

it('FAULTS 47: two campaigns and three workers at once, on one PostgreSQL: each person is reached once', async () => {
  const { db, deps, postgres } = room;
  const contacts = range(31, 12);
  const runs = [await running('one', contacts), await running('two', contacts)];
  const ledgers: Database[] = await Promise.all(range(1, 3).map(() => openPostgres(postgres.url, () => {})));
  ends.push(...ledgers.map((each) => () => each.close()));
  const workers = ledgers.map((ledger) => createMemberSteps({ ...deps, db: ledger }));
  const attempts = () =>
    workers.flatMap((steps) =>
      runs.flatMap(({ run, members }) =>
        members.map((member) =>
          activity().run(async () => await steps.run('triggerMember', await steps.frozen(run), member)),
        ),
      ),
    );
  await until('all have their outcome', async () => {
    // Some are told to come back: there are more of them than may call at once.
    await Promise.allSettled(attempts());
    const open = "select 1 from campaign_members where run_id = any($1) and state in ('waiting', 'sending')";
    return (await db.query(open, [runs.map(({ run }) => run)])).length === 0;
  });
  const ran = await flowRuns();
  expect(contacts.map((contact) => ran.get(contact))).toEqual(contacts.map(() => 1));
  const states = await db.query<{ state: string; code: string | null; n: number }>(
    `select state, code, count(*)::int as n from campaign_members where run_id = any($1) group by 1, 2 order by 1`,
    [runs.map(({ run }) => run)],
  );
  expect(states).toEqual([
    { state: 'skipped', code: 'FREQUENCY_CAP', n: contacts.length },
    { state: 'triggered', code: null, n: contacts.length },
  ]);
});

it('results are stamped while an operator acts on the same members: neither waits for the other', async () => {
  const { db } = room;
  const { run } = await running('three', range(51, 2));
  await db.query("update campaign_members set state = 'triggered', triggered_at = $2 where run_id = $1", [
    run,
    new Date(0),
  ]);
  await noteOptOuts(db, 'acme', range(51, 2).map(numberOf), 'reply', new Date());
  let stamping: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await lockCampaign(tx, run);
    stamping = catchUp(db, run, new Date());
    await until('it waits', async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return (await db.query(waiting)).length > 0;
    });
    await tx.query("update campaign_members set reason = 'seen' where run_id = $1", [run]);
  });
  await stamping;
  const stamped = 'select 1 from campaign_members where run_id = $1 and opted_out_at is not null';
  expect(await db.query(stamped, [run])).toHaveLength(2);
});
