// Intents: of all who want to send, one does; a card is made once for good.
import { describe, expect, it } from 'vitest';
import {
  endIntent,
  getIntent,
  type IntentKey,
  type IntentState,
  openIntent,
  reopenIntent,
  takeIntent,
} from '../../../src/ledger/intents.ts';
import { type Engine, freshAccount } from './support.ts';

const keyOf = (kind: IntentKey['kind'] = 'card'): IntentKey => ({
  account: freshAccount(),
  kind,
  subject: '7/Sales',
});

export function intentsSuite(engine: Engine): void {
  const open = (key: IntentKey, run = 'r/1') => openIntent(engine(), { ...key, run });
  /** Brings an intent that was opened into a state. */
  const bring = async (id: number, state: IntentState) => {
    const sends = state === 'open' ? null : await takeIntent(engine(), id);
    if (state === 'done' || state === 'unknown') await endIntent(engine(), id, state);
    return sends;
  };
  const stateOf = async (key: IntentKey) => (await getIntent(engine(), key))?.state;

  describe('intents', () => {
    it('of fifty callers at once exactly one takes the right to send', async () => {
      const key = keyOf();
      const intents = await Promise.all(Array.from({ length: 50 }, () => open(key)));
      expect(new Set(intents.map(({ id }) => id)).size).toBe(1);
      const taken = await Promise.all(intents.map(({ id }) => takeIntent(engine(), id)));
      expect(taken.filter((sends) => sends !== null)).toEqual([1]);
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
      await bring(id, state);
      expect((await takeIntent(engine(), id)) !== null).toBe(can);
    });

    it.each<[IntentKey['kind'], IntentState, IntentState]>([
      ['card', 'open', 'open'],
      ['card', 'sent', 'sent'],
      ['card', 'unknown', 'unknown'],
      ['card', 'done', 'done'],
      ['stage', 'sent', 'sent'],
      ['stage', 'done', 'open'],
    ])('of a %s, opened while %s is %s, and looking never changes it', async (kind, before, after) => {
      const key = keyOf(kind);
      const { id } = await open(key);
      await bring(id, before);
      expect(await stateOf(key)).toBe(before);
      expect(await stateOf(key)).toBe(before);
      const again = await open(key, 'r/2');
      expect(again).toMatchObject({ id, state: after });
      if (after === 'open') expect(again).toMatchObject({ sends: 0, sent_at: null, age: null });
      else expect(again.sent_at).toBeInstanceOf(Date);
    });

    it('is reopened only for the sending that had no effect, never for one that came later or is done', async () => {
      const key = keyOf();
      const { id } = await open(key);
      const first = await takeIntent(engine(), id);
      await reopenIntent(engine(), id, first as number);
      const second = await takeIntent(engine(), id);
      await reopenIntent(engine(), id, first as number);
      expect(await getIntent(engine(), key)).toMatchObject({ state: 'sent', sends: 2 });
      await endIntent(engine(), id, 'done');
      await reopenIntent(engine(), id, second as number);
      expect(await stateOf(key)).toBe('done');
    });

    it('counts its sends over reopenings, and knows its age by the clock of the database', async () => {
      const key = keyOf();
      const { id } = await open(key);
      for (const n of [1, 2, 3]) {
        await takeIntent(engine(), id);
        expect(await getIntent(engine(), key)).toMatchObject({ sends: n });
        await reopenIntent(engine(), id, n);
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
        expect(await takeIntent(engine(), (await open(other)).id)).toBe(1);
      }
      expect(await stateOf(key)).toBe('open');
    });
  });
}
