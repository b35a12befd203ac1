// What a sink hears of a trigger: one event for each outcome, together with it or not at all.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { jsonlSink } from '../../../../../src/connectors/sinks/jsonl.ts';
import type { Database, Queryable } from '../../../../../src/core/sql/database.ts';
import { SinkEvent } from '../../../../../src/jobs/events/contract/envelope.ts';
import { until } from '../../../../support/until.ts';
import { outboxContext } from '../../outbox/outbox-context.ts';
import { openTriggerContext, type Person } from './trigger-context.ts';

const outcomes = ['triggered', 'skipped', 'failed', 'unknown'] as const;
const rules = [
  { sink: 'crm', events: outcomes.map((outcome) => `sluice.campaign.member.${outcome}` as const) },
  { sink: 'stops', events: ['sluice.optout.added' as const] },
];

const context = await openTriggerContext({}, rules);
afterAll(context.close);

async function eventsOf({ run, member }: Person): Promise<SinkEvent[]> {
  const rows = await context.db.query<{ event: unknown }>(
    'select event from outbox where stream = $1 order by seq',
    [`${run}/${member}`],
  );
  return rows.map(({ event }) => SinkEvent.parse(event));
}
const typesOf = async (person: Person) => (await eventsOf(person)).map(({ type }) => type);

describe('a member', () => {
  it('that got the flow is announced once, also when the batch is repeated', async () => {
    const person = await context.waiting();
    await context.step('triggerMember', person);
    await context.step('triggerMember', person);
    expect(await eventsOf(person)).toMatchObject([
      {
        type: 'sluice.campaign.member.triggered',
        data: {
          account: 'acme',
          run: person.run,
          member: person.member,
          number: person.number,
          contact: person.contact,
          code: null,
        },
      },
    ]);
  });

  it('whose answer is late was unknown and is triggered; later than that nothing is announced', async () => {
    const person = await context.waiting();
    await context.arm({ kind: 'delay', ms: 300 });
    const slow = context.step('triggerMember', person);
    await until('the right is taken', async () => (await context.rowOf(person)).state === 'sending');
    await context.lose(person);
    await slow;
    await context.lose(person);
    expect(await typesOf(person)).toEqual(
      outcomes
        .toReversed()
        .flatMap((each) =>
          each === 'unknown' || each === 'triggered' ? [`sluice.campaign.member.${each}`] : [],
        ),
    );
  });

  it('that is refused is announced with the code; its number is in the event, but not in the key', async () => {
    const person = await context.waiting();
    await context.step('triggerMember', await context.waiting());
    await context.refuseWith(409, 'ERR_TICKET_IN_HUMAN_SERVICE', { ticketId: 77 });
    await context.step('triggerMember', person);
    const found = await eventsOf(person);
    expect(found).toMatchObject([
      {
        type: 'sluice.campaign.member.skipped',
        data: { code: 'HUMAN_SERVICE', conversation: 77, number: person.number },
      },
    ]);
    expect(`${found[0]?.id} ${found[0]?.partitionkey}`).not.toContain(person.number);
  });

  it('with an opt-out tag is skipped, and the opt-out is announced where opt-outs are', async () => {
    const person = await context.waiting();
    const { db } = context;
    await db.query(
      `insert into opt_outs (account, key, via, at) values ('acme', $1, 'reply', '2026-01-01T00:00:00Z')`,
      [person.key],
    );
    await context.step('triggerMember', person);
    expect(await eventsOf(person)).toMatchObject([
      { type: 'sluice.campaign.member.skipped', data: { code: 'OPTED_OUT' } },
    ]);
  });

  it('has neither outcome nor event when the outbox fails; later it has both', async () => {
    const person = await context.waiting();
    let broken = true;
    const db: Database = {
      ...context.db,
      kind: context.db.kind,
      query: (sql, params) => context.db.query(sql, params),
      transaction: (work) =>
        context.db.transaction((tx) =>
          work({
            ...tx,
            query: async <Row>(sql: string, params?: readonly unknown[]) => {
              if (broken && sql.includes('insert into outbox')) throw new Error('the process dies here');
              return await tx.query<Row>(sql, params);
            },
          } as Queryable),
        ),
      close: async () => undefined,
    };
    const worker = context.worker({ db });
    await expect(worker.step('triggerMember', person)).rejects.toThrow();
    expect([(await context.facts(person)).state, await typesOf(person)]).toEqual(['sending', []]);
    broken = false;
    // Nobody knows whether the flow ran, so that is what is announced.
    await context.lose(person);
    expect(await typesOf(person)).toEqual(['sluice.campaign.member.unknown']);
  });

  it('reaches the file of a sink once, as it was put', async () => {
    const person = await context.waiting();
    await context.step('triggerMember', person);
    const dir = await mkdtemp(join(tmpdir(), 'sluice-events-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const sink = jsonlSink({ type: 'jsonl', path: 'crm.jsonl' }, dir);
    const [event] = await eventsOf(person);
    const box = outboxContext(context.db, { crm: sink });
    await box.runBatch('crm');
    await box.runBatch('crm');
    await sink.close();
    const lines = (await readFile(join(dir, 'crm.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ id }) => id === event?.id)).toEqual([event]);
  });
});
