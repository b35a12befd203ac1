// The endpoints about people: what leaves them is masked, and their errors name nobody.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { Input, Output, Route } from '../../../../src/operator/contract/index.ts';
import type { PEOPLE } from '../../../../src/operator/contract/people.ts';
import { OperatorError } from '../../../../src/operator/error.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import type { OperatorDeps } from '../../../../src/operator/service/deps.ts';
import { createDispatch } from '../../../../src/operator/service/dispatch.ts';
import { finishErasures } from '../../../../src/operator/service/people/erase.ts';
import { peopleHandlers } from '../../../../src/operator/service/people/index.ts';
import { erasePerson } from '../../../../src/protect/person/erase-person.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addPerson, IOLANDA, tracesOf } from '../store/person-rows.ts';

const CONFIG = {
  accounts: {
    acme: { announce: [{ sink: 'archive' }, { sink: 'bus' }, { sink: 'gone' }] },
    other: { announce: [] },
  },
  mappings: { leads: { defaultCountry: 'BR' } },
  syncs: { leads: { account: 'acme', source: 'crm' }, others: { account: 'other', source: 'shop' } },
  sources: { crm: { type: 'csv', path: '/srv/sluice/data/crm.csv' }, shop: { type: 'http' } },
  sinks: { archive: { type: 'jsonl' }, bus: { type: 'kafka' } },
  routes: { signup: { account: 'acme', kafka: { cluster: 'main', topics: ['leads'] } } },
  ingress: { kafka: { main: { deadLetters: 'dead' } } },
};
const ADMIN = { identity: 'user:ana', name: 'Ana', role: 'admin', via: 'session' } as const;

let db: Database;
let person: string;
const lines: string[] = [];
/** What the process was asked to forget. */
const forgotten: string[] = [];
/** What the erasure asks for besides the ledger. */
let outside: Pick<OperatorDeps, 'runningTemporal'> & {
  tools: Pick<OperatorDeps['tools'], 'eraseFromSinkFiles' | 'forgetExports'>;
};
beforeEach(async () => {
  db = await testLedger();
  await addPerson(db, 'acme');
  lines.length = 0;
  forgotten.length = 0;
  outside = {
    runningTemporal: async () => null,
    tools: {
      eraseFromSinkFiles: async () => [{ sink: 'archive', events: 2 }],
      forgetExports: async () => void forgotten.push('all'),
    },
  };
  const { people } = await call('POST /people/search', { query: '+55 11 91234-5601' });
  person = people[0]?.person ?? '';
});

function depsNow(): OperatorDeps {
  const write = (...all: unknown[]) => lines.push(JSON.stringify(all));
  const log = { info: write, warn: write, error: write };
  return Object.assign({ db, config: () => ({ config: CONFIG }), log }, outside) as never;
}

async function call<R extends Route & keyof typeof PEOPLE>(
  route: R,
  input: Input<R>,
  caller: Caller = ADMIN,
): Promise<Output<R>> {
  const dispatch = createDispatch({
    handlers: peopleHandlers(depsNow()) as never,
    log: { info: () => undefined, warn: () => undefined, error: (...all) => lines.push(JSON.stringify(all)) },
    audit: {
      write: async (entry, outcome) => lines.push(JSON.stringify({ ...entry, outcome })),
      count: async (entry) => void lines.push(JSON.stringify(entry)),
      complete: async () => undefined,
    },
  });
  return (await dispatch(route, input, caller)) as Output<R>;
}

const traces = [...tracesOf(IOLANDA), '91234'];
const tracesIn = (value: unknown) => {
  const text = JSON.stringify(value).toLowerCase();
  return traces.filter((trace) => text.includes(trace.toLowerCase()));
};
const at = () => ({ account: 'acme', person });

