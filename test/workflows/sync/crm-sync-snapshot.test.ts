// Snapshots of an account: when they are read, what they spare, and that nothing wrong is concluded from them.
import { describe, expect, it } from 'vitest';
import { type OperatorCommand, pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import { account } from '../../support/environment.ts';
import { type PanelRequest, writes } from '../../support/panel.ts';
import { HEADER, progressOf, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const { inEnvironment } = syncContext();

const number = (n: number) => `55119${String(80000000 + n)}`;
const withoutNinth = (n: number) => `5511${String(80000000 + n)}`;
const contacts = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: n + 1, number: number(n), name: `P${n}` }));
const rows = (from: number, to: number, stage = '') =>
  Array.from({ length: to - from }, (_, n) => `${number(from + n)},P${from + n},,,,${stage},\n`).join('');
const count = (requests: readonly PanelRequest[], method: string, path: string) =>
  requests.filter((each) => each.method === method && each.path === path).length;

describe('the contacts', () => {
  it('of an equal account: pages of a hundred and no write; the report has the figures', async () => {
    await inEnvironment(
      { csv: HEADER + rows(0, 230), account: account({ contacts: contacts(230) }) },
      async (environment) => {
        const handle = await environment.start();
        const report = await handle.result();
        expect(await progressOf(handle)).toMatchObject({ total: 0, done: 0 });
        expect(report).toMatchObject({ read: 230, unchanged: 230, created: 0, updated: 0, calls: 3 });
        expect(report.snapshots).toEqual([{ of: 'contacts', single: 230, pages: 3, read: 3 }]);
        const seen = await environment.requests();
        expect(count(seen, 'GET', '/v1/contacts')).toBe(3);
        expect(seen).toHaveLength(3);
        expect(await environment.run()).toMatchObject({ unchanged: 230, calls: 0 });
      },
    );
  });

  it('of a large account are not read for a few people', async () => {
    await inEnvironment(
      { csv: HEADER + rows(998, 1002), account: account({ contacts: contacts(1000) }) },
      async (environment) => {
        const report = await environment.run();
        expect(report).toMatchObject({ created: 2, unchanged: 2, calls: 7 });
        expect(report.snapshots).toEqual([{ of: 'contacts', single: 4, pages: 10, read: 1 }]);
      },
    );
  });

  it('under both forms of a number, on different pages: Sluice writes to the one with the exact number', async () => {
    const both = [
      { id: 1, number: withoutNinth(0), name: 'short' },
      ...contacts(120).slice(1),
      { id: 200, number: number(0), name: 'long' },
    ];
    await inEnvironment(
      { csv: HEADER + rows(0, 1) + rows(500, 502), account: account({ contacts: both }) },
      async (environment) => {
        expect(await environment.run()).toMatchObject({ created: 2, updated: 1, calls: 5 });
        const after = (await environment.panel.account()).contacts;
        expect(after).toHaveLength(both.length + 2);
        expect(after.filter(({ id }) => id === 1 || id === 200)).toMatchObject([
          { name: 'short' },
          { name: 'P0' },
        ]);
        expect(await environment.run()).toMatchObject({ unchanged: 3, calls: 0 });
      },
    );
  });

  it.each([
    ['an item that cannot be read', { count: 3, hasMore: false, contacts: [{ id: 'x' }] }],
    ['fewer items than it says', { count: 3, hasMore: false, contacts: [] }],
    ['more behind it', { count: 0, hasMore: true, contacts: [] }],
  ])('with %s: nobody is taken for new', async (_, page) => {
    const old = { id: 1, number: withoutNinth(0), name: 'old' };
    const card = { id: 9, contactId: 1, pipelineId: 1, stageId: 12, title: 'by hand' };
    const options = { csv: HEADER + rows(0, 3, 'New'), account: account({ contacts: [old], cards: [card] }) };
    await inEnvironment(options, async (environment) => {
      const body = { requestId: 'r', ...page };
      const once = { method: 'GET', path: '^/v1/contacts$', times: 1 };
      await environment.panel.fault({ ...once, kind: 'status', status: 200, body });
      expect(await environment.run()).toMatchObject({ created: 2, updated: 1, cards: 2 });
      const state = await environment.panel.account();
      expect(state.contacts).toHaveLength(3);
      expect(state.cards.filter(({ contactId }) => contactId === 1)).toMatchObject([{ id: 9 }]);
    });
  });

  it('whose count changes while they are read: nobody counts as new', async () => {
    const options = { csv: HEADER + rows(0, 150), account: account({ contacts: contacts(150) }) };
    await inEnvironment(options, async (environment) => {
      const first = contacts(100).map((each) => ({
        ...each,
        email: null,
        document: null,
        channel: 'whatsapp',
        disableBot: false,
        tags: [],
        createdAt: '2026-11-20T10:00:00.000Z',
        updatedAt: '2026-11-20T10:00:00.000Z',
      }));
      // One of them was removed after this page, and its successors moved up: the second page lacks the 101st.
      const body = {
        requestId: 'r',
        count: 151,
        hasMore: true,
        contacts: [{ ...first[0], id: 999, number: '1' }, ...first.slice(1)],
      };
      await environment.panel.fault({
        method: 'GET',
        path: '^/v1/contacts$',
        kind: 'status',
        status: 200,
        times: 1,
        body,
      });
      expect(await environment.run()).toMatchObject({ created: 0, updated: 0, unchanged: 150, calls: 3 });
      expect((await environment.panel.account()).contacts).toHaveLength(150);
    });
  });

  it('a pause in the middle of them: what was read counts, in one batch before and one after, one line in the report', async () => {
    const size = 2500;
    const options = {
      csv: HEADER + rows(0, 60) + rows(5000, 5001),
      account: account({ contacts: contacts(size) }),
    };
    await inEnvironment(options, async (environment) => {
      await environment.panel.fault({ method: 'GET', path: '^/v1/contacts$', kind: 'delay', ms: 150 });
      const handle = await environment.start();
      await until('pages were read', async () => (await environment.panel.requests()).length >= 5);
      const command: { args: [OperatorCommand] } = { args: [{ by: 'ana', reason: 'lunch' }] };
      await handle.executeUpdate(pauseUpdate, command);
      const { length } = await environment.panel.requests();
      expect(length).toBeLessThan(25);
      await handle.executeUpdate(resumeUpdate, command);
      const report = await handle.result();
      expect(report).toMatchObject({ read: 61, created: 1, unchanged: 60 });
      const reads = count(await environment.requests(), 'GET', '/v1/contacts');
      // Pages overlap by one item, which takes an eighth more of them.
      expect(reads).toBeLessThanOrEqual(30);
      expect(report.snapshots).toEqual([{ of: 'contacts', single: 61, pages: reads, read: reads }]);
      const { events } = await handle.fetchHistory();
      const batches = events?.filter(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'snapshotContacts',
      );
      expect(batches).toHaveLength(2);
    });
  });
});

