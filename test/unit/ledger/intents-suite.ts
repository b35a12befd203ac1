// Intents: of all who want to send, one does; nothing but openIntent begins a finished effect anew.
import { describe, expect, it } from 'vitest';
import {
  getIntent,
  type IntentKey,
  type IntentState,
  openIntent,
  setIntent,
  takeIntent,
} from '../../../src/ledger/intents.ts';
import { type Engine, freshAccount } from './support.ts';

const keyOf = (account = freshAccount()): IntentKey => ({ account, kind: 'card', subject: '7/Sales' });

export function intentsSuite(engine: Engine): void {
  const open = (key: IntentKey, run = 'r/1') => openIntent(engine(), { ...key, run });
  const stateOf = async (key: IntentKey) => (await getIntent(engine(), key))?.state;

  describe('intents', () => {
    it('of fifty callers at once exactly one takes the right to send', async () => {
      const key = keyOf();
      const intents = await Promise.all(Array.from({ length: 50 }, () => open(key)));
      expect(new Set(intents.map(({ id }) => id)).size).toBe(1);
      const taken = await Promise.all(intents.map(({ id }) => takeIntent(engine(), id)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await getIntent(engine(), key)).toMatchObject({ state: 'sent', sends: 1 });
    });

    it.each<[IntentState, boolean]>([
      ['open', true],
      ['sent', false],
      ['done', false],
      ['unknown', false],
    ])('in the state %s can be taken: %s', async (state, can) => {
      const key = keyOf();
      const { id } = await open(key);
      if (state === 'sent') await takeIntent(engine(), id);
      else await setIntent(engine(), id, state);
      expect(await takeIntent(engine(), id)).toBe(can);
    });

    it.each<[IntentState, IntentState]>([
      ['open', 'open'],
      ['sent', 'sent'],
      ['unknown', 'unknown'],
      ['done', 'open'],
    ])('opened while %s is %s, and looking never changes it', async (before, after) => {
      const key = keyOf();
      const { id } = await open(key);
      await takeIntent(engine(), id);
      if (before !== 'sent') await setIntent(engine(), id, before);
      expect(await stateOf(key)).toBe(before);
      expect(await stateOf(key)).toBe(before);
      const again = await open(key, 'r/2');
      expect(again).toMatchObject({ id, state: after, sends: before === 'done' ? 0 : 1 });
      if (before === 'done') expect(again).toMatchObject({ sent_at: null, age: null });
      else expect(again.sent_at).toBeInstanceOf(Date);
    });

    it('counts its sends over reopenings, and knows its age by the clock of the database', async () => {
      const key = keyOf();
      const { id } = await open(key);
      for (const n of [1, 2, 3]) {
        await takeIntent(engine(), id);
        expect(await getIntent(engine(), key)).toMatchObject({ sends: n });
        await setIntent(engine(), id, 'open');
      }
      await takeIntent(engine(), id);
      await engine().query("update intents set sent_at = sent_at - interval '90 seconds' where id = $1", [
        id,
      ]);
      const age = (await getIntent(engine(), key))?.age ?? 0;
      expect(Math.floor(age / 10)).toBe(9);
    });

    it('is null where none was written down, and differs by account, kind and subject', async () => {
      const key = keyOf();
      await open(key);
      const others: IntentKey[] = [keyOf(), { ...key, kind: 'stage' }, { ...key, subject: '7/Support' }];
      for (const other of others) {
        expect(await getIntent(engine(), other)).toBeNull();
        expect(await takeIntent(engine(), (await open(other)).id)).toBe(true);
      }
      expect(await stateOf(key)).toBe('open');
    });
  });
}
