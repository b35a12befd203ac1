// Erasing a person by the operator API: from where, and what the answer says is left.
import { describe, expect, it } from 'vitest';
import { finishErasures } from '../../../../src/operator/service/people/erase.ts';
import { erasePerson } from '../../../../src/protect/person/erase-person.ts';
import { IOLANDA } from '../store/somebody.ts';
import { peopleContext } from './people-context.ts';

const context = await peopleContext();
const { db, lines, forgotten, deps, call, tracesIn, at } = context;

describe('erased', () => {
  const erase = () => call('POST /people/{account}/{person}/erase', Object.assign(at(), { reason: 'asked' }));

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
    context.outside = Object.assign({}, context.outside, { runningTemporal: async () => client });
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
    await erasePerson(db, 'acme', at().person);
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
    context.outside.tools.eraseFromSinkFiles = async (...all) => {
      asked.push(all);
      return [{ sink: 'archive', events: null }];
    };
    lines.length = 0;
    await finishErasures(deps());
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
    const { eraseFromSinkFiles } = context.outside.tools;
    context.outside.tools.eraseFromSinkFiles = () => Promise.reject(new Error('EACCES'));
    await erase();
    await finishErasures(deps());
    expect(await db.query('select account from erasures')).toEqual([{ account: 'acme' }]);
    context.outside.tools.eraseFromSinkFiles = eraseFromSinkFiles;
    await finishErasures(deps());
    expect(await db.query('select 1 from erasures')).toEqual([]);
  });

  it('stay erased when a file or Temporal fails; the answer says what is left', async () => {
    context.outside = {
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
    context.outside = Object.assign({}, context.outside, {
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
