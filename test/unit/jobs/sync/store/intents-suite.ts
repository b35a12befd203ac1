// Intents: of all who want to send, one does; a card is made once for good.
import { describe, expect, it } from 'vitest';
import {
  endIntent,
  getIntent,
  type IntentKey,
  type IntentState,
  openAgain,
  reopenIntent,
  settleIntent,
  takeIntent,
} from '../../../../../src/core/store/intents.ts';
import { freshAccount, type OpenDatabase } from '../../../core/sql/support.ts';

const keyOf = (kind: IntentKey['kind'] = 'card'): IntentKey => ({
  account: freshAccount(),
  kind,
  subject: '7/Sales',
});

export function intentsSuite(database: OpenDatabase): void {
  const take = (key: IntentKey, run = 'r/1') => takeIntent(database(), { ...key, run });
  const takenId = async (key: IntentKey) => ((await take(key)) as { id: number }).id;
  /** Brings a new intent into a state. */
  const bring = async (key: IntentKey, state: IntentState) => {
    const id = await takenId(key);
    if (state === 'open') await reopenIntent(database(), id, 1);
    if (state === 'done' || state === 'unknown') await endIntent(database(), id, state);
    return id;
  };
  const stateOf = async (key: IntentKey) => (await getIntent(database(), key))?.state;

  describe('intents', () => {
    it('of fifty callers at once exactly one takes the right to send', async () => {
      const key = keyOf();
      const taken = await Promise.all(Array.from({ length: 50 }, () => take(key)));
      expect(taken.filter((each) => each !== null)).toMatchObject([{ sends: 1 }]);
      expect(await getIntent(database(), key)).toMatchObject({ state: 'sent', sends: 1 });
    });

    it.each<[IntentState, boolean]>([
      ['open', true],
      ['sent', false],
      ['done', false],
      ['unknown', false],
    ])('in the state %s can be taken: %s', async (state, can) => {
      const key = keyOf();
      const id = await bring(key, state);
      const taken = await take(key);
      if (can) expect(taken).toMatchObject({ id, sends: 2 });
      else expect(taken).toBeNull();
    });

    it.each<[IntentState, IntentState]>([
      ['sent', 'sent'],
      ['unknown', 'unknown'],
      ['done', 'open'],
    ])('opened again while %s is %s, and reading never changes it', async (before, after) => {
      const key = keyOf('stage');
      const id = await bring(key, before);
      expect(await stateOf(key)).toBe(before);
      expect(await stateOf(key)).toBe(before);
      await openAgain(database(), { ...key, run: 'r/2' }, 0);
      const again = await getIntent(database(), key);
      expect(again).toMatchObject({ id, state: after });
      if (after === 'open') expect(again).toMatchObject({ sends: 1, refused: 1, sent_at: null, age: null });
      else expect(again?.sent_at).toBeInstanceOf(Date);
    });

    it.each<IntentState | 'none'>(['none', 'open', 'sent', 'unknown', 'done'])(
      'settled while %s: nobody sends any more',
      async (before) => {
        const key = keyOf();
        if (before !== 'none') await bring(key, before);
        await settleIntent(database(), { ...key, run: 'r/2' });
        expect(await stateOf(key)).toBe('done');
        expect(await take(key)).toBeNull();
      },
    );

    it('is reopened only for the call that had no effect, never for a later or finished one', async () => {
      const key = keyOf();
      const id = await takenId(key);
      await reopenIntent(database(), id, 1);
      await take(key);
      await reopenIntent(database(), id, 1);
      expect(await getIntent(database(), key)).toMatchObject({ state: 'sent', sends: 2 });
      await endIntent(database(), id, 'done');
      await reopenIntent(database(), id, 2);
      expect(await stateOf(key)).toBe('done');
    });

    it('counts its calls across reopenings, and measures its age by the database’s clock', async () => {
      const key = keyOf();
      const id = await takenId(key);
      for (const sends of [1, 2, 3]) {
        expect(await getIntent(database(), key)).toMatchObject({ sends });
        await reopenIntent(database(), id, sends);
        await take(key);
      }
      await database().query("update intents set sent_at = sent_at - interval '90 seconds' where id = $1", [
        id,
      ]);
      const age = (await getIntent(database(), key))?.age ?? 0;
      expect(Math.floor(age / 10)).toBe(9);
    });

    it('is null when none was stored, and differs by account, kind and subject', async () => {
      const key = keyOf();
      const others: IntentKey[] = [keyOf(), { ...key, kind: 'stage' }, { ...key, subject: '7/Support' }];
      for (const other of others) {
        expect(await getIntent(database(), other)).toBeNull();
        expect(await take(other)).toMatchObject({ sends: 1 });
      }
      expect(await stateOf(key)).toBeUndefined();
    });
  });
}
