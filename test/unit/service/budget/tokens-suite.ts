// Several tokens of an account: their calls add up, and those that the service refuses come last.
import { describe, expect, it } from 'vitest';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { createBudget } from '../../../../src/service/budget/slots.ts';
import { clockMoves } from '../../../support/clock-moves.ts';
import { freshToken, planOf } from './slots-support.ts';

export function tokensSuite(database: () => Database): void {
  const budgetOf = (limit: number) => createBudget(database(), () => planOf(limit));

  describe('several tokens', () => {
    it('share the calls: the first free one is used', async () => {
      const tokens = [freshToken(), freshToken(), freshToken()];
      const budget = budgetOf(60);
      const taken = [];
      for (let n = 0; n < 3; n++) taken.push(await budget.reserve(tokens, LANES.backfill));
      expect(new Set(taken.map(({ token }) => token))).toEqual(new Set(tokens));
      await budget.block(tokens[0] as string, 60_000);
      await budget.block(tokens[1] as string, 60_000);
      expect(await budget.reserve(tokens, LANES.reply)).toMatchObject({ token: tokens[2] });
    });

    it('one that lacks a scope comes last for that scope and for the write scope that includes it, but not for others', async () => {
      const [lacking, other] = [freshToken(), freshToken()];
      const budget = budgetOf(60_000);
      expect(await budget.refused(lacking, 'cards:read', 'ERR_SCOPE_MISSING')).toBe(true);
      expect(await budget.refused(lacking, 'cards:read', 'ERR_SCOPE_MISSING')).toBe(false);
      const takenFor = async (scope: 'cards:read' | 'cards:write') => {
        const all = [];
        for (let n = 0; n < 8; n++) all.push(await budget.reserve([lacking, other], LANES.reply, { scope }));
        return new Set(all.map(({ token }) => token));
      };
      expect(await takenFor('cards:read')).toEqual(new Set([other]));
      expect(await takenFor('cards:write')).toEqual(new Set([other]));
      expect(await budget.reserve([lacking], LANES.reply, { scope: 'contacts:write' })).toMatchObject({
        marked: false,
      });
    });

    it('when all are refused they are still tried, and a success clears the marks of one', async () => {
      const tokens = [freshToken(), freshToken()] as const;
      const budget = budgetOf(60_000);
      for (const token of tokens) await budget.refused(token, null, 'ERR_TOKEN_REVOKED');
      expect(await budget.pace(tokens)).toBe(120_000);
      const slot = await budget.reserve(tokens, LANES.lead, { scope: 'contacts:write' });
      expect(slot.marked).toBe(true);
      await budget.accepted(slot, 'contacts:write');
      const [back, away] = tokens[0] === slot.token ? tokens : [tokens[1], tokens[0]];
      expect(await budget.snapshot([back, away])).toMatchObject([
        { token: back, marks: {} },
        { token: away, marks: { '': 'ERR_TOKEN_REVOKED' } },
      ]);
      expect(await budget.pace(tokens)).toBe(60_000);
    });

    it('the first success after a refusal clears its mark, and none that was made after its slot', async () => {
      const token = freshToken();
      const budget = budgetOf(60_000);
      const reserve = () => budget.reserve([token], LANES.lead, { scope: 'contacts:write' });
      const slot = await reserve();
      const marks = async () =>
        await database().query('select scope from token_marks where token = $1 order by scope', [token]);
      await budget.refused(token, null, 'ERR_TOKEN_REVOKED');
      await budget.refused(token, 'cards:write', 'ERR_SCOPE_MISSING');
      await budget.accepted(slot, 'contacts:write');
      expect(await marks()).toEqual([{ scope: '' }, { scope: 'cards:write' }]);
      await clockMoves(database());
      await budget.accepted(await reserve(), 'contacts:write');
      expect(await marks()).toEqual([{ scope: 'cards:write' }]);
      // A refusal that follows soon is cleared by the next success as well.
      await budget.refused(token, null, 'ERR_TOKEN_REVOKED');
      await clockMoves(database());
      await budget.accepted(await reserve(), 'contacts:write');
      expect(await marks()).toEqual([{ scope: 'cards:write' }]);
    });

    it.each([
      [null, '1 minute'],
      ['contacts:write', '10 minutes'],
    ] as const)('a refusal for %s puts a token after the others for %s', async (scope, time) => {
      const tokens = [freshToken(), freshToken()] as const;
      const budget = budgetOf(60_000);
      await budget.refused(tokens[0], scope, 'ERR_TOKEN_REVOKED');
      const taken = async () => {
        const all = new Set<string>();
        for (let n = 0; n < 8; n++)
          all.add((await budget.reserve(tokens, LANES.reply, { scope: 'contacts:write' })).token);
        return all;
      };
      const age = (by: string) =>
        database().query('update token_marks set at = now() - $2::interval + $3::interval where token = $1', [
          tokens[0],
          time,
          by,
        ]);
      await age('30 seconds');
      expect(await taken()).toEqual(new Set([tokens[1]]));
      await age('0');
      expect(await taken()).toContain(tokens[0]);
    });
  });
}
