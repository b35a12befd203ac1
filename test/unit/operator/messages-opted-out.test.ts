// Messages of operators to people who opted out: refused before anything is accepted, unless the operator says so.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/core/sql/database.ts';
import { messageHandlers } from '../../../src/jobs/events/operator/messages.ts';
import type { OperatorEvents } from '../../../src/operator/service/operator-events.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { addRow } from './store/person-rows.ts';

const NUMBER = '5511987654321';
const TO = { number: NUMBER, key: NUMBER };

let db: Database;
let accepted: unknown[];
/** Event that was accepted under the key before. */
let earlier: string | null;
beforeEach(async () => {
  db = await testLedger();
  accepted = [];
  earlier = null;
});

const events: OperatorEvents = {
  requireAccount: () => undefined,
  find: async () => earlier,
  async accept(wish) {
    accepted.push(wish);
    return { event: earlier ?? 'event-1', duplicate: earlier !== null };
  },
};

async function send(to: object, toOptedOut?: boolean): Promise<unknown> {
  const config = () => ({ config: { operator: { media: {} } } });
  const handlers = messageHandlers({ db, config } as never, events);
  const request = { type: 'message', to, text: 'canary', saveOnTicket: true };
  const input = { account: 'acme', key: 'k1', request, ...(toOptedOut !== undefined && { toOptedOut }) };
  return await handlers['POST /messages'](input as never, {} as never);
}

/** The person has the conversation 7 of the account acme. */
async function optOut(account = 'acme'): Promise<void> {
  await db.query("insert into opt_outs (account, key, via, at) values ($1, $2, 'reply', now())", [
    account,
    NUMBER,
  ]);
  await addRow(db, 'conversations', {
    account: 'acme',
    id: 7,
    poller: 'main',
    connection_id: 1,
    channel: 'waba',
    person_key: NUMBER,
    updated_at: new Date(),
    fingerprint: 'f',
    item: {},
  });
}

describe.each([
  ['a message to a number', TO],
  ['a reply', { conversation: 7 }],
])('%s, and the person opted out', (_what, to) => {
  it.each([undefined, false])('is refused with toOptedOut %s, without the number', async (toOptedOut) => {
    await optOut();
    const refusal = await send(to, toOptedOut).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      kind: 'conflict',
      code: 'OPTED_OUT',
      message: expect.stringMatching(/toOptedOut \(--to-opted-out\)/),
    });
    expect((refusal as Error).message).not.toMatch(/canary|\d/);
    expect(accepted).toEqual([]);
  });

  it('is accepted with toOptedOut, which is no part of the request', async () => {
    await optOut();
    expect(await send(to, true)).toEqual({ event: 'event-1', duplicate: false });
    expect(JSON.stringify(accepted)).not.toContain('toOptedOut');
  });

  it('is a duplicate if the key was accepted before the opt-out', async () => {
    await optOut();
    earlier = 'event-0';
    expect(await send(to)).toEqual({ event: 'event-0', duplicate: true });
  });

  it('is accepted if the opt-out is of another account', async () => {
    await optOut('other');
    expect(await send(to)).toEqual({ event: 'event-1', duplicate: false });
  });
});

it('a message to somebody who was erased since is accepted: its route discards the event', async () => {
  await optOut();
  await db.query('update opt_outs set key = sluice_pseudonym(account, key)');
  expect(await send(TO)).toEqual({ event: 'event-1', duplicate: false });
});
