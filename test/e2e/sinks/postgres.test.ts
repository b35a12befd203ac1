// The PostgreSQL sink at a real server: what stands in the table, which rows are refused, and what an outage leaves behind.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSink } from '../../../src/connectors/sinks/index.ts';
import type { Sent, Sink, SinkError } from '../../../src/connectors/sinks/sink.ts';
import { freePort } from '../../../src/core/net/ports.ts';
import type { SinkEvent } from '../../../src/jobs/events/contract/envelope.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';
import { publishedEvent } from '../../unit/connectors/sinks/published-event.ts';

let server: TestPostgres;
let admin: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await server.stop();
});
const toEnd: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of toEnd.splice(0).toReversed()) await end();
});

async function sinkOn(table: string, url = server.url): Promise<Sink> {
  const sink = await openSink(
    { type: 'postgres', url: 'env:URL', table },
    { name: 'warehouse', secret: async () => url, baseDir: '/nowhere', log: () => undefined },
  );
  toEnd.push(() => sink.close());
  return sink;
}
const send = async (sink: Sink, ...events: SinkEvent[]): Promise<readonly Sent[]> =>
  await sink.send(events, { signal: new AbortController().signal });
const errorOf = (sent: readonly Sent[], at = 0) => (sent[at] as { error: SinkError }).error;
const rowsOf = async (sql: string): Promise<Record<string, unknown>[]> => (await admin.query(sql)).rows;
const idsIn = async (table: string) =>
  (await rowsOf(`select id from ${table} order by seq`)).map(({ id }) => id);
const SENT = { state: 'sent' };
const event = (n: number, body = 'hi', conversation = n % 3) => publishedEvent({ n, conversation, body });
const urlAs = (user: string, password = 'test', database?: string) => {
  const url = new URL(server.url);
  Object.assign(url, {
    username: user,
    password,
    ...(database !== undefined && { pathname: `/${database}` }),
  });
  return url.href;
};

describe('a batch', () => {
  it('becomes rows in its order, in a table that is made for it', async () => {
    const events = Array.from({ length: 50 }, (_, n) => event(50 - n));
    expect(await send(await sinkOn('sluice_events'), ...events)).toEqual(events.map(() => SENT));
    expect(await idsIn('sluice_events')).toEqual(events.map(({ id }) => id));
    const [row] = await rowsOf('select * from sluice_events order by seq limit 1');
    const [first] = events;
    expect(row).toEqual({
      id: first?.id,
      type: 'message.received',
      source: first?.source,
      subject: 'id:m50',
      time: new Date(first?.time as string),
      partitionkey: 'acme/2',
      data: first?.data,
      event: first,
      received_at: expect.any(Date) as Date,
      seq: '1',
    });
  });

  it('accepts text that PostgreSQL cannot store, in any field', async () => {
    const odd = event(1, 'half \ud83d, whole 😀, nul \u0000, \\u0000 as text, \udc00');
    Object.assign(odd.data, { 'nul\u0000key': 'x\ud800' });
    expect(await send(await sinkOn('odd'), odd)).toEqual([SENT]);
    expect(await rowsOf(`select data->'message'->>'body' as body, data->>'nulkey' as key from odd`)).toEqual([
      { body: 'half \ufffd, whole 😀, nul , \\u0000 as text, \ufffd', key: 'x\ufffd' },
    ]);
  });

  it('that is sent again, whole or in part, leaves one row an event, as it first stood', async () => {
    const sink = await sinkOn('again');
    await send(sink, event(1), event(2));
    const changed = { ...event(2), type: 'message.sent' as const } as SinkEvent;
    expect(await send(sink, changed, event(3), event(3))).toEqual([SENT, SENT, SENT]);
    expect(await rowsOf('select id, type from again order by seq')).toEqual(
      [1, 2, 3].map((n) => ({ id: event(n).id, type: 'message.received' })),
    );
  });

  it('goes to the table as the configuration writes it, in its schema', async () => {
    await admin.query('create schema "Crm"; create table events (id text)');
    await send(await sinkOn('Crm.Events'), event(1));
    expect(await idsIn('"Crm"."Events"')).toEqual([event(1).id]);
  });

  it('of several processes follows another: who reads on from the last seq misses nothing', async () => {
    const writers = await Promise.all(['a', 'b', 'c'].map(() => sinkOn('followed')));
    await send(writers[0] as Sink, event(0));
    const followed: unknown[] = [];
    let last = '0';
    const over = new AbortController();
    const follow = async () => {
      while (!over.signal.aborted) {
        const rows = await rowsOf(`select id, seq from followed where seq > ${last} order by seq`);
        followed.push(...rows.map(({ id }) => id));
        last = String(rows.at(-1)?.seq ?? last);
      }
    };
    const following = follow();
    await Promise.all(
      writers.map(async (sink, writer) => {
        for (let n = 0; n < 25; n++)
          await send(sink, ...[0, 1, 2, 3].map((k) => event(1000 * (writer + 1) + 10 * n + k)));
      }),
    );
    over.abort();
    await following;
    followed.push(
      ...(await rowsOf(`select id from followed where seq > ${last} order by seq`)).map(({ id }) => id),
    );
    expect(followed).toEqual(await idsIn('followed'));
    expect(followed).toHaveLength(301);
  });
});

