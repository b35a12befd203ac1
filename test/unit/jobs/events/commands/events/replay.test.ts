// `sluice events replay` against an operator API: a failed event is shown, corrected, tried and replayed.
import { beforeEach, expect, it } from 'vitest';
import { registerEvents } from '../../../../../../src/jobs/events/commands/events/events.ts';
import { endEvent } from '../../../../../../src/jobs/events/store/event-end.ts';
import { addEvents } from '../../../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../../../src/jobs/events/store/intake-runs.ts';
import { siteContext } from '../../../../cli/site-context.ts';

const NUMBER = '5511987654321';
const STORED = { type: 'tags' as const, number: NUMBER, key: NUMBER, add: ['vp'], remove: [] };

const context = siteContext('events', registerEvents);
const { sluice } = context;
const file = (text: string) => context.file('request.json', text);

beforeEach(async () => {
  const { db } = context;
  const run = await openIntakeRun(db, { account: 'acme', sync: '@site' });
  const draft = { account: 'acme', route: 'site', id: 'e1', subject: 's', rank: null, request: STORED };
  await addEvents(db, run, [draft]);
  await endEvent(db, 'e1', { outcome: 'failed', code: 'ERR_TAG', reason: 'no such tag' });
});

it('the request of a failed event is shown in clear, corrected, tried, and replayed once', async () => {
  const masked = await sluice('show', 'e1');
  expect(masked.stdout).not.toContain('98765');
  expect(masked.stdout).toContain('sluice events replay e1 --request FILE');
  const { request } = JSON.parse((await sluice('show', 'e1', '--json', '--unmasked')).stdout);
  expect(request).toEqual(STORED);
  const corrected = ['replay', 'e1', '--request', await file(JSON.stringify({ ...request, add: ['vip'] }))];
  const tried = await sluice(...corrected, '--dry-run');
  expect(tried.stdout).toContain('- refused ERR_TAG: no such tag');
  expect(tried.stdout).toContain('+ accepted as tags');
  expect(tried.stderr).toContain('1 event would now be: 1 accepted');
  const replayed = await sluice(...corrected, '--json');
  const result = JSON.parse(replayed.stdout);
  expect(result).toMatchObject({ id: 'e1', outcome: 'accepted', events: [{ duplicate: false }] });
  expect((await sluice('show', 'e1')).stdout).toContain(`replaced  by ${result.events[0].id}`);
  expect(await sluice(...corrected)).toMatchObject({ code: 5 });
});

it.each([
  ['no JSON', '{\n"add": [', 2, 'not JSON: see line 2'],
  ['a list', '[]', 2, 'must be one JSON object'],
  ['a wrong field', JSON.stringify({ ...STORED, ad: [] }), 6, '1 refused'],
])('%s is refused, and nothing changes', async (_, text, code, message) => {
  const refused = await sluice('replay', 'e1', '--request', await file(text));
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
  expect((await sluice('show', 'e1')).stdout).toContain('failed');
});