describe('the cards', () => {
  it('that people created are adopted by the hundred, those of a lost answer separately, and only missing ones are created', async () => {
    const cards = Array.from({ length: 101 }, (_, n) => ({
      id: n + 1,
      contactId: n + 1,
      pipelineId: 1,
      stageId: 12,
      title: 'by hand',
    }));
    const options = {
      csv: HEADER + rows(0, 110, 'New'),
      account: account({ contacts: contacts(110), cards }),
    };
    await inEnvironment(options, async (environment) => {
      // An earlier run sent this one's card away, and was cut off.
      await environment.db.query("insert into people (account, key) values ('acme', $1)", [number(0)]);
      await environment.db.query(
        `insert into intents (account, kind, subject, run_id, state, sends, sent_at)
         select 'acme', 'card', id || '/Sales', 'acme/leads/0', 'sent', 1, now() - interval '1 hour' from people`,
      );
      const report = await environment.run();
      expect(report).toMatchObject({ unchanged: 101, updated: 9, created: 0, cards: 9 });
      expect(report.snapshots).toEqual([
        { of: 'contacts', single: 110, pages: 2, read: 2 },
        { of: 'cards', single: 110, pages: 2, read: 2 },
      ]);
      const seen = await environment.requests();
      // Pipelines, two pages of each, one check alone.
      expect(seen).toHaveLength(1 + 2 + 2 + 1 + 9);
      expect(writes(seen).map(({ path }) => path)).toEqual(Array(9).fill('/v1/cards'));
      const state = await environment.panel.account();
      expect(new Set(state.cards.map(({ contactId }) => contactId)).size).toBe(110);
      expect(state.cards.filter(({ stageId }) => stageId === 12)).toHaveLength(101);
      expect(await environment.db.query("select distinct state from intents where kind = 'card'")).toEqual([
        { state: 'done' },
      ]);

      await environment.write(HEADER + rows(0, 110, 'New').replace('P5,,,,New', 'P5,,,,Won'));
      expect(await environment.run()).toMatchObject({ updated: 1, unchanged: 109 });
      expect(
        (await environment.panel.account()).cards.find(({ contactId }) => contactId === 6),
      ).toMatchObject({
        stageId: 13,
      });
    });
  });

  it('with one that cannot be read: each person is looked up, and nobody gets a second card', async () => {
    const card = { id: 9, contactId: 1, pipelineId: 1, stageId: 12, title: 'by hand' };
    const options = {
      csv: HEADER + rows(0, 3, 'New'),
      account: account({ contacts: contacts(3), cards: [card] }),
    };
    await inEnvironment(options, async (environment) => {
      const body = { requestId: 'r', count: 1, hasMore: false, totalValue: 0, cards: [{ id: 9 }] };
      await environment.panel.fault({
        method: 'GET',
        path: '^/v1/cards$',
        kind: 'status',
        status: 200,
        times: 1,
        body,
      });
      expect(await environment.run()).toMatchObject({ cards: 2, unchanged: 1, updated: 2 });
      expect(
        (await environment.panel.account()).cards.filter(({ contactId }) => contactId === 1),
      ).toHaveLength(1);
    });
  });
});
