// `sluice dev` under load while its token is rotated twice, its accounts, routes and sync change, its file breaks, and it
// loads its configuration fifty times: no call is lost and none is made twice. What the service logged is compared with the ledger.
import { createHash } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { openPglite } from '../../../src/core/sql/database.ts';
import type { PanelRequest } from '../../support/panel.ts';
import { balanceOf, unknownIn, unloggedCalls } from '../../support/service-balance.ts';
import { until } from '../../support/until.ts';
import { numberOf, openReload, type Reload, startEvents, TOKENS } from './reload-context.ts';

/** In the sync that is in progress during the changes, and in the one after them. */
const ROWS = 1000;
const MORE = 20;
const EVENT_MS = 333;
const RELOADS = 50;
/** Calls without the old token that show that none with it is in progress. */
const AFTER = 20;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const csv = (group: 'leads' | 'more', count: number) =>
  ['phone,name', ...Array.from({ length: count }, (_, n) => `${numberOf(group, n)},Person ${n}`), ''].join(
    '\n',
  );
const used = (token: string) => {
  const hash = createHash('sha256').update(token).digest('hex');
  return ({ tokenHash }: PanelRequest) => tokenHash === hash;
};

it('tokens, accounts, routes and syncs change while a sync and events are in progress', {
  timeout: 300_000,
}, async () => {
  const context = await openReload({ leads: csv('leads', ROWS), more: csv('more', MORE) }, ends);
  const { panel, replace, configure, afterReload, sluice, isRight } = context;
  let isSyncing = true;
  const sync = sluice('sync', 'run', 'leads', '--json').finally(() => {
    isSyncing = false;
  });
  const events = startEvents(context, EVENT_MS);
  ends.push(() => events.stop());
  const callsOf = async () => (await panel.requests()).length;
  const more = async (calls: number) => {
    const from = await callsOf();
    await until('further calls were made', async () => (await callsOf()) >= from + calls);
  };
  const revoke = (token: string) => panel.patch({ tokens: [{ value: token, revoked: true }] });

  await more(100);
  // As the guide says: the old token is revoked when nothing uses it any more.
  await afterReload(() => replace('token', TOKENS[1]));
  await until('only the new token is used', async () =>
    (await panel.requests()).slice(-AFTER).every(used(TOKENS[1])),
  );
  await revoke(TOKENS[0]);
  await more(100);
  // At once: calls that wait for a slot had the old token.
  await afterReload(() => replace('token', TOKENS[2]));
  await revoke(TOKENS[1]);
  await more(100);

  await afterReload(() => configure({ later: true }));
  events.toBoth();
  await more(50);
  await configure({ later: true, broken: true });
  await until('the process reports the broken file', async () => !(await isRight()));
  const failed = await sluice('config', 'reload').catch((error: { code: number; stdout: string }) => error);
  expect(failed).toMatchObject({ code: 1 });
  expect((failed as { stdout: string }).stdout).toMatch(
    /sluice\.yaml:\d+:\d+ {2}syncs\.leads\.account: there is no account "nobody"/,
  );
  expect(context.dev.log()).toContain('the configuration on the disk is broken');
  await more(50);
  await afterReload(() => configure({ later: true, more: { floor: 12 } }));
  expect(await isRight()).toBe(true);
  expect(isSyncing, 'all of this happened during the sync').toBe(true);

  const first = JSON.parse((await sync).stdout) as object;
  const next = sluice('sync', 'run', 'leads', '--json');
  for (let n = await context.loaded(); n < RELOADS; n += 1)
    await afterReload(async () => {
      await configure({ later: true, more: { floor: 10 + (n % 2) } });
      process.kill(context.dev.pid, 'SIGHUP');
    });
  const second = JSON.parse((await next).stdout) as object;
  await events.stop();
  const clean = { failed: 0, unknown: 0, rejected: 0 };
  expect(first).toMatchObject({ read: ROWS, created: ROWS, cards: ROWS, ...clean });
  expect(second).toMatchObject({ read: MORE, created: MORE, cards: MORE, ...clean });
  expect(new Set(events.answers)).toEqual(new Set([202]));
  await until('every event has its card', async () => {
    const [acme, other] = [await panel.account(), await panel.account('second')];
    return acme.cards.length >= ROWS + MORE + events.sent.form && other.cards.length >= events.sent.second;
  });
  await expectTags(context, events.sent.form);
  const reloads = await context.loaded();
  await context.dev.stop();
  await compare(context, events.sent, reloads);
});

/** A run keeps what it was planned with. The next run and later events have the new mapping. */
async function expectTags({ panel }: Reload, events: number): Promise<void> {
  const { contacts } = await panel.account();
  const tagged = (group: 'leads' | 'more' | 'form') =>
    contacts.filter(
      ({ number, tagIds }) => number.startsWith(digits(numberOf(group, 0)).slice(0, 7)) && tagIds.includes(1),
    ).length;
  expect([tagged('leads'), tagged('more')]).toEqual([0, MORE]);
  expect(tagged('form')).toBeGreaterThan(0);
  expect(tagged('form')).toBeLessThan(events);
}

async function compare({ panel, ledger }: Reload, sent: { form: number; second: number }, reloads: number) {
  const requests = await panel.requests();
  const db = await openPglite(ledger);
  ends.push(() => db.close());
  expect(await unloggedCalls(db, requests)).toEqual([]);
  const numbers = (group: 'leads' | 'more' | 'form' | 'second', count: number) =>
    Array.from({ length: count }, (_, n) => digits(numberOf(group, n)));
  const people = [...numbers('leads', ROWS), ...numbers('more', MORE), ...numbers('form', sent.form)];
  const balances = [
    balanceOf(await panel.account(), people),
    balanceOf(await panel.account('second'), numbers('second', sent.second)),
  ];
  const refused = requests.filter(({ status }) => status === 401);
  const figures = {
    calls: requests.length,
    rotations: 2,
    reloads,
    rows: ROWS + MORE,
    events: sent.form + sent.second,
    lost: balances.flatMap(({ lost }) => lost).length,
    doubled: balances.flatMap(({ doubled }) => doubled).length,
    unknown: await unknownIn(db),
    '401': refused.length,
    '429': requests.filter(({ status }) => status === 429).length,
  };
  console.info(`reload ${JSON.stringify(figures)}`);
  expect(figures.reloads).toBeGreaterThanOrEqual(RELOADS);
  expect(figures).toMatchObject({ lost: 0, doubled: 0, unknown: 0, '429': 0 });
  expect(requests.filter(used(TOKENS[2])).length).toBeGreaterThan(100);
  expect(refused.filter(used(TOKENS[0]))).toEqual([]);
  // Only a call that was under way when its token was revoked can be refused. It goes out again.
  expect(refused.length).toBeLessThanOrEqual(1);
}

const digits = (number: string) => number.replaceAll(/\D/g, '');
