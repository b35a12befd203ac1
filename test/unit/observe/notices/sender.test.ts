// What each channel gets, by several processes on one ledger, with failures, crashes and restarts.
import { beforeEach, expect, it } from 'vitest';
import { NoticeError } from '../../../../src/observe/notices/channels/error.ts';
import { NoticeChannel } from '../../../../src/observe/notices/config.ts';
import type { Notice } from '../../../../src/observe/notices/notice.ts';
import { createSender } from '../../../../src/observe/notices/sender.ts';
import { claimSender } from '../../../../src/observe/notices/store.ts';
import type { Need } from '../../../../src/operator/contract/overview.ts';
import { readNeeds } from '../../../../src/operator/store/overview/needs.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { MINUTE, needOf } from './fixtures.ts';

const OPS = NoticeChannel.parse({ type: 'command', command: ['true'], after: '5m', group: '0s' });

onBothLedgers((db) => {
  let now = 0;
  let needs: Need[] = [];
  let sent: [string, Notice][] = [];
  let fail: (channel: string) => Error | null = () => null;
  let before: () => Promise<void> = async () => undefined;
  beforeEach(async () => {
    await emptyLedger(db);
    now = Date.now();
    needs = [];
    sent = [];
    fail = () => null;
  });

  const processOf = (
    by: string,
    channels: Record<string, NoticeChannel> = { ops: OPS },
    errors: object[] = [],
  ) =>
    createSender({
      db,
      by,
      channels: () => channels,
      publicUrl: () => 'https://sluice.example.com',
      read: async () => ({ at: new Date(now).toISOString(), needs, mayStand: () => false }),
      async send(channel, notice) {
        await before();
        const error = fail(channel);
        if (error !== null) throw error;
        sent.push([channel, notice]);
        return 'ok';
      },
      log: { warn() {}, error: (fields) => void errors.push(fields) },
    });
  const list = () =>
    sent.map(([channel, { began, ended }]) =>
      [channel, ...began.map(({ name }) => `+${name}`), ...ended.map(({ name }) => `-${name}`)].join(' '),
    );
  const later = (minutes: number) => {
    now += minutes * MINUTE;
  };
  const failing = async () =>
    (await readNeeds(db, null)).needs.filter(({ kind }) => kind === 'failing-notices');

  it('sends a begin and an end once, by two processes and after a restart', async () => {
    const [a, b] = [processOf('a'), processOf('b')];
    needs = [needOf('spring')];
    await Promise.all([a.pass(), b.pass()]);
    later(5);
    await Promise.all([a.pass(), b.pass()]);
    await Promise.all([a.pass(), b.pass()]);
    await a.release();
    await b.release();
    await processOf('c').pass();
    needs = [];
    await processOf('c').pass();
    later(3);
    await processOf('c').pass();
    await processOf('c').pass();
    expect(list()).toEqual(['ops +spring', 'ops -spring']);
  });

  it('waits while another process has the lease, and takes over when it is released', async () => {
    needs = [needOf('spring')];
    const a = processOf('a', { ops: { ...OPS, after: '0s' } });
    const b = processOf('b', { ops: { ...OPS, after: '0s' } });
    expect(await claimSender(db, 'a', 60_000)).toBe(true);
    await b.pass();
    expect(list()).toEqual([]);
    await a.release();
    await b.pass();
    expect(list()).toEqual(['ops +spring']);
  });

  it('writes nothing when another process took the lease while a channel answered', async () => {
    needs = [needOf('spring')];
    const errors: object[] = [];
    const channels = { ops: { ...OPS, after: '0s' } } as const;
    before = async () => {
      await db.query(
        "update notice_sender set claimed_by = 'b', claimed_until = clock_timestamp() + interval '1 hour'",
      );
    };
    await processOf('a', channels, errors).pass();
    before = async () => undefined;
    expect(await db.query('select notified_at from notice_needs')).toEqual([{ notified_at: null }]);
    expect(errors).toEqual([]);
    // It may repeat the notice, as after a crash.
    await processOf('b', channels).pass();
    expect(list()).toEqual(['ops +spring', 'ops +spring']);
  });

  it('shows a channel that fails as a need, retries with a backoff, and serves the others meanwhile', async () => {
    const channels = { ops: { ...OPS, after: '0s' }, mail: { ...OPS, after: '0s' } } as const;
    needs = [needOf('spring')];
    fail = (channel) => (channel === 'ops' ? new NoticeError('HTTP_500', 'x answered with HTTP 500') : null);
    await processOf('a', channels).pass();
    expect(list()).toEqual(['mail +spring']);
    expect(await failing()).toMatchObject([{ name: 'ops', count: 1, code: 'HTTP_500', account: null }]);
    fail = () => null;
    // By the clock of the ledger, the next attempt is in 30 s.
    await processOf('a', channels).pass();
    expect(list()).toEqual(['mail +spring']);
    later(1);
    await processOf('a', channels).pass();
    expect(list()).toEqual(['mail +spring', 'ops +spring']);
    expect(await failing()).toEqual([]);
  });

  it('serves the other channels when one has a defect', async () => {
    const channels = { ops: { ...OPS, after: '0s' }, mail: { ...OPS, after: '0s' } } as const;
    const errors: object[] = [];
    needs = [needOf('spring')];
    fail = (channel) => (channel === 'ops' ? new TypeError('a defect') : null);
    await processOf('a', channels, errors).pass();
    expect(list()).toEqual(['mail +spring']);
    expect(errors).toMatchObject([{ channel: 'ops' }]);
  });

  it('repeats a notice after a crash between sending and writing down, with the same id, and loses no end', async () => {
    const channels = { ops: { ...OPS, after: '0s' } };
    needs = [needOf('spring')];
    fail = () => null;
    const crashing = createSender({
      db,
      by: 'a',
      channels: () => channels,
      publicUrl: () => 'https://sluice.example.com',
      read: async () => ({ at: new Date(now).toISOString(), needs, mayStand: () => false }),
      async send(channel, notice) {
        sent.push([channel, notice]);
        throw new Error('SIGKILL');
      },
      log: { warn() {}, error() {} },
    });
    await crashing.pass();
    await processOf('a', channels).pass();
    expect(list()).toEqual(['ops +spring', 'ops +spring']);
    expect(new Set(sent.map(([, { id }]) => id)).size).toBe(1);

    needs = [needOf('autumn'), ...needs];
    await crashing.pass();
    needs = needs.slice(1);
    await processOf('a', channels).pass();
    later(3);
    await processOf('a', channels).pass();
    expect(list().slice(2)).toEqual(['ops +autumn', 'ops -autumn']);
  });

  it('sends no personal data', async () => {
    needs = [needOf('spring')];
    await processOf('a', { ops: { ...OPS, after: '0s' } }).pass();
    const text = JSON.stringify(sent);
    expect(text).not.toMatch(/Ana|98765/);
    expect(sent[0]?.[1].began[0]).toMatchObject({
      text: 'the campaign spring is blocked (acme) [FLOW_INACTIVE]',
      url: 'https://sluice.example.com/campaigns?account=acme&name=spring&run=acme%2F%2Bspring%2F1',
    });
  });

  it('forgets channels that are not configured any more', async () => {
    needs = [needOf('spring')];
    fail = () => new NoticeError('HTTP_500', 'x');
    await processOf('a', { ops: { ...OPS, after: '0s' } }).pass();
    await processOf('a', {}).pass();
    expect(await failing()).toEqual([]);
    expect(await db.query('select * from notice_needs')).toEqual([]);
  });
});
