// kill -9 at every step of a trigger, with everything real: PostgreSQL, Temporal, the service over HTTP, a worker as a process.

import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMemberSteps } from '../../../activities/campaigns/trigger/member.ts';
import { createCampaignRunActivities } from '../../../activities/campaigns/waves/run.ts';
import {
  createApiActivities,
  createEventActivities,
  createLedgerActivities,
} from '../../../activities/index.ts';
import { apiQueue, campaignRoute, eventQueue } from '../../../src/core/ids.ts';
import { toJson } from '../../../src/core/json/stored-json.ts';
import { LANES } from '../../../src/core/lanes.ts';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { noteOptOuts } from '../../../src/core/store/opt-outs.ts';
import { digestOfSpec, lockCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { catchUp } from '../../../src/jobs/campaigns/store/results.ts';
import { campaignEnvironment, numberOf, winback } from '../../support/campaigns/campaign-context.ts';
import { type KillContext, openKillContext, untilDead } from '../../support/kill/kill-context.ts';
import { until } from '../../support/until.ts';

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
const CONTACTS = 160;
/** A campaign for each of them: until a trigger has worked, members of a campaign go one by one. */
const KILLED = POINTS.map((_, n) => `killed-${n}`);

let context: KillContext;
beforeAll(async () => {
  const { account } = campaignEnvironment(CONTACTS);
  context = await openKillContext({
    account: account ?? {},
    accountConfig: { timeZone: 'America/Sao_Paulo' },
    config: {
      campaigns: {
        // What follows a trigger is lost by no death.
        ...Object.fromEntries(KILLED.map((name) => [name, winback({ after: { tags: ['vip'] } })])),
        ...Object.fromEntries(['one', 'two', 'three', 'pair'].map((name) => [name, winback()])),
      },
    },
  });
});
afterAll(async () => await context?.close());

/** A running campaign to these contacts. @returns its run, and its members in their order */
async function running(campaign: string, contacts: readonly number[]) {
  const { db, deps } = context;
  const spec = deps.campaign('acme', campaign);
  const sync = campaignRoute(campaign);
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

const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

/** Workers for all but the batches of triggers. @returns the queue of those, and how to start a campaign */
async function workers() {
  const { deps, temporal, work } = context;
  const workQueue = await context.workflows();
  await work(workQueue, {
    ...createLedgerActivities(deps),
    ...createCampaignRunActivities(deps, { flightSeconds: 2 }),
  });
  await work(eventQueue(workQueue), createEventActivities(deps));
  const start = (campaign: string, run: string) =>
    temporal.client.workflow.start('reactivationCampaign', {
      workflowId: `${workQueue}/${campaign}`,
      taskQueue: workQueue,
      args: [{ account: 'acme', campaign, run, by: 'ana' }],
    });
  return { taskQueue: apiQueue(workQueue), start };
}

it('FAULTS 16: a worker dies at each step of a trigger: one flow a member at most, and unknown is what can not be known', async () => {
  const { db, deps, panel, work, spawn } = context;
  // Of each campaign the first member has a point, and the other one comes after it.
  const runs = await Promise.all(KILLED.map((name, n) => running(name, [2 * n + 1, 2 * n + 2])));
  // Lets a worker die while its call is in progress, however late its clock is read on a busy machine.
  await panel.fault({ method: 'POST', path: '/v1/flows/trigger', kind: 'delay', ms: 1000 });
  const { taskQueue, start } = await workers();
  const points = Object.fromEntries(POINTS.map(([point], n) => [runs[n]?.members[0] as number, point]));
  const children = await spawn(POINTS.length, { work: 'trigger', taskQueue, points });
  const handles = await Promise.all(KILLED.map((name, n) => start(name, runs[n]?.run as string)));
  await untilDead(children);
  await panel.clearFaults();
  // Another worker goes on with what they left.
  await work(taskQueue, createApiActivities(deps));
  const results = await Promise.all(handles.map((handle) => handle.result()));
  expect(results).toMatchObject(runs.map(({ run }) => ({ run, state: 'finished' })));
  const states = await db.query<{ state: string; code: string | null; sends: number; touched: boolean }>(
    `select state, code, sends, exists (select 1 from campaign_touches where member_id = m.id) as touched
       from campaign_members m where run_id = any($1) order by contact_id`,
    [runs.map(({ run }) => run)],
  );
  const ran = await context.flowRuns();
  const seen = states.map((row, n) => ({ ...row, runs: ran.get(n + 1) ?? 0 }));
  const common = { sends: 1, touched: true };
  const expected = POINTS.flatMap(([died, state, times]) => [
    { ...common, died, state, code: state === 'unknown' ? 'TRIGGER_AMBIGUOUS' : null, runs: times },
    { ...common, died: 'not at all', state: 'triggered', code: null, runs: 1 },
  ]);
  expect(seen.map((row, n) => ({ ...row, died: expected[n]?.died }))).toEqual(expected);
  // Nothing that follows a trigger is lost with the batch that was to hand it over.
  const triggered = expected.filter(({ state }) => state === 'triggered').length;
  await until('what follows the triggers is done', async () => {
    const done =
      "select 1 from events where route like '+killed-%' and state = 'ended' and outcome <> 'failed'";
    return (await db.query(done)).length === triggered;
  });
  // On a busy machine the processes take their time to start; then five seconds pass until they are missed.
}, 180_000);

it('two workers, one of which is killed: the other one continues, and only calls in progress become unknown', async () => {
  const { db, panel, spawn } = context;
  const { run } = await running('pair', range(61, 100));
  await panel.fault({ method: 'POST', path: '/v1/flows/trigger', kind: 'delay', ms: 300 });
  const { taskQueue, start } = await workers();
  const [one] = await spawn(2, { work: 'trigger', taskQueue, points: {}, concurrencyLimit: 4 });
  const handle = await start('pair', run);
  const holders = () =>
    db.query("select 1 from campaign_members where run_id = $1 and state = 'sending' group by holder", [run]);
  await until('both have a batch', async () => (await holders()).length === 2);
  await one?.kill();
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
  const ran = await context.flowRuns();
  const counts = range(61, 100).map((contact) => ran.get(contact) ?? 0);
  expect(Math.max(...counts)).toBe(1);
  expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(unknown);
}, 120_000);

it('FAULTS 47: two campaigns and three workers at once, on one PostgreSQL: each person is reached once', async () => {
  const { db, deps, postgres } = context;
  const contacts = range(31, 12);
  const runs = [await running('one', contacts), await running('two', contacts)];
  const ledgers: Database[] = await Promise.all(range(1, 3).map(() => openPostgres(postgres.url, () => {})));
  context.closing(...ledgers.map((each) => () => each.close()));
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
    // Some are asked to come back: there are more of them than may call at once.
    await Promise.allSettled(attempts());
    const open = "select 1 from campaign_members where run_id = any($1) and state in ('waiting', 'sending')";
    return (await db.query(open, [runs.map(({ run }) => run)])).length === 0;
  });
  const ran = await context.flowRuns();
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

it('results are updated while an operator changes the same members: neither waits for the other', async () => {
  const { db } = context;
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
