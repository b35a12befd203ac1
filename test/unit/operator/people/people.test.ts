// The endpoints about people: what leaves them is masked, and their errors name nobody.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Input, Output, Route } from '../../../../src/contracts/operator/index.ts';
import type { PEOPLE } from '../../../../src/contracts/operator/people.ts';
import type { Database } from '../../../../src/ledger/database.ts';
import { OperatorError } from '../../../../src/operator/error.ts';
import { createDispatch } from '../../../../src/operator/service/dispatch.ts';
import { peopleHandlers } from '../../../../src/operator/service/people/index.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addPerson, IOLANDA, tracesOf } from '../../ledger/operator/person-rows.ts';

const CONFIG = { accounts: { acme: {}, other: {} }, mappings: { leads: { defaultCountry: 'BR' } } };
const ADMIN = { identity: 'user:ana', name: 'Ana', role: 'admin', via: 'session' } as const;

let db: Database;
let person: string;
const lines: string[] = [];
beforeEach(async () => {
  db = await testLedger();
  await addPerson(db, 'acme');
  lines.length = 0;
  const { people } = await call('POST /people/search', { query: '+55 11 91234-5601' });
  person = people[0]?.person ?? '';
});

async function call<R extends Route & keyof typeof PEOPLE>(route: R, input: Input<R>): Promise<Output<R>> {
  const deps = { db, config: () => ({ config: CONFIG }) };
  const dispatch = createDispatch({
    handlers: peopleHandlers(deps as never) as never,
    log: { info: () => undefined, warn: () => undefined, error: (...all) => lines.push(JSON.stringify(all)) },
    audit: {
      write: async (entry, outcome) => lines.push(JSON.stringify({ ...entry, outcome })),
      complete: async () => undefined,
    },
  });
  return (await dispatch(route, input, ADMIN)) as Output<R>;
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
});
