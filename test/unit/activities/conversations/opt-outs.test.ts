// FAULTS 47: who answers with a word of the account's list is left alone from then on.
import { describe, expect, it } from 'vitest';
import { optOutMatcher } from '../../../../activities/conversations/opt-out-replies.ts';
import { noteOptOuts } from '../../../../src/core/store/opt-outs.ts';
import { pollingContext } from './context.ts';
import { at, chat, type Item, message } from './service.ts';
import type { Hand } from './support.ts';

describe('a whole message that is one of the words', () => {
  const isOptOut = optOutMatcher([
    'SAIR',
    'Não quero',
    'stop!',
    "don't write",
    '👎',
    '✋🏽',
    '2',
    'ВЫЙТИ',
    '!!!',
  ]);

  it.each([
    'SAIR',
    'sair',
    ' sair ',
    'SAIR!',
    'Saír',
    'Sai\u0301r.',
    '"sair"',
    '¡Sair!',
    'sair 🙏🏽',
    '🛑 SAIR 🛑',
    '*sair*',
    '\u200bsair\ufeff',
    'ＳＡＩＲ',
    'sair\n',
    'nao quero',
    'NÃO  QUERO...',
    'não-quero',
    'não\u00a0quero',
    'STOP',
    'dont write',
    'Don’t write!',
    '👎',
    ' 👎🏿 ',
    '👎!',
    '✋',
    '2',
    '2️⃣',
    '2.',
    'выйти',
  ])('%j', (text) => expect(isOptOut(text)).toBe(true));

  it.each([
    '',
    ' ',
    '!!!',
    '🙂',
    '.',
    'sai',
    'sairr',
    's a i r',
    'quero sair',
    'sair não',
    'como faço para sair?',
    'nãoquero',
    'não',
    '22',
    '2 sair',
    '👍',
    'sa1r',
    `sair${' '.repeat(300)}`,
    `sair ${'🛑'.repeat(5000)}`,
  ])('not %j', (text) => expect(isOptOut(text)).toBe(false));

  it('a vowel of another script is no accent', () => {
    expect(optOutMatcher(['रोक'])('रोक')).toBe(true);
    expect(optOutMatcher(['रोक'])('रक')).toBe(false);
  });
});

describe('polling', () => {
  const context = pollingContext();
  const PERSON = '5511987600001';

  async function polled(words: readonly string[], items: readonly Item[], since: Date | null = null) {
    const hand = await context.hire({ since });
    setWords(hand, words);
    context.write(...items);
    await hand.settle();
    return hand;
  }
  function setWords(hand: Hand, words: readonly string[]): void {
    const { account } = hand.deps;
    Object.assign(hand.deps, {
      account: (name: string) => ({ ...account(name), optOut: { tags: [], words } }),
    });
  }
  const known = () => context.db.query<object>('select account, key, via, at from opt_outs order by key');
  const since = (seconds: number) => ({
    account: 'acme',
    key: PERSON,
    via: 'reply',
    at: new Date(at(seconds)),
  });

  it('notes the sender, with the time of the message', async () => {
    await polled(
      ['sair'],
      [message('Olá', 1), message('SAIR!', 2), message('sair', 3), message('obrigado', 4)],
    );
    expect(await known()).toEqual([since(2)]);
  });

  it.each<[string, Item]>([
    ['the account wrote it', message('sair', 2, { fromMe: true })],
    ['nobody knows who wrote it', message('sair', 2, { fromMe: undefined })],
    ['it is part of a longer message', message('sair daqui', 2)],
    ['the message has no text', message('x', 2, { body: null })],
  ])('notes nobody when %s', async (_, item) => {
    await polled(['sair'], [message('a', 1), item]);
    expect(await known()).toEqual([]);
  });

  it('notes nobody without words', async () => {
    await polled([], [message('sair', 2)]);
    expect(await known()).toEqual([]);
  });

  it('notes an opt-out from before the poller began, although it is not published', async () => {
    const hand = await polled(['sair'], [message('sair', 2), message('oi', 100)], new Date(at(50)));
    expect(await known()).toEqual([since(2)]);
    expect(
      (await hand.published()).flatMap(({ type }) => (type === 'message.received' ? [type] : [])),
    ).toHaveLength(1);
  });

  it('is one person with and without the ninth digit, and nobody without a number', async () => {
    const of = (number: string | null) => ({ contact: { id: 7, name: 'B', number } });
    context.service.chats = [chat(2, 9, of('551187600001')), chat(3, 8, of(null))];
    context.service.messages.set(2, [message('sair', 9)]);
    context.service.messages.set(3, [message('sair', 8)]);
    await polled(['sair'], [message('sair', 2)]);
    expect(await known()).toEqual([since(2)]);
  });

  it('a poll that crashes before its commit notes nothing, and its retry does', async () => {
    const hand = await context.hire();
    setWords(hand, ['sair']);
    context.write(message('sair', 2));
    await hand.page();
    await expect(hand.read(1, 'lost')).rejects.toThrow();
    expect(await known()).toEqual([]);
    await hand.read(1);
    expect(await known()).toEqual([since(2)]);
  });

  it('words that are configured later apply to messages read later', async () => {
    const hand = await polled([], [message('sair', 2)]);
    setWords(hand, ['sair']);
    context.write(message('sair', 2), message('oi', 9));
    await hand.settle();
    expect(await known()).toEqual([since(2)]);
  });
});

describe('the ledger', () => {
  const context = pollingContext();
  const day = (n: number) => new Date(Date.UTC(2026, 0, n));

  it('keeps the earliest opt-out per account', async () => {
    const { db } = context;
    await noteOptOuts(db, 'acme', ['b', 'a', 'b', ''], 'tag', day(5));
    await noteOptOuts(db, 'acme', ['a'], 'reply', day(3));
    await noteOptOuts(db, 'acme', ['a', 'b'], 'tag', day(9));
    await noteOptOuts(db, 'other', ['c'], 'tag', day(1));
    await noteOptOuts(db, 'acme', [], 'tag', day(1));
    expect(await db.query('select account, key, via, at from opt_outs order by key')).toEqual([
      { account: 'acme', key: 'a', via: 'reply', at: day(3) },
      { account: 'acme', key: 'b', via: 'tag', at: day(5) },
      { account: 'other', key: 'c', via: 'tag', at: day(1) },
    ]);
  });
});
