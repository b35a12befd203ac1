// `sluice dev` beside a sandbox of two accounts, with a configuration that changes while it works.
import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { freePort } from '../../../src/core/net/ports.ts';
import { startDevProcess, startSandboxProcess } from '../../support/console/processes.ts';
import { layCluster } from '../../support/postgres/cluster.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';

/** Calls per minute and token. */
const RATE = 1200;
const SCOPES = ['contacts:write', 'cards:write'];
export const TOKENS = ['svc_test_first', 'svc_test_second', 'svc_test_third'] as const;
const SECOND_TOKEN = 'svc_test_other_account';
const HOOK = 'a-secret-of-sixteen-bytes';

export interface Changes {
  /** The account `second` with a route, a sync of other rows, and a tag for everybody. */
  readonly later?: boolean;
  /** Further keys of the account `acme`. */
  readonly more?: object;
  readonly broken?: boolean;
}

export type Reload = Awaited<ReturnType<typeof openReload>>;

/** @param files content of the files that the sync reads, before and after its change */
export async function openReload(
  files: { readonly leads: string; readonly more: string },
  ends: (() => Promise<unknown>)[],
) {
  const dist = await buildOnce();
  const dir = await mkdtemp(join(tmpdir(), 'sluice-reload-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const hook = `http://127.0.0.1:${await freePort()}`;
  const admin = `http://127.0.0.1:${await freePort()}`;
  const fixture = { accounts: [accountWith('acme', 1, TOKENS), accountWith('second', 2, [SECOND_TOKEN])] };
  const sandbox = await startSandboxProcess({ dist, dir, fixture, rate: RATE });
  ends.push(() => sandbox.stop());

  /** As an editor or Kubernetes does it: nobody reads half of a file. */
  async function replace(name: string, text: string): Promise<void> {
    await writeFile(join(dir, `.${name}.next`), text, { mode: 0o600 });
    await rename(join(dir, `.${name}.next`), join(dir, name));
  }
  async function configure(changes: Changes = {}): Promise<void> {
    const places = {
      baseUrl: sandbox.baseUrl,
      hook: Number(new URL(hook).port),
      admin: Number(new URL(admin).port),
    };
    await replace('sluice.yaml', stringify(configOf(places, changes)));
  }
  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${admin}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? Number.NaN);
  }
  const loaded = () => metric('sluice_config_reloads_total{result="loaded"}');

  for (const [name, rows] of Object.entries(files)) await writeFile(join(dir, `${name}.csv`), rows);
  await replace('token', TOKENS[0]);
  await replace('second-token', SECOND_TOKEN);
  await replace('hook', HOOK);
  await configure();
  await layCluster(join(dir, '.sluice', 'ledger'));
  const dev = await startDevProcess(dist, dir, {});
  ends.push(() => dev.stop());

  return {
    panel: sandbox.panel,
    dev,
    ledger: join(dir, '.sluice', 'ledger'),
    replace,
    configure,
    loaded,
    isRight: async () => (await metric('sluice_config_last_reload_successful')) === 1,
    /** Makes a change, and waits until the process works with it. */
    async afterReload(change: () => Promise<void>): Promise<void> {
      const before = await loaded();
      await change();
      await until('the process loads the change', async () => (await loaded()) > before);
    },
    sluice: (...args: string[]) =>
      promisify(execFile)(process.execPath, [join(dist, 'src/cli/main.js'), ...args], { cwd: dir }),
    /** @returns the status */
    async send(route: string, key: string, body: object): Promise<number> {
      const headers = {
        authorization: `Bearer ${HOOK}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      return (await fetch(`${hook}/${route}`, { method: 'POST', headers, body: JSON.stringify(body) }))
        .status;
    },
  };
}

/** @param n ids are unique over all accounts */
function accountWith(id: string, n: number, tokens: readonly string[]) {
  return {
    id,
    tokens: tokens.map((value) => ({ value, scopes: SCOPES })),
    connections: [{ id: n, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
    tags: [{ id: n, name: 'late' }],
    pipelines: [{ id: n, name: 'Sales', stages: [{ id: 10 + n, name: 'New', order: 1 }] }],
  };
}

interface Places {
  readonly baseUrl: string;
  readonly hook: number;
  readonly admin: number;
}

function configOf({ baseUrl, hook, admin }: Places, { later = false, more = {}, broken = false }: Changes) {
  const mapping = {
    contact: { number: 'phone', name: 'name' },
    card: { pipeline: 'Sales', stage: { const: 'New' } },
  };
  const people = later ? Object.assign({ tags: [{ const: 'late' }] }, mapping) : mapping;
  const route = (account: string, path: string) => ({
    account,
    http: { path, auth: { type: 'token', secrets: ['file:hook'] } },
    action: { type: 'lead', mapping: 'people' },
  });
  const accounts = {
    acme: Object.assign({ baseUrl, tokens: ['file:token'], callsPerMinute: RATE }, more),
  };
  const routes = { form: route('acme', '/form') };
  if (later) {
    const tokens = ['file:second-token'];
    Object.assign(accounts, { second: { baseUrl, tokens, callsPerMinute: RATE } });
    Object.assign(routes, { second: route('second', '/second') });
  }
  return {
    version: 1,
    reload: { every: '500ms' },
    accounts,
    sources: { leads: { type: 'csv', path: 'leads.csv' }, more: { type: 'csv', path: 'more.csv' } },
    mappings: { people },
    syncs: {
      leads: { account: broken ? 'nobody' : 'acme', source: later ? 'more' : 'leads', mapping: 'people' },
    },
    ingress: { http: { port: hook } },
    routes,
    operator: { http: { port: 0 } },
    admin: { port: admin },
  };
}

/** Sends an event every `everyMs` until it is stopped. After a call of `toBoth`, every third one to the other account. */
export function startEvents({ send }: Reload, everyMs: number) {
  const end = new AbortController();
  const begun = performance.now();
  const sent = { form: 0, second: 0 };
  const answers: number[] = [];
  let isBoth = false;
  const sending = (async () => {
    for (let n = 0; !end.signal.aborted; n++) {
      const route = isBoth && n % 3 === 0 ? 'second' : 'form';
      const at = sent[route]++;
      answers.push(await send(route, `${route} ${at}`, { phone: numberOf(route, at), name: `Event ${at}` }));
      await until(
        'the next event is due',
        () => end.signal.aborted || n + 1 < (performance.now() - begun) / everyMs,
      );
    }
  })();
  return {
    /** Events by route. */
    sent,
    /** Statuses. */
    answers,
    toBoth(): void {
      isBoth = true;
    },
    async stop(): Promise<void> {
      end.abort();
      await sending;
    },
  };
}

const BLOCKS = { leads: '555', more: '558', form: '556', second: '557' };
export const numberOf = (group: keyof typeof BLOCKS, n: number) => `+1 415 ${BLOCKS[group]} ${2000 + n}`;
