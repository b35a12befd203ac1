// What is blocked never ends a command with 0, and says what to mend.
import { describe, expect, it } from 'vitest';
import { exitCodeOfBlock } from '../../../../src/cli/lib/exit.ts';
import { stateOf } from '../../../../src/jobs/campaigns/commands/follow-campaign.ts';
import type { CampaignProgress } from '../../../../src/jobs/campaigns/contract/batches.ts';
import { blockOf } from '../../../../src/jobs/campaigns/operator/now.ts';

const BLOCKED = { code: 'REPLIES_UNREAD', reason: 'the poller "main" can\'t read conversations' };

describe('an exit code', () => {
  it.each([
    ['UNEXPECTED_SHAPE', 1],
    ['REPLIES_UNREAD', 1],
    ['FIRST_UNVERIFIED', 1],
    ['ERR_NO_CONTACT_FOUND', 1],
    ['STOP_RULE', 1],
    ['', 1],
    ['ERR_TOKEN_REVOKED', 4],
    ['ERR_SCOPE_MISSING', 4],
  ])('of a block by %j is %i', (code, exit) => expect(exitCodeOfBlock(code)).toBe(exit));
});

describe('a run', () => {
  const progress = (over: Partial<CampaignProgress>) =>
    ({ paused: null, waiting: null, ...over }) as CampaignProgress;
  const waiting = { until: '2026-11-22T10:00:00.000Z', why: 'replies', blocked: BLOCKED };

  it.each<[string, Partial<CampaignProgress>, object | null]>([
    ['that goes on is not blocked', {}, null],
    ['that waits for its window is not', { waiting: { until: waiting.until, why: 'window' } }, null],
    ['that a person has paused is not', { paused: { by: 'ana', reason: 'ERR_LUNCH: back soon' } }, null],
    ['that waits for replies is', { waiting }, BLOCKED],
    [
      'that Sluice has paused is, with its code',
      { paused: { by: 'sluice', code: 'ERR_FLOW_NOT_FOUND', reason: 'ERR_FLOW_NOT_FOUND: no flow 3' } },
      { code: 'ERR_FLOW_NOT_FOUND', reason: 'ERR_FLOW_NOT_FOUND: no flow 3' },
    ],
  ])('%s', (_, over, expected) => {
    expect(blockOf({ paused: null, blocked: null }, progress(over))).toEqual(expected);
  });

  it('that waits for replies shows why', () => {
    const counts = { triggered: 1, skipped: 0, failed: 0, unknown: 0, cancelled: 0, waiting: 3, sending: 0 };
    const shown = stateOf({ ...progress({ waiting }), counts, wave: 1 } as never, 'America/Sao_Paulo');
    expect(shown?.note).toBe(`wave 1, 1 triggered, blocked: ${BLOCKED.reason}`);
  });
});