describe('a row that the table refuses', () => {
  const rules: [name: string, sql: string, code: string, rule: string][] = [
    [
      'a constraint',
      `alter table T add constraint only_good check (event->'data'->'message'->>'body' <> 'bad')`,
      '23514',
      'constraint only_good',
    ],
    [
      'a deferred constraint',
      `create table known (subject text primary key); insert into known select 'id:m' || n from generate_series(1, 9) n where n not in (2, 4);
       alter table T add constraint is_known foreign key (subject) references known deferrable initially deferred`,
      '23503',
      'constraint is_known',
    ],
    [
      'a trigger',
      `create function refuse() returns trigger language plpgsql as $$ begin
         if new.data->'message'->>'body' = 'bad' then raise exception 'never %', new.data; end if; return new; end $$;
       create trigger refuse before insert on T for each row execute function refuse()`,
      'P0001',
      'a rule or trigger of the table',
    ],
  ];
  it.each(rules)(
    'by %s fails alone and for good; the others are there, in order',
    async (name, sql, code, rule) => {
      const table = name.replaceAll(' ', '_');
      const sink = await sinkOn(table);
      await send(sink, event(9));
      await admin.query(sql.replaceAll('T ', `${table} `));
      const sent = await send(sink, ...[1, 2, 3, 4, 5].map((n) => event(n, n % 2 === 0 ? 'bad' : 'good', 1)));
      expect(sent.map(({ state }) => state)).toEqual(['sent', 'failed', 'sent', 'failed', 'sent']);
      const error = errorOf(sent, 1);
      expect(error).toMatchObject({ code, retryable: false, sinkWide: false });
      expect(error.message).toContain(rule);
      expect(`${error.message} ${String(error.cause)}`).not.toMatch(/5511987654321|Bia|bad|never/);
      expect(await idsIn(table)).toEqual([9, 1, 3, 5].map((n) => event(n, '', n === 9 ? 0 : 1).id));
    },
  );

  it('for the size of its id fails alone', async () => {
    const random = Array.from({ length: 6000 }, (_, n) => ((n * n * 7919) % 36).toString(36)).join('');
    const long = publishedEvent({
      n: 1,
      id: Array.from({ length: 40 }, () => crypto.randomUUID()).join(random),
    });
    const sent = await send(await sinkOn('long'), event(1), long, event(2));
    expect(sent.map(({ state }) => state)).toEqual(['sent', 'failed', 'sent']);
    expect(errorOf(sent, 1)).toMatchObject({ code: '54000', retryable: false, sinkWide: false });
  });
});

describe('a table that takes nothing', () => {
  beforeAll(async () => {
    await admin.query(`create role writer login password 'test'; create role stranger login password 'test';
      create schema closed; create table closed.there (id text primary key, type text, source text, subject text,
        time timestamptz, partitionkey text, data jsonb, event jsonb, seq bigint generated always as identity);
      grant usage on schema closed to writer; grant select, insert on closed.there to writer;
      create table few (id text primary key, seq int); create table no_key (like closed.there); create table wrong (like closed.there including all);
      alter table wrong alter data type int using 1`);
  });
  const cases: [name: string, table: string, code: string, say: string, url?: () => string][] = [
    ['for want of a column', 'few', '42703', 'the table lacks a column: '],
    ['for a column of another type', 'wrong', '42804', 'a column of the table has another type'],
    ['for want of a key', 'no_key', '42P10', 'the table has no unique id'],
    ['for want of its schema', 'nowhere.events', '3F000', 'the schema does not exist'],
    [
      'for want of the right to write',
      'closed.there',
      '42501',
      'grant USAGE on the schema',
      () => urlAs('stranger'),
    ],
    [
      'for want of the right to make it',
      'closed.missing',
      '42501',
      'CREATE on the schema',
      () => urlAs('writer'),
    ],
    [
      'for a wrong password',
      'any',
      '28P01',
      'rejects the user or the password',
      () => urlAs('writer', 'canary'),
    ],
    [
      'for a missing database',
      'any',
      '3D000',
      'the database does not exist',
      () => urlAs('postgres', 'test', 'gone'),
    ],
  ];
  it.each(cases)('%s keeps all of the batch waiting, and says so', async (_name, table, code, say, url) => {
    const sent = await send(await sinkOn(table, url?.() ?? server.url), event(1), event(2));
    expect(sent.map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(errorOf(sent)).toMatchObject({ code, retryable: true, sinkWide: true });
    expect(errorOf(sent).message).toContain(say);
    expect(errorOf(sent).message).not.toMatch(/canary|test@|5511987654321|Bia/);
  });

  it('is not what whoever may write, but not make tables, meets', async () => {
    expect(await send(await sinkOn('closed.there', urlAs('writer')), event(1))).toEqual([SENT]);
  });

  it.each(['mysql://u:canary@h/d', 'canary', 'postgres://u:canary@h:port/d'])(
    'behind %j is refused before anything is sent',
    async (url) => {
      const refused = await sinkOn('any', url).catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: 'SinkError', code: 'BAD_SECRET' });
      expect((refused as Error).message).not.toContain('canary');
    },
  );
});

