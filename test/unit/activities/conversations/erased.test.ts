// Conversations of erased people, which the service still shows.
import { describe, expect, it } from 'vitest';
import { searchPeople } from '../../../../src/operator/store/people/people-search.ts';
import { erasePerson } from '../../../../src/protect/person/erase-person.ts';
import { NOTHING } from '../../../support/people-query.ts';
import { tablesWith } from '../../operator/store/somebody.ts';
import { pollingContext } from './context.ts';
import { at, chat, type Item, message } from './service.ts';
import { type Hand, textsOf } from './support.ts';

const context = pollingContext();
const NUMBER = '5511976543210';
const NAME = 'Quokkamar Zanzibarov';
const TRACES = [NUMBER.slice(5), 'Quokkamar', 'Zanzibarov', 'flumpadoodle'];
/** Long after the erasure, which is now. */
const LATER = (Date.parse('2030-01-01T00:00:00.000Z') - Date.parse(at(0))) / 1000;

/** The conversation with these messages. It is as new as the last of them. */
function show(...items: Item[]): void {
  const { service } = context;
  const seconds = (Date.parse(String(items.at(-1)?.['createdAt'])) - Date.parse(at(0))) / 1000;
  const contact = { id: 1001, name: NAME, number: NUMBER };
  const lastMessage = String(items.at(-1)?.['body']);
  service.messages.set(1, items);
  service.chats = [chat(1, seconds, { createdAt: at(0), lastMessage, contact })];
}

/** Polls an account on which `sair` opts out. */
async function hire(): Promise<Hand> {
  const hand = await context.hire();
  const { account } = hand.deps;
  const optOut = { tags: [], words: ['sair'] };
  Object.assign(hand.deps, { account: (name: string) => ({ ...account(name), optOut }) });
  return hand;
}

/** Polls a person who has opted out, and erases them. */
async function erased(): Promise<Hand> {
  const hand = await hire();
  show(message('m1', 1, { body: 'hello flumpadoodle' }), message('sair', 2));
  await hand.settle();
  // Otherwise they would reach the log after the erasure, on a busy machine.
  await hand.deps.calls.flush();
  const [found] = await searchPeople(context.db, { ...NOTHING, accounts: ['acme'], keys: [NUMBER] }, 2);
  expect(await erasePerson(context.db, 'acme', found?.ref ?? '')).toMatchObject({ optOutKept: true });
  expect(await tablesWith(context.db, TRACES)).toEqual([]);
  return hand;
}

const OLD = [message('m1', 1, { body: 'hello flumpadoodle' }), message('sair', 2)];

describe('a conversation of an erased person', () => {
  it('that changes, also by a message from before the erasure, brings nothing of the person back', async () => {
    const hand = await erased();
    show(...OLD, message('m3', 3, { body: 'bye flumpadoodle' }));
    await hand.settle();
    show(
      ...OLD,
      message('m3', 3, { body: 'bye flumpadoodle' }),
      message('m4', LATER, { body: 'Hi Quokkamar', fromMe: true, status: 'read', ack: 4 }),
    );
    const [listed] = context.service.chats;
    if (listed !== undefined) listed['status'] = 'closed';
    await hand.settle();
    expect(await hand.todo()).toEqual([]);
    expect(await tablesWith(context.db, TRACES)).toEqual([]);
  });

  it('whose person writes again is known again, with what came since the erasure', async () => {
    const hand = await erased();
    show(...OLD, message('me again', LATER));
    await hand.settle();
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['me again']);
    const [found] = await searchPeople(context.db, { ...NOTHING, accounts: ['acme'], keys: [NUMBER] }, 2);
    expect(found).toMatchObject({ name: NAME });
    show(...OLD, message('me again', LATER), message('and again', LATER + 60));
    await hand.settle();
    expect(textsOf(await hand.published())).toEqual(['me again', 'and again']);
  });

  it('whose person opts out with their first new message has opted out', async () => {
    const hand = await hire();
    show(message('m1', 1, { body: 'hello flumpadoodle' }));
    await hand.settle();
    const [found] = await searchPeople(context.db, { ...NOTHING, accounts: ['acme'], keys: [NUMBER] }, 2);
    expect(await erasePerson(context.db, 'acme', found?.ref ?? '')).toMatchObject({ optOutKept: false });
    show(message('m1', 1, { body: 'hello flumpadoodle' }), message('sair', LATER));
    await hand.settle();
    await hand.settle();
    expect(await context.db.query('select key from opt_outs')).toEqual([{ key: NUMBER }]);
  });
});
