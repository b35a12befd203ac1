// `sluice refused` against an operator API: requests are listed, shown masked, corrected, replayed and discarded.
import { describe, expect, it } from 'vitest';
import { registerRefused } from '../../../../../../src/jobs/events/commands/refused/refused.ts';
import {
  keepRefusedRequests,
  refusedRequestId,
} from '../../../../../../src/jobs/events/store/refused-requests.ts';
import { siteContext } from '../../../../cli/site-context.ts';

const NUMBER = '+55 11 98765-4321';
const BAD = JSON.stringify({ event_id: 'e1', phoen: NUMBER });
const GOOD = JSON.stringify({ event_id: 'e1', phone: NUMBER });

const context = siteContext('refused', registerRefused);
const { sluice } = context;

async function kept(...bodies: string[]): Promise<string> {
  const requests = bodies.map((body) => ({
    account: 'acme',
    route: 'site',
    code: 'MAPPING',
    reason: 'phone: is missing',
    content: { headers: { from: 'ana@crm.example' }, body: Buffer.from(body), signature: null },
  }));
  await keepRefusedRequests(context.db, requests);
  return refusedRequestId(requests[0] as (typeof requests)[number]);
}

it('lists open requests, and names the refusals without content when there are none', async () => {
  const id = await kept(BAD, BAD);
  const { stdout, stderr } = await sluice('list', '--route', 'site');
  expect(stdout).toContain(id);
  expect(stdout).toContain('phone: is missing');
  expect(stderr).toContain('1 open refused request');
  const [line] = (await sluice('list', '--json')).stdout.split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ id, count: 2, resolution: null });
  expect((await sluice('list', '--code', 'SCHEMA')).stderr).toContain('sluice failures');
});

it('shows one masked, in clear with --unmasked, and with the commands that settle it', async () => {
  const id = await kept(BAD);
  const masked = await sluice('show', id);
  expect(masked.stdout).not.toMatch(/98765|ana@/);
  expect(masked.stdout).toContain('a replay now: refused MAPPING');
  expect(masked.stdout).toContain(`sluice refused replay ${id} --body FILE`);
  expect((await sluice('show', id, '--unmasked')).stdout).toContain(NUMBER);
});

describe('replay', () => {
  it('with a corrected body is tried first, and then makes an event', async () => {
    const id = await kept(BAD);
    const corrected = ['replay', id, '--body', await context.file('body.json', GOOD)];
    const tried = await sluice(...corrected, '--dry-run');
    expect(tried.stdout).toContain('+ accepted as tags');
    expect(tried.stderr).toContain('1 refused request would now be: 1 accepted');
    const replayed = await sluice(...corrected, '--json');
    expect(JSON.parse(replayed.stdout)).toMatchObject({
      id,
      outcome: 'accepted',
      events: [{ duplicate: false }],
    });
    expect(replayed.code ?? 0).toBe(0);
    expect((await sluice('list')).stdout).not.toContain(id);
    expect(await sluice('replay', id)).toMatchObject({ code: 5 });
  });

  it('of all that match ends with 6 if some are refused again', async () => {
    await kept(BAD, GOOD);
    const { code, stderr, stdout } = await sluice('replay', '--route', 'site', '--yes');
    expect([code, stderr]).toEqual([6, expect.stringContaining('1 refused, 1 accepted')]);
    expect(stdout).toMatch(/refused {2}.*\[MAPPING\]/);
    expect((await sluice('list')).stderr).toContain('1 open refused request');
  });

  it('of many goes on behind those that are refused again, up to --limit', async () => {
    const bodies = Array.from({ length: 120 }, (_, n) => JSON.stringify({ event_id: `b${n}` }));
    await kept(...bodies, GOOD);
    expect((await sluice('replay', '--limit', '101', '--yes')).stderr).toContain('101 refused');
    expect((await sluice('replay', '--yes')).stderr).toContain('120 refused, 1 accepted');
  });

  it.each([
    ['nothing', [], 'say which refused requests'],
    ['filters without --yes', ['--route', 'site'], 'need --yes'],
    ['an id that is none', ['17'], 'begin with rr_'],
    ['a body without an id', ['--yes', '--body', '-'], 'exactly one id'],
    ['an id and a filter', [`rr_${'a'.repeat(22)}`, '--route', 'site'], 'not both'],
  ])('refuses %s', async (_, args, message) => {
    await kept(GOOD);
    const { code, stderr } = await sluice('replay', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect((await sluice('list')).stderr).toContain('1 open refused request');
  });

  it('of an id that is not kept ends with 3', async () => {
    expect((await sluice('replay', `rr_${'a'.repeat(22)}`)).code).toBe(3);
  });
});

it('a discarded request is listed with --all only', async () => {
  const id = await kept(BAD);
  expect((await sluice('discard', id, '--reason', ' ', '--yes')).code).toBe(2);
  const discarded = await sluice('discard', id, '--reason', 'a test', '--yes', '--json');
  expect(JSON.parse(discarded.stdout)).toEqual({ discarded: 1 });
  expect((await sluice('list')).stdout).not.toContain(id);
  expect((await sluice('list', '--all')).stdout).toMatch(new RegExp(`${id}.*discarded`));
});
