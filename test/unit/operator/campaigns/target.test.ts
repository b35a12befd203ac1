// The run that an operator means: by its id, or by the name of its campaign.
import { describe, expect, it } from 'vitest';
import type { CampaignCommand, CampaignState } from '../../../../src/jobs/campaigns/contract/batches.ts';
import {
  needsWorkflow,
  resolveCampaign,
  runToSteer,
} from '../../../../src/jobs/campaigns/operator/target.ts';

type Action = CampaignCommand['action'];

const runOf = (state: CampaignState, n: number) => ({
  state,
  run_id: `acme/+win/${n}`,
  digest: '',
  planned_by: 'user:ana',
  started_at: ['running', 'finished', 'cancelled'].includes(state)
    ? new Date('2026-11-16T12:00:00.000Z')
    : null,
});
/** Newest first. */
const runsOf = (...states: CampaignState[]) => states.map((state, n) => runOf(state, states.length - n));
const resolved = (action: Action, states: readonly CampaignState[], run: string | null = null) =>
  runToSteer({ account: 'acme', campaign: 'win', run }, action, runsOf(...states));

describe('the run that a command applies to', () => {
  it.each<[Action, CampaignState[], CampaignState]>([
    ['pause', ['planned', 'running', 'finished'], 'running'],
    ['resume', ['void', 'running'], 'running'],
    ['skipWave', ['running'], 'running'],
    ['cancel', ['planned', 'running'], 'running'],
    ['cancel', ['failed', 'planned', 'finished'], 'planned'],
    ['rate', ['planned', 'finished'], 'planned'],
    ['retry', ['running', 'finished'], 'running'],
    ['retry', ['planned', 'void', 'finished', 'cancelled'], 'finished'],
    ['resolve', ['planned', 'cancelled', 'finished'], 'cancelled'],
  ])('of %s among %j is the one %s', (action, states, expected) => {
    expect(resolved(action, states).state).toBe(expected);
  });

  it.each<[Action, CampaignState[], RegExp]>([
    ['pause', ['planned', 'finished'], /has no run under way; `sluice campaign list win` shows its runs/],
    ['cancel', ['finished', 'cancelled'], /has no run under way/],
    ['retry', ['planned', 'void'], /was never started/],
    ['resolve', [], /was never started/],
  ])('of %s among %j there is none', (action, states, message) => {
    expect(() => resolved(action, states)).toThrow(
      expect.objectContaining({ kind: 'notFound', message: expect.stringMatching(message) }),
    );
  });

  it('is the one that was named, whatever its state', () => {
    expect(resolved('pause', ['running', 'finished'], 'acme/+win/1')).toMatchObject({ state: 'finished' });
    expect(() => resolved('pause', ['running'], 'acme/+win/7')).toThrow(
      expect.objectContaining({ kind: 'notFound' }),
    );
  });

  it.each<[CampaignState, Action, boolean]>([
    ['running', 'pause', true],
    ['running', 'cancel', true],
    ['finished', 'retry', true],
    ['finished', 'resolve', true],
    ['finished', 'pause', false],
    ['cancelled', 'resolve', false],
    ['planned', 'cancel', false],
  ])('%s needs its workflow to %s: %s', (state, action, expected) => {
    expect(needsWorkflow(runOf(state, 1), action, runsOf(state))).toBe(expected);
  });

  it('a run that has finished is left to the ledger while another goes on: the workflow is that one’s', () => {
    const runs = runsOf('running', 'finished');
    expect(needsWorkflow(runOf('finished', 1), 'resolve', runs)).toBe(false);
    expect(needsWorkflow(runOf('running', 2), 'resolve', runs)).toBe(true);
  });
});

describe('which run a command applies to', () => {
  const config = {
    campaign: (name: string) => {
      if (name !== 'back') throw new Error(`there is no campaign "${name}"`);
      return { account: 'acme' } as never;
    },
  };
  it.each([
    ['back', { account: 'acme', campaign: 'back', run: null }],
    ['beta/+spring/12', { account: 'beta', campaign: 'spring', run: 'beta/+spring/12' }],
  ])('%s', (text, expected) => {
    expect(resolveCampaign(config, text)).toEqual(expected);
  });
  it.each(['beta/spring/12', 'beta/+spring', 'beta/+spring/x', ''])('%j is neither', (text) => {
    expect(() => resolveCampaign(config, text)).toThrow(/there is no campaign/);
  });
});
