// What sinks hear of the registry of opt-outs and of refused requests: each change once, with it or not at all.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/core/sql/database.ts';
import { SinkEvent } from '../../../src/jobs/events/contract/envelope.ts';
import { recordRefusedRequests } from '../../../src/jobs/events/ingress/refused-requests.ts';
import { refusedRequestHandlers } from '../../../src/jobs/events/operator/refused-requests.ts';
import { resolvedNews } from '../../../src/jobs/events/operator/resolved-news.ts';
import { recordNews } from '../../../src/jobs/events/store/dead-letter-news.ts';
import { refusedRequestId } from '../../../src/jobs/events/store/refused-requests.ts';
import type { AnnounceRule } from '../../../src/jobs/outbox/contract/announce.ts';
import { announcerOf } from '../../../src/operator/service/announce.ts';
import { optOutHandlers } from '../../../src/operator/service/opt-outs/index.ts';
import { findPerson } from '../../../src/operator/store/people/person.ts';
import { erasePerson } from '../../../src/protect/person/erase-person.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { addRow } from './store/person-rows.ts';

const NOW = Date.UTC(2026, 5, 1);
const NUMBER = '+5511987654321';
const KEY = '5511987654321';
const ana = { identity: 'user:ana', name: 'Ana', role: 'operator', via: 'session' } as const;
const ALL: AnnounceRule[] = [
  { sink: 'crm', events: ['sluice.optout.added', 'sluice.optout.withdrawn'] },
  { sink: 'ops', events: ['sluice.deadletter.added', 'sluice.deadletter.resolved'] },
];

let db: Database;
let rules: AnnounceRule[];
const deps = {
  get db() {
    return db;
  },
  config: () => ({
    config: {
      accounts: { acme: { announce: rules }, other: { announce: [{ sink: 'crm' }] } },
      routes: { signup: { account: 'acme' } },
    },
  }),
  now: async () => NOW,
  runningTemporal: async () => null,
  workQueue: 'sluice',
} as never;
beforeEach(async () => {
  db = await testLedger();
  for (const table of ['opt_outs', 'outbox', 'refused_requests', 'people'])
    await db.query(`delete from ${table}`);
  rules = ALL;
});

async function events(): Promise<SinkEvent[]> {
  const rows = await db.query<{ event: unknown }>('select event from outbox order by seq');
  return rows.map(({ event }) => SinkEvent.parse(event));
}
const types = async () => (await events()).map(({ type }) => type);

describe('the registry of opt-outs', () => {
  const handlers = () => optOutHandlers(deps);
  const add = (account = 'acme') =>
    handlers()['POST /opt-outs/{account}'](
      { account, number: NUMBER, evidence: 'by phone', reason: 'test' },
      ana,
    );
  const withdraw = () =>
    handlers()['POST /opt-outs/{account}/withdraw'](
      { account: 'acme', number: NUMBER, reason: 'asked' },
      ana,
    );
  const importRows = (dryRun: boolean) =>
    handlers()['POST /opt-outs/{account}/import'](
      {
        account: 'acme',
        rows: ['+5511987654321', '+5511987654322', '+5511987654321'].map((number) => ({
          number,
          at: '2026-05-01T00:00:00Z',
        })),
        dryRun,
        reason: 'test',
      },
      ana,
    );

  it('tells who opted out and who came back, without the evidence and the reason; a known one is no news', async () => {
    await add();
    await add();
    await withdraw();
    await expect(withdraw()).rejects.toThrow('not opted out');
    const found = await events();
    const { optOut } = (found[0] as SinkEvent).data as { optOut: number };
    const data = { account: 'acme', optOut, number: KEY, via: 'operator', at: new Date(NOW).toISOString() };
    expect(found).toMatchObject([
      { type: 'sluice.optout.added', subject: String(optOut), data: { ...data, by: 'user:ana' } },
      { type: 'sluice.optout.withdrawn', subject: String(optOut), data: { ...data, by: 'user:ana' } },
    ]);
    expect(found[0]?.partitionkey).toBe(found[1]?.partitionkey);
    expect(JSON.stringify(found)).not.toMatch(/by phone|asked/);
    const keys = await db.query<{ text: string }>('select stream || event_id as text from outbox');
    expect(JSON.stringify(keys)).not.toContain(KEY);
  });

  it('tells an import person by person, and a dry run nothing', async () => {
    await importRows(true);
    expect(await events()).toEqual([]);
    await importRows(false);
    await importRows(false);
    expect((await events()).map(({ data }) => (data as { number: string }).number).toSorted()).toEqual([
      KEY,
      '5511987654322',
    ]);
  });

  it('tells nothing to a sink that does not name the type', async () => {
    rules = [{ sink: 'crm' }];
    await add();
    await add('other');
    expect(await events()).toEqual([]);
  });

  it('an erased person leaves no event behind, and the opt-out of the erasure has none', async () => {
    await addRow(db, 'people', { account: 'acme', key: KEY });
    await add();
    expect(await types()).toEqual(['sluice.optout.added']);
    const [row] = await db.query<{ id: number }>('select id from people');
    const ref = `p${row?.id}`;
    expect(await findPerson(db, 'acme', ref)).not.toBeNull();
    await erasePerson(db, 'acme', ref, { optOut: true });
    expect(await events()).toEqual([]);
  });

  it('keeps no opt-out when its event cannot be put there', async () => {
    await db.query(`alter table outbox add constraint full_disk check (type <> 'sluice.optout.added')`);
    await expect(add()).rejects.toThrow('full_disk');
    expect(await db.query('select 1 from opt_outs')).toEqual([]);
    await db.query('alter table outbox drop constraint full_disk');
  });
});

