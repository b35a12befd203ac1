// The overview says "all is well" only when it is: each thing that went wrong is a need, until it is made good or looked at.
import { beforeEach, describe, expect, it } from 'vitest';
import { noteGap } from '../../../../src/jobs/conversations/store/poll-progress.ts';
import { clearUnlisted } from '../../../../src/jobs/conversations/store/unread.ts';
import {
  keepRefusedRequests,
  type NewRefusedRequest,
  refusedRequestId,
  settleRefusedRequests,
} from '../../../../src/jobs/events/store/refused-requests.ts';
import { OVERVIEW } from '../../../../src/operator/contract/overview.ts';
import { overviewHandlers } from '../../../../src/operator/service/overview/index.ts';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { logCalls } from '../../../../src/operator/store/calls.ts';
import { seeWorker } from '../../../../src/operator/store/overview/workers.ts';
import { saveRefusals } from '../../../../src/operator/store/refusals.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { callOf } from '../store/calls-suite.ts';
import { readNeeds, readOverview } from './needs-context.ts';
import { depsOf, TOKEN, WELL } from './rows.ts';

const WORKER = { id: '00000000-0000-4000-8000-000000000001', host: 'a', pid: 1, version: '0.1.0' };

onBothLedgers((db) => {
  beforeEach(() => emptyLedger(db));

  const read = (probes?: OverviewProbes, input?: { account?: string }) => readOverview(db, probes, input);
  const needs = (probes?: OverviewProbes) => readNeeds(db, probes);
  /** As a person who presses the button of the first need. */
  async function review(): Promise<void> {
    const command = (await read()).needs[0]?.commands.find(({ route }) => route === 'POST /needs/review');
    const input = OVERVIEW['POST /needs/review'].input.parse(command?.input);
    await overviewHandlers(depsOf(db), WELL)['POST /needs/review'](input, {} as never);
  }

  async function run(seq: number, over: { kind?: string; failed?: number; rejected?: number } = {}) {
    const { kind = 'sync', failed = 0, rejected = 0 } = over;
    const id = `acme/leads/${seq}`;
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec, rows_rejected, started_at, finished_at)
       values ($1, 'acme', 'leads', $2, $3, 'finished', '{}', $4, now(), now())`,
      [id, seq, kind, rejected],
    );
    await db.query(
      `insert into run_records (run_id, key, row_no, todo, status, code, reason, ended_at)
       select $1, n::text, n, 0, case when n <= $2 then 'failed' else 'created' end,
              case when n <= $2 then 'ERR_INVALID_NUMBER' end, null, now() from generate_series(1, 5) n`,
      [id, failed],
    );
    await db.query(
      `insert into row_problems (run_id, row_no, kind, field, code, reason)
       select $1, n, 'reject', 'contact.number', 'NUMBER_INVALID', 'not a number' from generate_series(1, $2::int) n`,
      [id, rejected],
    );
  }

  const event = (id: string) =>
    db.query(
      `insert into events (id, account, route, run_id, action, subject, state, outcome, code, reason, accepted_at, ended_at)
       values ($1, 'acme', 'signup', 'acme/leads/1', 'lead', 's', 'ended', 'failed', 'ERR_FLOW', 'no flow', now(), now())`,
      [id],
    );

  it('a test of a campaign that failed needs nobody: whoever sent it has seen why', async () => {
    await event('test');
    await db.query("update events set route = '_cli', action = 'flow'");
    expect(await needs()).toEqual([]);
    await db.query("update events set action = 'message'");
    expect(await needs()).toEqual([['failed-events', 'acme', '_cli', 1, 'ERR_FLOW']]);
  });

  it('of nothing that went wrong needs nobody', async () => {
    await run(1);
    expect(await needs()).toEqual([]);
  });

  describe('failed records of a run', () => {
    it('need a person until they are looked at', async () => {
      await run(1, { failed: 3 });
      expect(await needs()).toEqual([['failed-records', 'acme', 'leads', 3, 'ERR_INVALID_NUMBER']]);
      const { commands } = (await read()).needs[0] ?? { commands: [] };
      expect(commands[0]).toEqual({
        route: 'POST /syncs/{sync}/retries',
        input: { sync: 'leads', statuses: ['failed'] },
      });
      await review();
      expect(await needs()).toEqual([]);
    });

    it('need nobody once a later run or a retry has made them good', async () => {
      await run(1, { failed: 3 });
      await run(2, { kind: 'retry' });
      expect(await needs()).toEqual([]);
    });

    it('of a later run show again after a review', async () => {
      await run(1, { failed: 3 });
      await review();
      await run(2, { failed: 1 });
      expect(await needs()).toEqual([['failed-records', 'acme', 'leads', 1, 'ERR_INVALID_NUMBER']]);
    });
  });

  it('rejected rows need a person until they are corrected, and a retry of failed records corrects none', async () => {
    await run(1, { rejected: 4 });
    await run(2, { kind: 'retry' });
    expect(await needs()).toEqual([['rejected-rows', 'acme', 'leads', 4, 'NUMBER_INVALID']]);
    expect((await read()).needs[0]?.same).toBe(4);
    await run(3);
    expect(await needs()).toEqual([]);
  });

  it('rejected rows show the commonest code with a reason that belongs to it', async () => {
    await run(1, { rejected: 1 });
    await db.query(`update runs set rows_rejected = 23`);
    await db.query(
      `insert into row_problems (run_id, row_no, kind, field, code, reason)
       select 'acme/leads/1', n, 'reject', 'contact.number', case when n <= 22 then 'invalid_phone' else 'required' end,
              case when n <= 15 then 'too short' when n <= 22 then 'letters' else 'it is empty' end
         from generate_series(10, 34) n`,
    );
    // Twelve rows lack the number; the other code has more rows, but two reasons.
    expect((await read()).needs[0]).toMatchObject({ code: 'required', reason: 'it is empty' });
  });

  it('failed events need a person, and those after a review too', async () => {
    await run(1);
    await event('e1');
    await event('e2');
    expect(await needs()).toEqual([['failed-events', 'acme', 'signup', 2, 'ERR_FLOW']]);
    await review();
    expect(await needs()).toEqual([]);
    await event('e3');
    expect(await needs()).toEqual([['failed-events', 'acme', 'signup', 1, 'ERR_FLOW']]);
  });

  it('refused requests need a person, except those to paths of no route', async () => {
    const refused = (route: string) => ({
      via: 'http' as const,
      route,
      code: 'SIGNATURE',
      status: 401,
      count: 2,
    });
    await saveRefusals(db, [refused('signup'), refused('-')], []);
    expect(await needs()).toEqual([['refused-events', 'acme', 'signup', 2, 'SIGNATURE']]);
    expect((await read(WELL, { account: 'beta' })).needs).toEqual([]);
    await review();
    expect(await needs()).toEqual([]);
    await saveRefusals(db, [refused('signup')], []);
    expect(await needs()).toHaveLength(1);
  });

  it('conversations that cannot be read need a person until somebody has looked or they are read', async () => {
    const gap = (conversation: number) =>
      db.transaction((tx) =>
        noteGap(
          tx,
          { account: 'acme', poller: 'inbox' },
          {
            code: 'LISTING_UNREADABLE',
            reason: 'conversations[0].id: expected number',
            conversation,
            unread: { assumed: 'a', assumption: null, personKey: null, floor: null },
          },
        ),
      );
    await gap(5);
    await gap(6);
    expect(await needs()).toEqual([['unread-conversations', 'acme', 'inbox', 2, 'LISTING_UNREADABLE']]);
    await review();
    await gap(5);
    expect(await needs()).toEqual([]);
    await gap(7);
    expect(await needs()).toEqual([['unread-conversations', 'acme', 'inbox', 1, 'LISTING_UNREADABLE']]);
    await db.transaction((tx) => clearUnlisted(tx, 'acme', [7]));
    expect(await needs()).toEqual([]);
  });

  it.each([
    ['temporal-away', { temporal: async () => ({ ok: false, detail: 'refused', roundTripMs: 1 }) }],
    ['kafka-away', { kafka: async () => ({ ok: false, detail: 'refused', topics: [] }) }],
  ])('%s needs a person, with the reason', async (kind, probe) => {
    expect((await read({ ...WELL, ...probe })).needs).toMatchObject([
      { kind, severity: 'critical', reason: 'refused' },
    ]);
  });

  describe('a configuration that is broken on the disk', () => {
    const BROKEN = '2026-11-27T08:00:00.000Z';
    const readWith = async (state: object) => {
      const live = {
        current: () => ({ loadedAt: '2026-11-27T07:00:00.000Z' }),
        state: () => ({ brokenSince: null, error: null, needsRestart: [], ...state }),
      };
      const handler = overviewHandlers({ ...depsOf(db), live } as never, WELL)['GET /overview'];
      return OVERVIEW['GET /overview'].output.parse(await handler({}, {} as never));
    };

    it('needs a person, with the place of its first problem, until it can be loaded', async () => {
      const error = 'sluice.yaml:3:5  syncs.leads: unknown key\nsluice.yaml:9:1  routes: unknown key';
      const { needs: found, calmSince } = await readWith({ brokenSince: BROKEN, error });
      expect(found).toEqual([
        {
          kind: 'broken-configuration',
          severity: 'critical',
          account: null,
          name: 'sluice.yaml',
          run: null,
          count: 1,
          since: BROKEN,
          code: null,
          reason: 'sluice.yaml:3:5  syncs.leads: unknown key (and 1 more)',
          commands: [],
          approval: null,
        },
      ]);
      expect(calmSince).toBeNull();
      expect((await readWith({})).needs).toEqual([]);
    });

    it('that only a restart takes into use needs nobody', async () => {
      expect((await readWith({ needsRestart: ['admin.port'] })).needs).toEqual([]);
    });
  });

  it('an account whose calls all fail needs a person, and one whose calls partly fail does not', async () => {
    const call = (code: string | null) =>
      callOf({
        account: 'acme',
        token: TOKEN,
        run_id: 'acme/leads/1',
        lane: 5,
        code,
        status: code ? null : 200,
      });
    const failed = Array.from({ length: 3 }, () => call('TRANSPORT_REFUSED'));
    await logCalls(db, failed, new Map());
    expect(await needs()).toEqual([['service-away', 'acme', 'acme', 1, 'TRANSPORT_REFUSED']]);
    await logCalls(db, [call(null)], new Map());
    expect(await needs()).toEqual([]);
  });

  it.each([
    ['no answer', 'TRANSPORT_REFUSED', null, 3, 16, 'service-away'],
    ['a 503', 'HTTP_503', 503, 3, 16, 'service-away'],
    ['a 401', 'ERR_X', 401, 3, 16, 'failing-calls'],
    ['a refusal of its record', 'ERR_NUMBER_INVALID', 400, 3, 16, null],
    ['no answer, but once', 'TRANSPORT_REFUSED', null, 1, 16, null],
    ['no answer for a moment', 'TRANSPORT_REFUSED', null, 3, 5, null],
  ])(
    'an account whose calls have got %s since a success is shown within a minute: %s %s %s %s %s',
    async (_title, code, status, count, seconds, kindOfNeed) => {
      const call = { account: 'acme', token: TOKEN, run_id: 'acme/leads/1', lane: 5 };
      await logCalls(db, [callOf({ ...call, code: null, status: 200 })], new Map());
      await db.query(`update calls set at = now() - interval '${seconds} seconds'`);
      await logCalls(
        db,
        Array.from({ length: count }, () => callOf({ ...call, code, status })),
        new Map(),
      );
      await db.query(`update calls set at = now() - interval '1 second' where code is not null`);
      const found = (await read()).needs;
      expect(found.map(({ kind }) => kind)).toEqual(kindOfNeed === null ? [] : [kindOfNeed]);
      if (kindOfNeed !== null)
        expect(found[0]).toMatchObject({
          code,
          since: expect.any(String),
          reason: status === null ? 'the service does not answer' : null,
        });
    },
  );

  it('a sink that takes nothing needs a person while something waits for it', async () => {
    await db.query(
      "insert into sink_states (sink, sent, code, open_until) values ('crm', 0, 'HTTP_500', now() + interval '1 minute')",
    );
    expect(await needs()).toEqual([]);
    await db.query(
      `insert into outbox (sink, stream, account, event_id, type, event, state) values ('crm', 's', 'acme', '1', 't', '{}', 'waiting')`,
    );
    await seeWorker(db, WORKER);
    expect(await needs()).toEqual([['waiting-sink', null, 'crm', 1, 'HTTP_500']]);
  });

  it('a sink that fails again and again needs a person before Sluice leaves it alone, with the reason', async () => {
    await db.query(
      "insert into sink_states (sink, sent, code, reason) values ('crm', 0, 'UNREACHABLE', 'no server listens there')",
    );
    await db.query(
      `insert into outbox (sink, stream, account, event_id, type, event, state) values ('crm', 's', 'acme', '1', 't', '{}', 'waiting')`,
    );
    await seeWorker(db, WORKER);
    expect(await needs()).toEqual([]);
    await db.query("update outbox set created_at = now() - interval '21 seconds'");
    expect((await read()).needs).toMatchObject([
      { kind: 'waiting-sink', name: 'crm', code: 'UNREACHABLE', reason: 'no server listens there' },
    ]);
    await db.query('update sink_states set code = null, reason = null');
    expect(await needs()).toEqual([]);
  });

  it('a run without its source says so once, with its code', async () => {
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec, error, started_at, finished_at)
       values ('acme/leads/1', 'acme', 'leads', 1, 'sync', 'failed', '{}', 'SOURCE_NOT_FOUND: source file "a.csv" does not exist', now(), now()),
              ('acme/other/1', 'acme', 'other', 1, 'sync', 'failed', '{}', 'the worker stopped: again', now(), now())`,
    );
    const found = (await read()).needs.map(({ name, code, reason }) => [name, code, reason]);
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        ['leads', 'SOURCE_NOT_FOUND', 'source file "a.csv" does not exist'],
        ['other', 'RUN_FAILED', 'the worker stopped: again'],
      ]),
    );
  });

  it('refused requests say why, and since the first one, not since the hour', async () => {
    const refusal = { via: 'http', route: 'signup', code: 'SIGNATURE', status: 401 } as const;
    await saveRefusals(
      db,
      [{ ...refusal, count: 1 }],
      [{ ...refusal, reason: 'the signature does not match', age_ms: 0 }],
    );
    const [kept] = await db.query<{ at: Date }>('select at from refusals');
    expect((await read()).needs).toMatchObject([
      { kind: 'refused-events', reason: 'the signature does not match', since: expect.any(String) },
    ]);
    expect(Date.parse((await read()).needs[0]?.since ?? '')).toBe(kept?.at.getTime());
  });

  it('a refused request needs nobody once it was replayed or discarded, however often it was sent', async () => {
    const request = (body: string): NewRefusedRequest => ({
      account: 'acme',
      route: 'signup',
      code: 'SCHEMA',
      reason: 'Phone: must be string',
      content: { headers: {}, body: Buffer.from(body), signature: null },
    });
    const [first, second] = [request('{}'), request('[]')];
    await keepRefusedRequests(db, [first, first, second]);
    // The ingress counts each of them too.
    await saveRefusals(db, [{ via: 'http', route: 'signup', code: 'SCHEMA', status: 422, count: 3 }], []);
    expect((await read()).needs).toMatchObject([
      { kind: 'refused-events', name: 'signup', count: 2, code: 'SCHEMA', reason: 'Phone: must be string' },
    ]);
    const settle = (one: NewRefusedRequest, how: 'replayed' | 'discarded') =>
      settleRefusedRequests(db, [refusedRequestId(one)], { how, by: 'ana', reason: null });
    await settle(first, 'replayed');
    expect(await needs()).toEqual([['refused-events', 'acme', 'signup', 1, 'SCHEMA']]);
    await settle(second, 'discarded');
    expect(await needs()).toEqual([]);
  });

  it('calm begins at the first look that finds nothing, and again after a need', async () => {
    const handler = overviewHandlers(depsOf(db), WELL)['GET /overview'];
    const look = async () => OVERVIEW['GET /overview'].output.parse(await handler({}, {} as never));
    const first = await look();
    expect(first.calmSince).toBe(first.at);
    expect((await look()).calmSince).toBe(first.at);
    await run(1, { failed: 1 });
    expect((await look()).calmSince).toBeNull();
    await review();
    const again = await look();
    expect(again.calmSince).toBe(again.at);
    expect(Date.parse(again.at)).toBeGreaterThan(Date.parse(first.at));
  });
});
