// Why a run stands still, in words of the command line.
import { expect, it } from 'vitest';
import { describeProgress } from '../../../../../src/jobs/sync/commands/describe-run.ts';
import type { RunProgress } from '../../../../../src/jobs/sync/contract/run.ts';

const at = (seconds: number) => `2026-11-27T10:00:0${seconds}.000Z`;
const TOKEN = { by: 'sluice', code: 'ERR_TOKEN_REVOKED', reason: 'the token was revoked' };

it.each<[string, RunProgress['paused'], RegExp]>([
  ['a person', { by: 'ana', reason: 'lunch', at: at(1) }, /, paused by ana: lunch$/],
  ['a person without a reason', { by: 'ana', reason: '' }, /, paused by ana: no reason given$/],
  ['a refusal', { ...TOKEN, at: at(1) }, /, blocked at .*:01.*: the token was revoked$/],
  [
    'the same refusal after a resume',
    { ...TOKEN, at: at(3), again: { by: 'ana', at: at(2) } },
    /, resumed by ana at .*:02.*, and blocked again at .*:03.* for the same reason: the token was revoked$/,
  ],
  ['a refusal in a run of an earlier release', TOKEN, /, paused by sluice: the token was revoked$/],
])('%s', (_, paused, expected) => {
  const [first] = describeProgress({
    run: 'acme/leads/1',
    phase: 'syncing',
    paused,
    read: 0,
    readShare: 1,
    merged: 0,
    total: 0,
    done: 0,
    created: 0,
    updated: 0,
    failed: 0,
    unknown: 0,
    rejected: 0,
    cards: 0,
    stoppedSteps: [],
    totals: [],
    trouble: null,
  });
  expect(first).toMatch(expected);
});
