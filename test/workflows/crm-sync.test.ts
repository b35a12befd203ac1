// The CRM sync against the sandbox: what each kind of change costs, and what it leaves there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  account,
  type House,
  type HouseOptions,
  MAPPING,
  openHouse,
  SEARCH_ATTRIBUTES,
} from '../support/house.ts';
import { writes } from '../support/panel.ts';
import { connectTestTemporal, type TestTemporal } from '../support/temporal.ts';

const HEADER = 'phone,name,email,tags,company,stage,plan\n';
const ANA = '11 98765-4321,Ana Souza,ana@example.com,crm,Acme,New,pro\n';
const BIA = '21 99876-5432,Bia Lima,,,,,\n';

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
});
afterAll(() => temporal.close());

async function inHouse(
  options: Omit<HouseOptions, 'temporal'>,
  work: (house: House) => Promise<void>,
): Promise<void> {
  const house = await openHouse({ temporal, ...options });
  try {
    await work(house);
  } finally {
    await house.close();
  }
}

describe('a first run', () => {
  it('creates contact, tags and card, and a second run makes no write', async () => {
    await inHouse({ csv: HEADER + ANA + BIA }, async (house) => {
      const first = await house.run();
      expect(first).toMatchObject({
        read: 2,
        created: 2,
        updated: 0,
        unchanged: 0,
        rejected: 0,
        failed: 0,
        unknown: 0,
        cards: 1,
      });
      const state = await house.panel.account();
      expect(state.contacts.map(({ number, tagIds, extraInfo }) => ({ number, tagIds, extraInfo }))).toEqual([
        { number: '5511987654321', tagIds: [1], extraInfo: [{ name: 'company', value: 'Acme' }] },
        { number: '5521998765432', tagIds: [], extraInfo: [] },
      ]);
      expect(state.cards).toMatchObject([{ pipelineId: 1, stageId: 11, status: 'open' }]);
      expect(first.calls).toBe((await house.requests()).length);

      const second = await house.run();
      expect(second).toMatchObject({ read: 2, unchanged: 2, created: 0, updated: 0, calls: 0 });
      expect(await house.requests()).toEqual([]);
    });
  });
});