/** Passes bytes on to the server, until `cut` says of some from the client that nothing more goes either way. */
async function proxy(cut: (data: Buffer) => boolean): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const sockets = new Set<Socket>();
  const between = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    upstream.on('data', (data) => client.writable && client.write(data));
    client.on('data', (data) => {
      if (!cut(data)) return upstream.write(data);
      client.destroy();
      return upstream.end(data);
    });
    client.on('close', () => upstream.end());
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  toEnd.push(async () => {
    for (const socket of sockets) socket.destroy();
    between.close();
    await once(between, 'close');
  });
  const url = new URL(server.url);
  url.host = `127.0.0.1:${(between.address() as AddressInfo).port}`;
  return url.href;
}

describe('a server', () => {
  it('that is not there is named without user and password', async () => {
    const port = await freePort();
    const sent = await send(await sinkOn('any', `postgres://u:canary@127.0.0.1:${port}/d`), event(1));
    expect(errorOf(sent)).toMatchObject({ code: 'ECONNREFUSED', retryable: true, sinkWide: true });
    expect(errorOf(sent).message).toContain(`127.0.0.1:${port}/d: no server listens there`);
    expect(errorOf(sent).message).not.toContain('canary');
  });

  it('whose commit answer is lost has each event once after the batch is resent', async () => {
    let commits = 0;
    const url = await proxy((data) => data.includes('commit\0') && (commits += 1) === 1);
    const sink = await sinkOn('cut', url);
    await send(await sinkOn('cut'), event(1));
    const sent = await send(sink, event(2), event(3));
    expect(sent.map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(errorOf(sent)).toMatchObject({ code: 'UNREACHABLE', retryable: true, sinkWide: true });
    await vi.waitUntil(async () => (await idsIn('cut')).length === 3);
    expect(await send(sink, event(2), event(3))).toEqual([SENT, SENT]);
    expect(await idsIn('cut')).toEqual([1, 2, 3].map((n) => event(n).id));
  });

  it('FAULTS 27: that ends the connection in a batch, or between two, has it again afterwards', async () => {
    const sink = await sinkOn('ended');
    await send(sink, event(1));
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice' and datname = current_database() and pid <> pg_backend_pid()`;
    await admin.query('begin; lock table ended');
    const sending = send(sink, event(2));
    await untilWaiting();
    await admin.query(`${end}; rollback`);
    expect(errorOf(await sending)).toMatchObject({ code: '57P01', retryable: true, sinkWide: true });
    expect(await send(sink, event(2))).toEqual([SENT]);
    await admin.query(end);
    await vi.waitFor(async () => expect(await send(sink, event(3))).toEqual([SENT]));
    expect(await idsIn('ended')).toEqual([1, 2, 3].map((n) => event(n).id));
  });

  it.each(['the signal', 'close'])(
    'that is busy is given up at once with %s, and nothing stays there',
    async (how) => {
      const sink = await sinkOn('busy');
      await send(sink, event(1));
      await admin.query('begin; lock table busy');
      const cancel = new AbortController();
      const sending = sink.send([event(2)], { signal: cancel.signal });
      await untilWaiting();
      if (how === 'close') await sink.close();
      else cancel.abort();
      expect(errorOf(await sending)).toMatchObject({
        code: how === 'close' ? 'CLOSED' : 'GIVEN_UP',
        retryable: true,
        sinkWide: false,
      });
      await admin.query('rollback');
      await vi.waitUntil(async () => (await rowsOf(`${WAITING} or state like 'idle in%'`)).length === 0);
      expect(await idsIn('busy')).toEqual([event(1).id]);
      if (how === 'close') expect(errorOf(await send(sink, event(2)))).toMatchObject({ code: 'CLOSED' });
      await admin.query('truncate busy');
    },
  );
});

const WAITING = `select pid from pg_stat_activity where datname = current_database() and application_name = 'sluice' and wait_event_type = 'Lock'`;
const untilWaiting = () => vi.waitUntil(async () => (await rowsOf(WAITING)).length > 0);
