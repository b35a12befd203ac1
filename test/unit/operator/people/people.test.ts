// The endpoints about people: what leaves them is masked, and their errors name nobody.
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/operator/error.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { IOLANDA } from '../store/somebody.ts';

import { ADMIN, peopleContext } from './people-context.ts';

const { db, lines, call, tracesIn, at } = await peopleContext();

describe('people', () => {
  it('are found by every spelling of their number, and shown with the reading', async () => {
    for (const query of ['+55 11 91234-5601', '(11) 91234-5601', '5511912345601']) {
      const { people, readings, rejected } = await call('POST /people/search', { query });
      expect(people).toMatchObject([{ ...at(), name: 'I… Q…', by: ['phone'] }]);
      expect(readings).toContain('+55 11 9••••-5601');
      expect(rejected).toMatchObject([{ row: 8, problem: { code: 'ambiguous_phone' } }]);
    }
  });

  it('are found by their id in any account, and a query of one character is refused in plain words', async () => {
    const { people } = await call('POST /people/search', { query: at().person.toUpperCase() });
    expect(people).toMatchObject([{ ...at(), by: ['person'] }]);
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
});
