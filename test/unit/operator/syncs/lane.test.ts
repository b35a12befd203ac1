// The priority of a sync is changed in sluice.yaml: in use at once, written in the audit log with the one before.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { laneOrders } from '../../../../src/jobs/sync/operator/lane-order.ts';
import { getRun, openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { operatorContext } from '../../../support/operator/context.ts';

const FILE = `version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [ env:TOKEN ] }
sources:
  crm: { type: csv, path: crm.csv }
mappings:
  crm: { contact: { number: phone } }
syncs:
  leads: { account: acme, source: crm, mapping: crm } # nightly
  one: &one { account: acme, source: crm, mapping: crm }
  two: *one
`;

const { db, operator, file } = operatorContext({ yaml: FILE, checks: true });

it('an operator sets it; the list, the configuration and the audit log have it', async () => {
  const input = { sync: 'leads', lane: 'lead', reason: 'fair' } as const;
  const done = await operator.as({ role: 'operator' }).call('PUT /syncs/{sync}/lane', input);
  expect(done).toMatchObject({ before: 'backfill', file: file() });
  expect(await readFile(file(), 'utf8')).toBe(
    FILE.replace('mapping: crm } # nightly', 'mapping: crm, lane: lead } # nightly'),
  );
  expect(operator.config().spec('leads').options.lane).toBe('lead');
  const { syncs } = await operator.client.call('GET /syncs', {});
  expect(syncs.map(({ sync, lane }) => [sync, lane])).toEqual([
    ['leads', 'lead'],
    ['one', 'backfill'],
    ['two', 'backfill'],
  ]);
  const { lines } = await operator.client.call('GET /audit', { action: 'PUT /syncs/{sync}/lane' });
  expect(lines).toMatchObject([
    { outcome: 'ok', details: { lane: 'lead', before: 'backfill', reason: 'fair' } },
  ]);
});

it('the answer says which run goes on with the lane that it began with', async () => {
  const set = (lane: 'lead' | 'backfill') =>
    operator.as({ role: 'operator' }).call('PUT /syncs/{sync}/lane', { sync: 'leads', lane });
  expect(await set('lead')).toMatchObject({ running: null });
  const run = await openRun(db, operator.config().spec('leads'));
  expect(await set('backfill')).toMatchObject({ running: { run: run.id, lane: 'lead' } });
  expect((await getRun(db, run.id)).spec.options.lane).toBe('lead');
});

it.each([
  ['a sync that shares its entry', 'two', 'operator', { kind: 'conflict', code: 'SYNC_SHARED' }],
  ['a sync that others share', 'one', 'operator', { kind: 'conflict', code: 'SYNC_SHARED' }],
  ['a sync that is not there', 'nobody', 'operator', { kind: 'notFound' }],
  ['an editor', 'leads', 'editor', { kind: 'forbidden' }],
] as const)('%s is refused, and nothing is written', async (_, sync, role, refusal) => {
  const call = operator.as({ role }).call('PUT /syncs/{sync}/lane', { sync, lane: 'lead' });
  await expect(call).rejects.toMatchObject(refusal);
  expect(await readFile(file(), 'utf8')).toBe(FILE);
});

it('says which other work of the account goes before and after, for each lane', async () => {
  const { lanes } = await operator.as({ role: 'viewer' }).call('GET /syncs/{sync}/lanes', { sync: 'leads' });
  const [one, two] = ['one', 'two'].map((name) => ({ kind: 'sync', name }));
  expect(lanes).toEqual([
    { lane: 'lead', before: [], beside: [], after: [one, two] },
    { lane: 'backfill', before: [], beside: [one, two], after: [] },
  ]);
});

it('orders routes, pollers and campaigns by the lane of their calls, and leaves out other accounts', () => {
  const [acme, beta] = [{ account: 'acme' }, { account: 'beta' }];
  const config = {
    syncs: { leads: { ...acme, lane: 'backfill' }, fresh: { ...acme, lane: 'lead' } },
    campaigns: { spring: acme, other: beta },
    pollers: { chats: acme },
    routes: {
      signup: { ...acme, action: { type: 'lead' } },
      notify: { ...acme, action: { type: 'message' } },
      elsewhere: { ...beta, action: { type: 'lead' } },
    },
  } as const;
  const [order] = laneOrders(config, { account: 'acme', sync: 'leads' }, ['lead']);
  const names = (work: readonly { readonly name: string }[] = []) => work.map(({ name }) => name);
  expect(names(order?.before)).toEqual(['notify']);
  expect(names(order?.beside)).toEqual(['signup', 'fresh']);
  expect(names(order?.after)).toEqual(['chats', 'spring']);
});