describe('refused deliveries', () => {
  const request = (body: string) => ({
    account: 'acme',
    route: 'signup',
    code: 'SCHEMA',
    reason: 'Phone: type',
    content: { headers: { 'x-name': 'Wandercleia' }, body: Buffer.from(body), signature: null },
  });
  async function refuse(...bodies: string[]): Promise<void> {
    const recorder = recordRefusedRequests({
      announce: announcerOf(deps),
      log: { warn: (fields) => expect.unreachable(JSON.stringify(fields)) },
      flushMs: 60_000,
    });
    for (const body of bodies) recorder.keep(request(body));
    await recorder.close();
  }
  const discard = (id: string) =>
    refusedRequestHandlers(deps)['POST /refused-requests/discard'](
      { ids: [id], reason: 'test', limit: 10 },
      ana,
    );

  it('are announced when they are kept and when they are resolved, once, without their content', async () => {
    await refuse('Wandercleia 1', 'Wandercleia 1', 'Wandercleia 2');
    await refuse('Wandercleia 1');
    const id = refusedRequestId(request('Wandercleia 1'));
    await discard(id);
    await expect(discard(id)).rejects.toThrow('discarded');
    const found = await events();
    expect(found.map(({ type }) => type.replace('sluice.deadletter.', ''))).toEqual([
      'added',
      'added',
      'resolved',
    ]);
    expect(found.at(-1)).toMatchObject({
      subject: id,
      partitionkey: `acme/dead-letters/${id}`,
      data: {
        route: 'signup',
        request: id,
        record: null,
        code: 'SCHEMA',
        reason: 'Phone: type',
        resolution: { how: 'discarded', by: 'user:ana' },
      },
    });
    expect(JSON.stringify(found)).not.toContain('Wandercleia');
  });

  it('of Kafka have the same id when they are read again, and none without a route', () => {
    const origin = { topic: 'leads', partition: 3, offset: '1207', timestamp: '-1' };
    const about = { account: 'acme', route: 'signup', code: 'SCHEMA', reason: 'no', origin };
    const [one, again] = [NOW, NOW + 1000].map(
      (at) => recordNews({ ...about, at: new Date(at) }, null).event,
    );
    expect([one?.id, SinkEvent.parse(one).partitionkey]).toEqual([
      again?.id,
      'acme/dead-letters/leads/3/1207',
    ]);
    const letter = { ...about, id: '0-1', failedAt: '', key: null, value: null, omitted: null, headers: {} };
    const mark = { how: 'replayed', by: 'user:ana', at: new Date(NOW).toISOString() } as const;
    const config = { config: { routes: { signup: { account: 'acme' } } } } as never;
    const letters = [letter, { ...letter, route: 'gone' }].map((each) => ({ ...each, resolution: null }));
    expect(resolvedNews(config, letters, mark).map(({ event }) => SinkEvent.parse(event))).toMatchObject([
      {
        type: 'sluice.deadletter.resolved',
        data: { record: { topic: 'leads', partition: 3, offset: '1207' }, resolution: { how: 'replayed' } },
      },
    ]);
  });
});
