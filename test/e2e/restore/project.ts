// A project whose events are under way when its ledger is backed up, and what the service has seen of each.
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../../src/core/net/ports.ts';
import { EVENT_STATES } from '../../../src/jobs/events/contract/events.ts';
import {
  type DevProcess,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../../support/console/processes.ts';
import { account } from '../../support/environment.ts';
import { effects } from '../../support/panel.ts';
import { until } from '../../support/until.ts';
import { createLane, type Lane } from '../docs/situations/lane.ts';

const TOKEN = 'svc_test_token';
/** Slow enough that a backup finds events that have not begun. */
const CALLS_PER_MINUTE = 300;

/** Events in every state. */
const EVERY = EVENT_STATES.map((state) => `--${state}`);

const phone = (n: number) => `1415555${String(2000 + n)}`;

export interface Sent {
  readonly route: 'messages' | 'flows' | 'leads';
  readonly body: Readonly<Record<string, string>>;
}

/** Events of people `from` to `to - 1`: each a message, a flow and a lead of different people. */
export function eventsOf(from: number, to: number): Sent[] {
  return Array.from({ length: to - from }, (_, i) => from + i).flatMap((n): Sent[] => [
    { route: 'messages', body: { id: `m${n}`, phone: `+${phone(n)}`, text: `Hello ${n}` } },
    { route: 'flows', body: { id: `f${n}`, phone: `+${phone(200 + n)}` } },
    { route: 'leads', body: { id: `l${n}`, phone: `+${phone(400 + n)}`, name: `Person ${n}`, stage: 'New' } },
  ]);
}

/** How often the service sent each message, ran the flow for each person, and has a card of each lead. */
export type Effects = Readonly<Record<'messages' | 'flows' | 'cards', readonly number[]>>;

export interface Project {
  readonly lane: Lane;
  readonly folder: string;
  readonly state: string;
  send(events: readonly Sent[]): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** From now on, the service takes this long for a trigger of a flow. @param ms 0 for no delay */
  delayFlows(ms: number): Promise<void>;
  /** Number of writes that the service has accepted. */
  writes(): Promise<number>;
  effects(people: number): Promise<Effects>;
  /** Waits until no event is open; answers how many ended with each outcome. */
  ended(): Promise<Readonly<Record<string, number>>>;
  log(): string;
  close(): Promise<void>;
}

export async function makeProject(dist: string, base: string, people: number): Promise<Project> {
  const folder = join(base, 'up');
  await mkdir(folder);
  const contacts = Array.from({ length: people }, (_, n) => ({
    id: n + 1,
    number: phone(200 + n),
    name: `F ${n}`,
  }));
  const sandbox: SandboxProcess = await startSandboxProcess({
    dist,
    dir: base,
    fixture: {
      accounts: [
        account({
          tokens: [
            {
              value: TOKEN,
              scopes: [
                'contacts:write',
                'cards:write',
                'connections:read',
                'conversations:read',
                'messages:read',
                'messages:send',
                'flows:trigger',
              ],
            },
          ],
          flows: [{ id: 1, name: 'reactivate', active: true, published: true, nodes: 3 }],
          contacts,
        }),
      ],
    },
    rate: CALLS_PER_MINUTE,
  });
  const port = await freePort();
  const route = (path: string, action: object) => ({
    account: 'acme',
    http: { path: `/${path}`, auth: { type: 'none' } },
    key: 'id',
    action,
  });
  await writeFile(join(folder, 'leads.csv'), 'phone,name,stage\n');
  await writeFile(
    join(folder, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: {
        acme: {
          baseUrl: sandbox.baseUrl,
          tokens: ['env:TOKEN'],
          callsPerMinute: CALLS_PER_MINUTE,
          assumptions: { 'readBack.settleSeconds': 2 },
        },
      },
      sources: { leads: { type: 'csv', path: './leads.csv' } },
      mappings: {
        leads: {
          contact: { number: 'phone', name: 'name' },
          card: { pipeline: 'Sales', when: 'stage', stage: 'stage' },
        },
      },
      syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads' } },
      routes: {
        messages: route('messages', { type: 'message', number: 'phone', text: 'text' }),
        flows: route('flows', { type: 'flow', number: 'phone', flow: 1, connection: 1 }),
        leads: route('leads', { type: 'lead', mapping: 'leads' }),
      },
      ingress: { http: { port } },
      operator: { http: { port: await freePort() } },
    }),
  );
  const env = { TOKEN };
  const lane = createLane(dist, folder, env);
  let dev: DevProcess | null = null;
  const project: Project = {
    lane,
    folder,
    state: join(folder, '.sluice'),
    async send(events) {
      for (const { route, body } of events) {
        const answer = await fetch(`http://127.0.0.1:${port}/${route}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
      }
    },
    async start() {
      dev = await startDevProcess(dist, folder, env);
    },
    async stop() {
      await dev?.stop();
      dev = null;
    },
    async delayFlows(ms) {
      await sandbox.panel.clearFaults();
      if (ms > 0) await sandbox.panel.fault({ method: 'POST', path: '/flows/trigger$', kind: 'delay', ms });
    },
    async writes() {
      const all = await sandbox.panel.requests();
      return effects(all, 'POST', /\/(?:messages\/send|flows\/trigger|cards)$/).length;
    },
    async effects(people) {
      const { contacts, cards, conversations } = (await sandbox.panel.account()) as unknown as {
        contacts: { id: number; number: string }[];
        cards: { contactId: number }[];
        conversations: { messages: { body: string; fromMe: boolean }[] }[];
      };
      const runs = await sandbox.panel.flowRuns();
      const idOf = new Map(contacts.map(({ id, number }) => [number, id]));
      const texts = conversations.flatMap(({ messages }) => messages.filter(({ fromMe }) => fromMe));
      const each = (count: (n: number) => number) => Array.from({ length: people }, (_, n) => count(n));
      return {
        messages: each((n) => texts.filter(({ body }) => body === `Hello ${n}`).length),
        flows: each((n) => runs.filter(({ contactId }) => contactId === idOf.get(phone(200 + n))).length),
        cards: each((n) => cards.filter(({ contactId }) => contactId === idOf.get(phone(400 + n))).length),
      };
    },
    async ended() {
      return await until('no event is open', async () => {
        const events = (await lane.json(['events', 'list', '--limit', '500', ...EVERY])) as {
          state: string;
          outcome: string | null;
        }[];
        if (events.some(({ state }) => state !== 'ended')) return null;
        const counts: Record<string, number> = {};
        for (const { outcome } of events) counts[outcome ?? ''] = (counts[outcome ?? ''] ?? 0) + 1;
        return counts;
      });
    },
    log: () => dev?.log() ?? '',
    async close() {
      await project.stop();
      await sandbox.stop();
    },
  };
  return project;
}

/** Puts a copy of a folder into the place of another, or of only some of its entries. */
export async function copyState(from: string, to: string, names?: readonly string[]): Promise<void> {
  const pairs =
    names === undefined
      ? [[from, to] as const]
      : names.map((name) => [join(from, name), join(to, name)] as const);
  for (const [source, target] of pairs) {
    await rm(target, { recursive: true, force: true });
    await cp(source, target, { recursive: true });
  }
}
