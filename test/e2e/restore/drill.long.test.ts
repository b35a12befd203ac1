// A restore drill: the ledger comes back from a backup, while the service, and Temporal or nothing of it, have gone on.
// The sandbox's own log shows that nobody got anything twice.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';
import { copyState, type Effects, eventsOf, makeProject, type Project } from './project.ts';

/** People of each kind whose events are sent before the backup, and after it. */
const BEFORE = 8;
const LATE = 3;
const PEOPLE = BEFORE + LATE;
/** Each restore waits a minute before it gives up a flow. Alone on two cores, all of it takes about five minutes. */
const ALL_MS = 600_000;
/** A flow takes longer than the backup, and less than the deadline of a call. */
const FLOW_MS = 20_000;
const TEMPORAL = ['temporal.db', 'temporal.db-wal', 'temporal.db-shm'];

const once = Array.from({ length: PEOPLE }, () => 1);
const ONCE: Effects = { messages: once, flows: once, cards: once };
const early = eventsOf(0, BEFORE);
const late = eventsOf(BEFORE, PEOPLE);

let base: string;
let project: Project;
/** Backup of the running ledger, and a copy of the state folder at the end. */
let hot: string;
let final: string;

async function entries(folder: string, wanted: readonly string[]): Promise<string[]> {
  return (await readdir(folder)).filter((name) => wanted.includes(name));
}

const replaceTemporal = async (from: string) =>
  await copyState(from, project.state, await entries(from, TEMPORAL));

beforeAll(async () => {
  const dist = await buildOnce();
  // A short path: that of a Unix socket has at most 107 characters.
  base = await mkdtemp(join(tmpdir(), 'sluice-5-'));
  project = await makeProject(dist, base, PEOPLE);
  final = join(base, 'final');
  await project.start();
  await project.delayFlows(FLOW_MS);
  await project.send(early);
  await until('some of the calls were made', async () => (await project.writes()) >= 4);
  hot = (await project.lane.must(['ledger', 'backup'])).stdout.trim();
  expect(await project.writes()).toBeLessThan(BEFORE * 3);
  await project.delayFlows(0);
  await project.send(late);
  expect(await project.ended()).toEqual({ done: PEOPLE * 3 });
  await project.stop();
  await copyState(project.state, final);
  expect(await project.effects(PEOPLE)).toEqual(ONCE);
}, ALL_MS);
afterAll(async () => {
  await project?.close();
  await rm(base, { recursive: true, force: true });
});

async function restore(folder: string): Promise<{ events: number }> {
  await copyState(final, project.state);
  const { stdout } = await project.lane.must(['ledger', 'restore', folder, '--json']);
  return JSON.parse(stdout) as { events: number };
}

/** Starts Sluice; senders repeat what they are not sure of. */
async function goOn(): Promise<Readonly<Record<string, number>>> {
  await project.start();
  await project.ended();
  await project.send([...early, ...late]);
  return await project.ended();
}

describe('nothing is sent twice', { timeout: ALL_MS }, () => {
  it.each([
    ['no Temporal', async (): Promise<void> => undefined],
    ['Temporal as it was when everything was lost', async () => await replaceTemporal(final)],
  ] as const)('with a ledger of the running backup, and %s', async (_, temporal) => {
    const { events } = await restore(hot);
    expect(events).toBeGreaterThan(0);
    await temporal();
    const outcomes = await goOn();
    expect(await project.effects(PEOPLE)).toEqual(ONCE);
    // Nothing shows whether a flow ran.
    expect(outcomes.unknown).toBeGreaterThanOrEqual(LATE);
    expect((outcomes.done ?? 0) + (outcomes.unknown ?? 0) + (outcomes.unchanged ?? 0)).toBe(PEOPLE * 3);
    const ended = JSON.parse((await project.lane.must(['ledger', 'end-restore', '--json'])).stdout) as object;
    expect(ended).toMatchObject({ openEvents: 0 });
    await project.lane.must(['ledger', 'end-restore'], '', 3);
    await project.stop();
  });
});
