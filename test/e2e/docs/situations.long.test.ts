// Every documented command in three situations: `sluice dev` runs, nothing runs, and from an empty folder over HTTP. It ends
// with the same exit code, and `--json` reads the same. situations/table.ts has what differs by nature.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpClient } from '../../../src/operator/client/node.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { expectedExit, lineOf, type Outcomes, readOf, wrongExits } from './situations/compare.ts';
import { createLane, type Lane } from './situations/lane.ts';
import { idsOf, makeProject, type Project } from './situations/project.ts';
import { type Case, CHANGES, type Ids, OWN, PASSWORD, READS, type Situation } from './situations/table.ts';

/** Other tests share the machine. Alone on two cores, all commands take less than three minutes. */
const PREPARE_MS = 300_000;
const ALL_MS = 1_200_000;

let dist: string;
let base: string;
let project: Project;
let lanes: Record<Situation, Lane>;
let ids: Record<Situation, Ids>;

beforeAll(async () => {
  dist = await buildOnce();
  // A short path: that of a Unix socket has at most 107 characters.
  base = await mkdtemp(join(tmpdir(), 'sluice-3-'));
  project = await makeProject(dist, base);
  const client = httpClient(project.url, null);
  const login = { name: 'root', password: PASSWORD, accessToken: { name: 'test' } };
  const { accessToken } = await client.call('POST /login', login);
  await client.close();
  const elsewhere = join(base, 'elsewhere');
  await mkdir(elsewhere);
  const env = {
    SLUICE_SERVER: project.url,
    SLUICE_SERVER_TOKEN: accessToken as string,
    // `login` writes there.
    XDG_CONFIG_HOME: elsewhere,
  };
  lanes = { up: project.up, down: project.down, remote: createLane(dist, elsewhere, env) };
  ids = await idsOf(project.up);
}, PREPARE_MS);
afterAll(async () => {
  await project?.stop();
  await rm(base, { recursive: true, force: true });
});

const outcomes = new Map<Case, Outcomes>();

async function run(where: Situation, each: Case): Promise<void> {
  const known = outcomes.get(each) ?? {};
  outcomes.set(each, known);
  if (expectedExit(each, where) === null) known[where] = null;
  else {
    const words = each.command.split(' ').map((word) => ids[where][word as `$${string}`] ?? word);
    known[where] = await lanes[where].run([...words, ...(OWN.includes(each) ? [] : ['--json'])], each.input);
  }
}

describe('in three situations', () => {
  // The same state: a read in one situation sees no change of another.
  beforeAll(async () => {
    const served = async () => {
      for (const each of READS) {
        await run('up', each);
        await run('remote', each);
      }
      for (const each of CHANGES) await run('up', each);
      for (const each of [...CHANGES, ...OWN]) await run('remote', each);
      for (const each of OWN) await run('up', each);
    };
    const alone = async () => {
      for (const each of [...READS, ...CHANGES, ...OWN]) await run('down', each);
    };
    await Promise.all([served(), alone()]);
    for (const [each, of] of outcomes) process.stderr.write(`${lineOf(each, of)}\n`);
  }, ALL_MS);

  it.each([...READS, ...CHANGES, ...OWN])('$command ends with the expected exit code', (each) => {
    expect(wrongExits(each, outcomes.get(each) ?? {}).join('\n')).toBe('');
  });

  it.each(READS.filter(({ exit = 0 }) => exit === 0))('$command reads the same', (each) => {
    const { up, down, remote } = outcomes.get(each) ?? {};
    if (up == null || down == null || remote == null) throw new Error(`${each.command} did not run`);
    const { differs = {}, alone = {} } = each;
    expect(readOf(remote, differs)).toEqual(readOf(up, differs));
    const left = Object.assign({}, differs, alone);
    expect(readOf(down, left)).toEqual(readOf(up, left));
  });
});
