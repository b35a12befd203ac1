// The project in which the documented commands run: that of `sluice init`, with a campaign, a poller, a route, sinks and
// schedules as the guides add them, after a first sync, a plan and some events.

import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../../src/core/net/ports.ts';
import { ALL_DAY } from '../../../support/campaigns/windows.ts';
import {
  type DevProcess,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../../../support/console/processes.ts';
import { until } from '../../../support/until.ts';
import { createLane, type Lane } from './lane.ts';
import { type Ids, PASSWORD, type Situation } from './table.ts';

const TOKEN = 'svc_test_local';
/** Seven rows: one number is not valid. */
const ROWS = [
  'Id,Name,Nickname,Phone,E-mail,Tags,Status,Wants a call',
  '1,Ana Exemplo,,(11) 91234-5601,ana@example.com,newsletter,new,yes',
  '2,Bruno Exemplo,Bru,+55 21 91234-5602,bruno@example.com,newsletter;vip,talking,yes',
  '3,Carla Exemplo,,11 91234-5603,,newsletter,new,no',
  '4,Davi Exemplo,,31 91234-5604,davi@example.com,newsletter,new,no',
  '5,Elisa Exemplo,,41 91234-5605,,newsletter,new,no',
  '6,Fabio Exemplo,,51 91234-5606,,newsletter,new,no',
  '7,Gil Exemplo,,5607,,newsletter,new,no',
];

export interface Project {
  /** With `sluice dev` running. */
  readonly up: Lane;
  /** A copy in which nothing runs. */
  readonly down: Lane;
  readonly url: string;
  stop(): Promise<void>;
}

export async function makeProject(dist: string, base: string): Promise<Project> {
  const folder = join(base, 'up');
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    const maker = createLane(dist, base, {});
    await maker.must(['init', '--dir', folder]);
    const env = { ACME_TOKEN: TOKEN };
    const fixture = parse(await readFile(join(folder, 'sandbox.yaml'), 'utf8')) as object;
    const sandboxes: SandboxProcess[] = [];
    // The second one is slow, so that a sync can be paused and canceled.
    for (const [name, rate] of [
      ['fast', 3000],
      ['slow', 6],
    ] as const) {
      const dir = join(base, name);
      await mkdir(dir);
      const sandbox = await startSandboxProcess({ dist, dir, fixture, rate });
      stops.push(() => sandbox.stop());
      sandboxes.push(sandbox);
    }
    const [fast, slow] = sandboxes as [SandboxProcess, SandboxProcess];
    await configure(folder, fast.baseUrl, slow.baseUrl);
    const up = createLane(dist, folder, env);
    const before = await startDevProcess(dist, folder, env);
    stops.push(() => before.stop());
    await seed(up, before, fast);
    await stops.pop()?.();
    const copy = join(base, 'down');
    await cp(folder, copy, { recursive: true });
    const dev = await startDevProcess(dist, folder, env);
    stops.push(() => dev.stop());
    return { up, down: createLane(dist, copy, env), url: dev.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function configure(folder: string, fast: string, slow: string): Promise<void> {
  const file = join(folder, 'sluice.yaml');
  const config = parse(await readFile(file, 'utf8')) as {
    accounts: Record<string, { baseUrl: string }>;
    syncs: Record<string, object>;
  };
  const acme = config.accounts.acme as { baseUrl: string };
  const leads = config.syncs.leads as object;
  const schedule = { cron: '0 6 1 1 *' };
  const campaign = (tag: string, excluded: string) => ({
    account: 'acme',
    flow: 1,
    connection: 1,
    variables: { name: 'contact.name' },
    audience: [{ from: 'contacts', tags: [tag] }],
    exclude: { tags: [excluded] },
    windows: { zone: 'account', days: ALL_DAY },
    // It waits after the first wave, so that the commands meet a campaign that runs.
    waves: { canary: 2, size: [2, 4], settle: '1h' },
    schedule,
  });
  await writeFile(join(folder, 'data/leads.csv'), `${ROWS.join('\n')}\n`);
  await writeFile(
    file,
    stringify(
      Object.assign(config, {
        accounts: {
          acme: Object.assign({}, acme, {
            baseUrl: fast,
            announce: [{ sink: 'archive' }, { sink: 'helpdesk', events: ['message.received'] }],
          }),
          beta: Object.assign({}, acme, { baseUrl: slow }),
        },
        syncs: {
          leads: Object.assign({}, leads, { schedule, announce: 'archive' }),
          slow: Object.assign({}, leads, { account: 'beta', schedule }),
        },
        campaigns: { 'win-back': campaign('newsletter', 'vip'), yearly: campaign('vip', 'newsletter') },
        pollers: { inbox: { account: 'acme' } },
        routes: {
          'site-leads': {
            account: 'acme',
            http: { path: '/site-leads', auth: { type: 'none' } },
            key: 'Id',
            action: { type: 'lead', mapping: 'crm-leads' },
          },
        },
        sinks: {
          archive: { type: 'jsonl', path: 'events.jsonl' },
          // Nobody listens there: its events end as dead.
          helpdesk: {
            type: 'http',
            url: 'http://127.0.0.1:9/hooks',
            secrets: ['file:hook-key'],
            retry: ['1s'],
          },
        },
        ingress: { http: { port: await freePort() } },
        operator: { http: { port: await freePort() } },
      }),
    ),
  );
  await writeFile(join(folder, 'hook-key'), `whsec_${Buffer.alloc(32, 1).toString('base64')}\n`, {
    mode: 0o600,
  });
}

/** What the reads show: a run with a rejected row, an event, a conversation, dead events of a sink, a campaign, users. */
async function seed(lane: Lane, dev: DevProcess, { panel }: SandboxProcess): Promise<void> {
  await lane.must(['user', 'add', 'root', '--role', 'admin', '--password'], `${PASSWORD}\n`);
  await lane.must(['sync', 'run', 'leads']);
  const ingress = /ingress +(http:\S+)/.exec(dev.log())?.[1];
  await post(`${ingress}/site-leads`, { Id: 'lead-1', Phone: '(11) 91234-5609', Name: 'Hugo Exemplo' });
  for (const body of ['Is it still there?', 'Hello?', 'Is anybody there?', 'Never mind'])
    await panel.inbound({ number: '5511912345601', body, connectionId: 1 });
  await lane.must(['campaign', 'plan', 'win-back']);
  await until('the event is done', async () => (await lane.json(['events', 'list', '--done'])).length > 0);
  await until('events are dead', async () => (await deadOf(lane)).length === 4);
}

/** Each situation has events of its own to retry and to discard. */
export async function idsOf(lane: Lane): Promise<Record<Situation, Ids>> {
  const dead = await deadOf(lane);
  const [event] = (await lane.json(['events', 'list', '--done'])) as { id: string }[];
  const from = (at: number): Ids => ({
    $EVENT: event?.id ?? '',
    $SHOW: dead[0] ?? '',
    $DISCARD: dead[at] ?? '',
    $RETRY: dead[at + 1] ?? '',
  });
  return { up: from(0), down: from(0), remote: from(2) };
}

async function deadOf(lane: Lane): Promise<string[]> {
  const events = (await lane.json(['outbox', 'list', '--dead'])) as { id: number | string }[];
  return events.map(({ id }) => String(id));
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}