describe('people', () => {
  it('are found by every spelling of their number, and shown with the reading', async () => {
    for (const query of ['+55 11 91234-5601', '(11) 91234-5601', '5511912345601']) {
      const { people, readings, rejected } = await call('POST /people/search', { query });
      expect(people).toMatchObject([{ account: 'acme', person, name: 'I… Q…', by: ['phone'] }]);
      expect(readings).toContain('+55 11 9••••-5601');
      expect(rejected).toMatchObject([{ row: 8, problem: { code: 'ambiguous_phone' } }]);
    }
  });

  it('are found by their id in any account, and a query of one character is refused in plain words', async () => {
    const { people } = await call('POST /people/search', { query: person.toUpperCase() });
    expect(people).toMatchObject([{ account: 'acme', person, by: ['person'] }]);
    await expect(call('POST /people/search', { query: ' x ' })).rejects.toThrow(
      /write at least two characters/,
    );
  });

  it('are found as members of a campaign by contact and by member', async () => {
    const at = 'acme/+late/1';
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec) values ($1, 'acme', '+late', 1, 'campaign', 'syncing', '{}')`,
      [at],
    );
    await db.query(
      `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at)
       values ($1, 'acme', 'late', 'd', 'running', now(), 'ana', now())`,
      [at],
    );
    const [member] = await db.query<{ id: number }>(
      `insert into campaign_members (run_id, key, number, contact_id, part, state)
       values ($1, '5511900000001', '5511900000001', 987654, 0, 'waiting') returning id`,
      [at],
    );
    const hit = { account: 'acme', person: `m${member?.id}` };
    expect((await call('POST /people/search', { query: 'contact 987654' })).people).toMatchObject([hit]);
    expect((await call('POST /people/search', { query: `m${member?.id}` })).people).toMatchObject([hit]);
  });

  it('whose rows were rejected or merged are found by what the rows say, masked, and the audit log names nobody', async () => {
    await db.query(`update merged_rows set key = '5511900000009'`);
    const viewer: Caller = { ...ADMIN, identity: 'user:vera', role: 'viewer' };
    const find = (query: string, unmask = false, caller: Caller = ADMIN) =>
      call('POST /people/search', { query, unmask }, caller);
    expect(await find('iolanda quix', false, viewer)).toMatchObject({
      people: [],
      rejected: [
        {
          sync: 'leads',
          run: 'acme/leads/1',
          row: 8,
          by: ['name'],
          name: 'I… Q…',
          column: 'phone',
          problem: {},
        },
      ],
    });
    expect((await find('iolanda', false, viewer)).rejected).toEqual([]);
    expect(tracesIn(await find('11 91234-5601'))).toEqual([]);
    expect((await find('11 91234-5601', true)).rejected).toMatchObject([{ value: '11 91234-5601' }]);
    expect((await find(IOLANDA.email, false, viewer)).merged).toMatchObject([
      { run: 'acme/leads/1', row: 5, into: 4, by: ['email'], name: 'I… Q…' },
    ]);
    expect((await find(IOLANDA.email, true)).merged).toMatchObject([{ email: IOLANDA.email }]);
    const audited = lines.filter((line) => line.includes('user:vera'));
    expect(tracesIn(audited)).toEqual([]);
  });

  it('whose number a campaign could not read are found by what their row says, masked', async () => {
    const viewer: Caller = { ...ADMIN, identity: 'user:vera', role: 'viewer' };
    const found = await call('POST /people/search', { query: IOLANDA.email }, viewer);
    expect(found.excluded).toMatchObject([
      {
        account: 'acme',
        campaign: 'winback',
        run: 'acme/+winback/1',
        row: 7,
        by: ['email'],
        name: 'I… Q…',
        problem: { code: 'NUMBER_INVALID', reason: 'the number is too short' },
      },
    ]);
    expect(found.excluded[0]?.value).toMatch(/•/);
    expect(tracesIn(found)).toEqual([]);
    expect(
      (await call('POST /people/search', { query: IOLANDA.email.slice(0, 9) }, viewer)).excluded,
    ).toEqual([]);
    const plain = await call('POST /people/search', { query: 'iolanda', unmask: true });
    expect(plain.excluded).toMatchObject([{ name: IOLANDA.name.toUpperCase(), value: '091234-5601' }]);
  });

  it('are not found by a part of a hidden value without the role that may see it, and searches are audited', async () => {
    const viewer: Caller = { ...ADMIN, identity: 'user:vera', role: 'viewer' };
    const find = (query: string, caller: Caller) => call('POST /people/search', { query }, caller);
    const parts = ['iol', 'iolanda', IOLANDA.email.slice(0, 9), '1234-5601', '+99 9 91234-5601'];
    for (const part of parts) expect(await find(part, viewer)).toMatchObject({ people: [], rejected: [] });
    for (const part of parts.slice(0, 3)) expect((await find(part, ADMIN)).people).toHaveLength(1);
    for (const whole of [IOLANDA.email, IOLANDA.name, '+55 11 91234-5601'])
      expect((await find(whole, viewer)).people).toHaveLength(1);
    expect(lines.filter((line) => line.includes('user:vera'))).toHaveLength(8);
    expect(tracesIn(lines)).toEqual([]);
  });

  it('are masked everywhere, and the audit log has no trace of them', async () => {
    const shown = [
      await call('POST /people/search', { query: 'iolanda' }),
      await call('POST /people/search', { query: IOLANDA.email }),
      await call('GET /people/{account}/{person}', at()),
      await call('GET /people/{account}/{person}/timeline', at()),
    ];
    expect(tracesIn(shown)).toEqual([]);
    await call('POST /people/{account}/{person}/export', { ...at(), reason: 'they asked' });
    await call('POST /people/{account}/{person}/erase', { ...at(), reason: 'they asked' });
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(tracesIn(lines)).toEqual([]);
  });

  it('are shown in plain text on request, which is audited', async () => {
    const { name, number, email } = await call('GET /people/{account}/{person}', { ...at(), unmask: true });
    expect({ name, email }).toEqual({ name: IOLANDA.name, email: IOLANDA.email });
    expect(number).toMatch(/^\d+$/);
    const { entries } = await call('GET /people/{account}/{person}/timeline', { ...at(), unmask: true });
    expect(entries.find(({ kind }) => kind === 'conversation')).toMatchObject({
      lastMessage: `I am ${IOLANDA.name}`,
    });
    expect(lines.filter((line) => line.includes('"reveal"'))).toHaveLength(2);
  });

  it('have a timeline that names workflows', async () => {
    const { entries } = await call('GET /people/{account}/{person}/timeline', at());
    const workflows = new Map(entries.map(({ kind, workflow }) => [kind, workflow]));
    expect(Object.fromEntries(workflows)).toMatchObject({
      row: 'crm-sync/acme/leads',
      call: 'crm-sync/acme/leads',
      message: 'conversation-polling/acme/main',
      delivery: 'delivery/acme',
      optOut: null,
    });
  });

  it('and cursors that do not exist are errors without personal data', async () => {
    const refused = async (work: Promise<unknown>) => {
      const error = await work.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OperatorError);
      expect(tracesIn((error as Error).message)).toEqual([]);
      return error;
    };
    const gone = { account: 'acme', person: 'p999999' };
    expect(await refused(call('GET /people/{account}/{person}', gone))).toMatchObject({ kind: 'notFound' });
    expect(
      await refused(call('GET /people/{account}/{person}', { ...at(), account: 'other' })),
    ).toMatchObject({ code: 'NO_SUCH_PERSON' });
    expect(await refused(call('POST /people/{account}/{person}/erase', gone))).toMatchObject({
      kind: 'notFound',
    });
    expect(await refused(call('POST /people/search', { query: IOLANDA.key, account: 'gone' }))).toMatchObject(
      { code: 'UNKNOWN_NAME' },
    );
    expect(
      await refused(call('GET /people/{account}/{person}', { account: 'acme', person: IOLANDA.key })),
    ).toMatchObject({ kind: 'invalid' });
    expect(
      await refused(call('GET /people/{account}/{person}/timeline', { ...at(), before: 'x' })),
    ).toMatchObject({ code: 'CURSOR' });
    await db.query(`update events set state = 'accepted'`);
    expect(await refused(call('POST /people/{account}/{person}/erase', at()))).toMatchObject({
      kind: 'conflict',
      code: 'PERSON_IN_USE',
    });
  });

  describe('erased', () => {
    const erase = () =>
      call('POST /people/{account}/{person}/erase', Object.assign(at(), { reason: 'asked' }));

    it('are gone from files too, and the answer names every place that Sluice cannot reach', async () => {
      const { sinkFiles, histories, elsewhere, optOutKept } = await erase();
      expect(forgotten).toEqual(['all']);
      expect(await db.query('select 1 from erasures')).toEqual([]);
      expect({ sinkFiles, histories, optOutKept }).toEqual({
        sinkFiles: [{ sink: 'archive', events: 2 }],
        histories: { deleted: 0, left: 0 },
        optOutKept: true,
      });
      const places = elsewhere.filter(({ place }) => place !== 'vacuum' && place !== 'backup');
      expect(places.map(({ place, name }) => `${place} ${name}`)).toEqual([
        'contacts acme',
        'conversations acme',
        'cards acme',
        'source crm',
        'sinkFile archive',
        'kafkaSink bus',
        'topic leads',
        'deadLetters dead',
      ]);
      expect(tracesIn(elsewhere)).toEqual([]);
    });

    it('lose the closed histories of their own events; one that runs, and one of several events, stay', async () => {
      const workflows = new Map([
        ['lead-intake/acme/signup/acme-event', 'COMPLETED'],
        ['lead-intake/acme/signup/second', 'RUNNING'],
      ]);
      const deleted: unknown[] = [];
      const client = {
        options: { namespace: 'default' },
        workflow: {
          getHandle: (id: string) => ({
            describe: async () => ({ status: { name: workflows.get(id) }, runId: `run of ${id}` }),
          }),
        },
        workflowService: {
          deleteWorkflowExecution: async (asked: unknown) => void deleted.push(asked),
        },
      };
      outside = Object.assign({}, outside, { runningTemporal: async () => client });
      await db.query(`update events set workflow = 'lead-intake/acme/signup/' || id`);
      for (const [id, workflow] of [
        ['second', 'lead-intake/acme/signup/second'],
        ['third', 'lead-intake/acme/signup/of-several'],
      ])
        await db.query(
          `insert into events (id, account, route, run_id, action, subject, state, outcome, workflow)
           select $1, account, route, run_id, action, subject, state, outcome, $2 from events where id = 'acme-event'`,
          [id, workflow],
        );
      expect((await erase()).histories).toEqual({ deleted: 1, left: 1 });
      const workflowId = 'lead-intake/acme/signup/acme-event';
      expect(deleted).toEqual([
        { namespace: 'default', workflowExecution: { workflowId, runId: `run of ${workflowId}` } },
      ]);
    });

    it('are erased from the rest at the next start, if the process dies after the ledger', async () => {
      const { conversations } = await call('GET /people/{account}/{person}', at());
      // The process dies here.
      await erasePerson(db, 'acme', person);
      const open = await db.query<{ conversations: number[] }>('select * from erasures');
      expect(open).toMatchObject([{ account: 'acme' }]);
      expect(tracesIn(open)).toEqual([]);
      // A worker had these in memory.
      await db.query(
        `insert into calls (at, account, token, run_id, lane, method, route, person_key, wait_ms, took_ms)
         select now(), 'acme', 'late', 'r', 1, 'GET', '/v1/contacts', key, 0, 0 from unnest(array[$1, '5511900000000']) key`,
        [IOLANDA.key],
      );
      const asked: unknown[] = [];
      outside.tools.eraseFromSinkFiles = async (...all) => {
        asked.push(all);
        return [{ sink: 'archive', events: null }];
      };
      lines.length = 0;
      await finishErasures(depsNow());
      expect(asked).toEqual([['acme', { conversations, streams: expect.any(Array) }]]);
      const [, { streams }] = asked[0] as [string, { streams: string[] }];
      expect(streams.some((stream) => stream.startsWith('acme/opt-outs/'))).toBe(true);
      expect(streams.some((stream) => /\/\+.*\/\d+$/.test(stream))).toBe(true);
      expect(await db.query(`select person_key from calls where token = 'late' order by 1`)).toEqual([
        { person_key: '5511900000000' },
        { person_key: null },
      ]);
      expect(await db.query('select 1 from erasures')).toEqual([]);
      expect(lines.join()).toContain('an erasure that was interrupted is complete');
      expect(lines.join()).toContain('the file of the sink is not on this machine');
      // Exports of this process are not those of the one that died.
      expect(forgotten).toEqual([]);
    });

    it('are erased from what failed at the next start', async () => {
      const { eraseFromSinkFiles } = outside.tools;
      outside.tools.eraseFromSinkFiles = () => Promise.reject(new Error('EACCES'));
      await erase();
      await finishErasures(depsNow());
      expect(await db.query('select account from erasures')).toEqual([{ account: 'acme' }]);
      outside.tools.eraseFromSinkFiles = eraseFromSinkFiles;
      await finishErasures(depsNow());
      expect(await db.query('select 1 from erasures')).toEqual([]);
    });

    it('stay erased when a file or Temporal fails; the answer says what is left', async () => {
      outside = {
        runningTemporal: async () => {
          throw new Error('no server');
        },
        tools: {
          eraseFromSinkFiles: async () => {
            throw new Error('EACCES');
          },
          forgetExports: async () => {
            throw new Error('EBUSY');
          },
        },
      };
      await db.query(`update events set workflow = 'lead-intake/acme/signup/' || id`);
      const { elsewhere, histories } = await erase();
      expect(histories).toEqual({ deleted: 0, left: 1 });
      expect(elsewhere.slice(0, 3).map(({ place }) => place)).toEqual(['exports', 'sinkFiles', 'histories']);
      expect(elsewhere.slice(0, 3).map(({ note }) => note)).toEqual([
        'erasing from uploaded exports and results of dry runs failed; the log has the reason',
        'erasing from the files of sinks failed; the log has the reason',
        'erasing from Temporal failed; the log has the reason',
      ]);
      await expect(call('GET /people/{account}/{person}', at())).rejects.toThrow(/has no person/);
    });

    it('a file that is elsewhere is named', async () => {
      outside = Object.assign({}, outside, {
        tools: {
          eraseFromSinkFiles: async () => [{ sink: 'archive', events: null }],
          forgetExports: async () => undefined,
        },
      });
      const { elsewhere, sinkFiles } = await erase();
      expect(sinkFiles).toEqual([]);
      expect(elsewhere.find(({ place }) => place === 'missingFile')).toMatchObject({ name: 'archive' });
    });
  });
});
